//! The netlist of one module, as plain data. The builder fills it; the simulator and the writers
//! read it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::types::{Multipliers, Type};

/// Index of a node in [`Netlist::nodes`].
pub(crate) type NodeId = usize;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum UnaryOp {
    Not,
    Neg,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum BinaryOp {
    And,
    Or,
    Xor,
    Add,
    Sub,
    Mul,
    Eq,
    Ne,
    Lt,
    Le,
}

impl BinaryOp {
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
        }
    }

    pub(crate) fn compares(self) -> bool {
        matches!(self, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le)
    }
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) enum Op {
    /// Stands for an expression with a mistake, so that one mistake is reported once.
    Poison,
    Const(i64),
    Input,
    /// A second name, a signal driven later, or (in a flat netlist) a port.
    Wire(Option<NodeId>),
    Reg(usize),
    InstanceOutput {
        instance: usize,
        port: usize,
    },
    Unary(UnaryOp, NodeId),
    Binary(BinaryOp, NodeId, NodeId),
    Mux(NodeId, NodeId, NodeId),
    /// Shift by a constant; right shifts of signed values copy the sign.
    Shift {
        left: bool,
        value: NodeId,
        by: u32,
    },
    ShiftBy {
        left: bool,
        value: NodeId,
        by: NodeId,
    },
    /// Bits `lo` and up, as many as the node's type has.
    Slice {
        value: NodeId,
        lo: u32,
    },
    /// Most significant part first.
    Concat(Vec<NodeId>),
    Extend(NodeId),
    Cast(NodeId),
    IsState {
        reg: usize,
        node: NodeId,
        state: usize,
    },
    RomRead {
        rom: usize,
        address: NodeId,
    },
    RamRead {
        ram: usize,
        address: NodeId,
    },
}

impl Op {
    /// The nodes that this one reads in the same cycle, within one module.
    pub(crate) fn operands(&self) -> Vec<NodeId> {
        match self {
            Op::Poison | Op::Const(_) | Op::Input | Op::Reg(_) | Op::InstanceOutput { .. } => {
                vec![]
            }
            Op::Wire(driver) => driver.iter().copied().collect(),
            Op::Unary(_, a) | Op::Extend(a) | Op::Cast(a) => vec![*a],
            Op::Shift { value, .. } | Op::Slice { value, .. } => vec![*value],
            Op::Binary(_, a, b) => vec![*a, *b],
            Op::ShiftBy { value, by, .. } => vec![*value, *by],
            Op::Mux(c, a, b) => vec![*c, *a, *b],
            Op::Concat(parts) => parts.clone(),
            Op::IsState { node, .. } => vec![*node],
            Op::RomRead { address, .. } | Op::RamRead { address, .. } => vec![*address],
        }
    }

