//! A design without hierarchy: every instance opened, every node numbered once.

use crate::ir::{Block, NodeId, Op, Rom};
use crate::types::{Multipliers, Type};

pub(crate) struct FlatNode {
    pub(crate) op: Op,
    pub(crate) ty: Type,
    /// Number of the instance that it belongs to, in [`Flat::scopes`].
    pub(crate) scope: usize,
    /// True for an input port of a module that is kept as it is: what drives it is not known
    /// inside.
    pub(crate) border: bool,
}

/// One instance, or the top.
pub(crate) struct Scope {
    pub(crate) module: String,
    pub(crate) multipliers: Option<Multipliers>,
}

pub(crate) struct FlatReg {
    pub(crate) node: NodeId,
    pub(crate) next: NodeId,
    pub(crate) init: i64,
    pub(crate) reset: bool,
}

pub(crate) struct FlatRam {
    pub(crate) depth: usize,
    pub(crate) ty: Type,
    pub(crate) scope: usize,
    /// Enable, address, data.
    pub(crate) write: Option<[NodeId; 3]>,
}

/// A signal with a name: its path from the top, dots between.
pub(crate) struct FlatName {
    pub(crate) path: String,
    pub(crate) node: NodeId,
    pub(crate) ty: Type,
}

#[derive(Default)]
pub(crate) struct Flat {
    pub(crate) scopes: Vec<Scope>,
    pub(crate) nodes: Vec<FlatNode>,
    pub(crate) names: Vec<FlatName>,
    pub(crate) regs: Vec<FlatReg>,
    pub(crate) rams: Vec<FlatRam>,
    pub(crate) roms: Vec<Rom>,
    pub(crate) inputs: Vec<NodeId>,
    pub(crate) outputs: Vec<NodeId>,
    /// What leaves modules that are kept as they are: it is built, needed or not.
    pub(crate) kept: Vec<NodeId>,
}

pub(crate) fn flatten(top: &Block) -> Flat {
    let mut flat = Flat::default();
    let base = flat.open(top, "");
    flat.inputs = top.0.inputs.iter().map(|&n| base + n).collect();
    flat.outputs = top.0.outputs.iter().map(|o| base + o.node).collect();
    for output in &top.0.outputs {
        let node = base + output.node;
        let ty = flat.nodes[node].ty;
        flat.names.push(FlatName { path: output.name.clone(), node, ty });
    }
    flat
}

impl Flat {
    /// Appends the nodes of `block`; its inputs stay inputs until the caller wires them. Returns
    /// the number of its first node.
    fn open(&mut self, block: &Block, path: &str) -> NodeId {
        let net = &block.0;
        let base = self.nodes.len();
        let scope = self.scopes.len();
        self.scopes.push(Scope { module: net.name.clone(), multipliers: net.multipliers });
        let (regs, roms, rams) = (self.regs.len(), self.roms.len(), self.rams.len());
        for (i, node) in net.nodes.iter().enumerate() {
            let mut op = node.op.map(|n| base + n);
            match &mut op {
                Op::Reg(reg) | Op::IsState { reg, .. } => *reg += regs,
                Op::RomRead { rom, .. } => *rom += roms,
                Op::RamRead { ram, .. } => *ram += rams,
                _ => {}
            }
            let border = net.kept && !path.is_empty() && node.op == Op::Input;
            self.nodes.push(FlatNode { op, ty: node.ty, scope, border });
            if let Some(name) = &node.name {
                self.names.push(FlatName {
                    path: format!("{path}{name}"),
                    node: base + i,
                    ty: node.ty,
                });
            }
        }
        self.regs.extend(net.regs.iter().map(|r| FlatReg {
            node: base + r.node,
            next: base + r.next,
            init: r.init,
            reset: r.reset,
        }));
        self.roms.extend(net.roms.iter().cloned());
        self.rams.extend(net.rams.iter().map(|r| FlatRam {
            depth: r.depth,
            ty: r.ty,
            scope,
            write: r.write.as_ref().map(|w| [base + w.enable, base + w.address, base + w.data]),
        }));
        for instance in &net.instances {
            let below = &instance.block.0;
            let inside = self.open(&instance.block, &format!("{path}{}.", instance.name));
            for (&port, outside) in below.inputs.iter().zip(&instance.inputs) {
                self.nodes[inside + port].op = Op::Wire(outside.map(|n| base + n));
            }
            if below.kept {
                self.kept.extend(below.outputs.iter().map(|output| inside + output.node));
            }
            for (&node, output) in instance.outputs.iter().zip(&below.outputs) {
                self.nodes[base + node].op = Op::Wire(Some(inside + output.node));
            }
        }
        base
    }

    /// Follows second names and ports to the node that computes the value.
    pub(crate) fn source(&self, mut id: NodeId) -> NodeId {
        while let Op::Wire(Some(driver)) = self.nodes[id].op {
            id = driver;
        }
        id
    }

    /// The same as far as a tool may look: an input of a kept module is its own source.
    pub(crate) fn visible_source(&self, mut id: NodeId) -> NodeId {
        while let (Op::Wire(Some(driver)), false) = (&self.nodes[id].op, self.nodes[id].border) {
            id = *driver;
        }
        id
    }
}