    /// The same operation on renumbered nodes.
    pub(crate) fn map(&self, f: impl Fn(NodeId) -> NodeId) -> Op {
        let mut op = self.clone();
        match &mut op {
            Op::Poison | Op::Const(_) | Op::Input | Op::Reg(_) | Op::InstanceOutput { .. } => {}
            Op::Wire(driver) => *driver = driver.map(f),
            Op::Unary(_, a) | Op::Extend(a) | Op::Cast(a) => *a = f(*a),
            Op::Shift { value, .. } | Op::Slice { value, .. } => *value = f(*value),
            Op::Binary(_, a, b) => (*a, *b) = (f(*a), f(*b)),
            Op::ShiftBy { value, by, .. } => (*value, *by) = (f(*value), f(*by)),
            Op::Mux(c, a, b) => (*c, *a, *b) = (f(*c), f(*a), f(*b)),
            Op::Concat(parts) => parts.iter_mut().for_each(|p| *p = f(*p)),
            Op::IsState { node, .. } => *node = f(*node),
            Op::RomRead { address, .. } | Op::RamRead { address, .. } => *address = f(*address),
        }
        op
    }
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Node {
    pub(crate) op: Op,
    pub(crate) ty: Type,
    pub(crate) name: Option<String>,
    pub(crate) comment: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Register {
    pub(crate) name: String,
    pub(crate) node: NodeId,
    pub(crate) ty: Type,
    pub(crate) init: i64,
    /// Driven outside any process: value at the next edge.
    pub(crate) data: Option<NodeId>,
    pub(crate) enable: Option<NodeId>,
    pub(crate) clear: Option<NodeId>,
    /// Taken to `init` by the module's asynchronous reset.
    pub(crate) reset: bool,
    /// The process that drives it.
    pub(crate) process: Option<usize>,
    /// Names of its values if it is the state of a state machine.
    pub(crate) states: Vec<String>,
    /// Value at the next edge with enable, clear and process folded in; set when the module is
    /// built.
    #[serde(skip)]
    pub(crate) next: NodeId,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) enum Statement {
    Assign { reg: usize, value: NodeId },
    If { condition: NodeId, then: Vec<Statement>, otherwise: Vec<Statement> },
    Case { reg: usize, arms: Vec<(usize, Vec<Statement>)> },
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Process {
    pub(crate) name: String,
    pub(crate) body: Vec<Statement>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Rom {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) words: Vec<i64>,
    /// True if it is to be built of LUTs, whatever its size.
    #[serde(default)]
    pub(crate) distributed: bool,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct RamWrite {
    pub(crate) enable: NodeId,
    pub(crate) address: NodeId,
    pub(crate) data: NodeId,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Ram {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) depth: usize,
    pub(crate) write: Option<RamWrite>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Instance {
    pub(crate) name: String,
    /// Kept apart in JSON, where each block is written once.
    #[serde(skip, default = "Block::empty")]
    pub(crate) block: Block,
    /// One per input of the block.
    pub(crate) inputs: Vec<Option<NodeId>>,
    /// One per output of the block: the node that stands for it here.
    pub(crate) outputs: Vec<NodeId>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Output {
    pub(crate) name: String,
    pub(crate) node: NodeId,
}

/// What the author wrote, in the author's order; the writers follow it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) enum Item {
    Named(NodeId),
    Reg(usize),
    Process(usize),
    Instance(usize),
    Ram(usize),
    Output(usize),
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Netlist {
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) clock: String,
    pub(crate) reset: Option<String>,
    /// Where its products are built; `None` leaves it to whoever counts.
    pub(crate) multipliers: Option<Multipliers>,
    /// True if tools must leave the module as it is: no constants reach into it.
    pub(crate) kept: bool,
    /// True if there is a register or a memory inside, so that the block has a clock port.
    #[serde(skip)]
    pub(crate) clocked: bool,
    pub(crate) nodes: Vec<Node>,
    /// Nodes from here on were made by the folding of processes; the writers do not print them.
    #[serde(skip)]
    pub(crate) written_nodes: usize,
    pub(crate) inputs: Vec<NodeId>,
    pub(crate) outputs: Vec<Output>,
    pub(crate) regs: Vec<Register>,
    pub(crate) processes: Vec<Process>,
    pub(crate) roms: Vec<Rom>,
    pub(crate) rams: Vec<Ram>,
    pub(crate) instances: Vec<Instance>,
    pub(crate) items: Vec<Item>,
    /// For each output the inputs (by index) that reach it without a register between.
    #[serde(skip)]
    pub(crate) through: Vec<Vec<usize>>,
}

impl Netlist {
    pub(crate) fn push(&mut self, op: Op, ty: Type) -> NodeId {
        self.nodes.push(Node { op, ty, name: None, comment: None });
        self.nodes.len() - 1
    }

    /// How a person would call the node: its name, or the expression in short.
    pub(crate) fn describe(&self, id: NodeId) -> String {
        self.describe_to(id, 3)
    }

    fn describe_to(&self, id: NodeId, depth: usize) -> String {
        let node = &self.nodes[id];
        if let Some(name) = &node.name {
            return name.clone();
        }
        if depth == 0 {
            return "..".into();
        }
        let d = |id: NodeId| self.describe_to(id, depth - 1);
        match &node.op {
            Op::Poison => "(faulty)".into(),
            Op::Const(v) => v.to_string(),
            Op::Input | Op::Wire(_) | Op::Reg(_) => "(unnamed)".into(),
            Op::InstanceOutput { instance, port } => {
                let instance = &self.instances[*instance];
                format!("{}.{}", instance.name, instance.block.0.outputs[*port].name)
            }
            Op::Unary(UnaryOp::Not, a) => format!("!{}", d(*a)),
            Op::Unary(UnaryOp::Neg, a) => format!("-{}", d(*a)),
            Op::Binary(op, a, b) => format!("({} {} {})", d(*a), op.symbol(), d(*b)),
            Op::Mux(c, a, b) => format!("({} ? {} : {})", d(*c), d(*a), d(*b)),
            Op::Shift { left, value, by } => {
                format!("({} {} {by})", d(*value), if *left { "<<" } else { ">>" })
            }
            Op::ShiftBy { left, value, by } => {
                format!("({} {} {})", d(*value), if *left { "<<" } else { ">>" }, d(*by))
            }
            Op::Slice { value, lo } => format!("{}[{}:{lo}]", d(*value), lo + node.ty.width - 1),
            Op::Concat(parts) => {
                format!("{{{}}}", parts.iter().map(|p| d(*p)).collect::<Vec<_>>().join(", "))
            }
            Op::Extend(a) | Op::Cast(a) => format!("{}({})", node.ty, d(*a)),
            Op::IsState { reg, state, .. } => {
                let reg = &self.regs[*reg];
                format!("({} is {})", reg.name, reg.states[*state])
            }
            Op::RomRead { rom, address } => format!("{}[{}]", self.roms[*rom].name, d(*address)),
            Op::RamRead { ram, address } => format!("{}[{}]", self.rams[*ram].name, d(*address)),
        }
    }
}

/// A finished module: checked, immutable, cheap to clone. It can be instantiated in other modules,
/// simulated, written as VHDL or Verilog, drawn and counted. As JSON (serde) it can be handed to
/// another process; reading checks everything that building checks.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "crate::interchange::Design", into = "crate::interchange::Design")]
pub struct Block(pub(crate) Arc<Netlist>);

/// A port of a block, as its users see it. Clock and reset are not among them: they are wired by
/// themselves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// Name in all languages.
    pub name: String,
    /// Width and signedness.
    pub ty: Type,
}

impl Block {
    fn empty() -> Block {
        Block(Arc::default())
    }

    /// Name of the module.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Input ports in the order of declaration, without clock and reset.
    pub fn inputs(&self) -> Vec<Port> {
        let port = |id: &NodeId| {
            let node = &self.0.nodes[*id];
            Port { name: node.name.clone().unwrap_or_default(), ty: node.ty }
        };
        self.0.inputs.iter().map(port).collect()
    }

    /// Output ports in the order of declaration.
    pub fn outputs(&self) -> Vec<Port> {
        let port = |o: &Output| Port { name: o.name.clone(), ty: self.0.nodes[o.node].ty };
        self.0.outputs.iter().map(port).collect()
    }

    /// Name of the clock port, or `None` if nothing inside is clocked.
    pub fn clock(&self) -> Option<&str> {
        self.0.clocked.then_some(self.0.clock.as_str())
    }

    /// Name of the asynchronous, active-high reset port, if there is one.
    pub fn reset(&self) -> Option<&str> {
        self.0.reset.as_deref()
    }

    /// Width and signedness of a signal, register or port by its name; `None` if there is none of
    /// that name.
    pub fn signal_type(&self, name: &str) -> Option<Type> {
        let named = self.0.nodes.iter().find(|n| n.name.as_deref() == Some(name)).map(|n| n.ty);
        named.or_else(|| self.outputs().into_iter().find(|p| p.name == name).map(|p| p.ty))
    }

    /// This block and all blocks inside it, each once, those that are used before those that use
    /// them.
    pub fn hierarchy(&self) -> Vec<Block> {
        fn visit(block: &Block, seen: &mut Vec<Block>) {
            for instance in &block.0.instances {
                visit(&instance.block, seen);
            }
            if !seen.iter().any(|b| b.name() == block.name()) {
                seen.push(block.clone());
            }
        }
        let mut seen = Vec::new();
        visit(self, &mut seen);
        seen
    }
}
