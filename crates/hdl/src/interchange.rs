//! Designs as JSON, for a process that does not trust the one that built them.
//!
//! Only what the author wrote is stored. What building adds (folded processes, which inputs reach
//! which outputs) is made anew when a design is read, by the same checks; and before them every
//! number and type in the text is verified, so that no text whatever can make a simulator or writer
//! fail.

use serde::{Deserialize, Serialize};

use crate::draft::Draft;
use crate::error::UseError;
use crate::ir::{BinaryOp, Block, Item, Netlist, Node, NodeId, Op, Statement, UnaryOp};
use crate::types::{MAX_WIDTH, Type, bit, unsigned};

/// Most nodes of a design with every instance opened.
const MAX_NODES: usize = 400_000;
/// Most words of all memories of one module.
const MAX_WORDS: usize = 1 << 22;
/// Most statements, and most registers, of one module.
const MAX_PARTS: usize = 20_000;

/// A design: its modules, those that are used before those that use them, the top last.
#[derive(Serialize, Deserialize)]
pub(crate) struct Design {
    modules: Vec<Part>,
}

#[derive(Serialize, Deserialize)]
struct Part {
    net: Netlist,
    /// For each instance the module that it is made of.
    inside: Vec<usize>,
}

impl From<Block> for Design {
    fn from(top: Block) -> Design {
        let blocks = top.hierarchy();
        let number = |b: &Block| blocks.iter().position(|o| o.name() == b.name()).unwrap_or(0);
        let part = |block: &Block| {
            let mut net = Netlist::clone(&block.0);
            net.nodes.truncate(net.written_nodes);
            let inside = net.instances.iter().map(|i| number(&i.block)).collect();
            Part { net, inside }
        };
        Design { modules: blocks.iter().map(part).collect() }
    }
}

impl TryFrom<Design> for Block {
    type Error = UseError;

    fn try_from(design: Design) -> Result<Block, UseError> {
        // Each module with the number of nodes it has when opened.
        let mut blocks: Vec<(Block, usize)> = Vec::new();
        for Part { mut net, inside } in design.modules {
            let name = net.name.clone();
            let fault = |what: String| UseError(format!("module `{name}` is no netlist: {what}"));
            if inside.len() != net.instances.len() {
                return Err(fault("its instances and their modules differ in number".into()));
            }
            let mut size = net.nodes.len();
            for (instance, &of) in net.instances.iter_mut().zip(&inside) {
                let (block, nodes) = blocks.get(of).ok_or_else(|| {
                    fault(format!("instance `{}` is of a module that is not there", instance.name))
                })?;
                instance.block = block.clone();
                size = size.saturating_add(*nodes);
            }
            if size > MAX_NODES {
                return Err(fault(format!("it has {size} nodes; at most {MAX_NODES} are taken")));
            }
            verify(&net).map_err(fault)?;
            net.regs.iter_mut().for_each(|reg| reg.next = reg.node);
            let inputs = net.inputs.clone();
            let block = crate::check::finish(net, Vec::new(), &inputs, &[]);
            blocks.push((block.map_err(|e| UseError(e.to_string()))?, size));
        }
        let top = blocks.pop().ok_or_else(|| UseError("a design without a module".into()))?;
        Ok(top.0)
    }
}

/// Refuses with the sentence unless the condition holds.
fn need(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

fn verify(net: &Netlist) -> Result<(), String> {
    names(net)?;
    let words = net.roms.iter().map(|r| r.words.len()).chain(net.rams.iter().map(|r| r.depth));
    need(words.fold(0usize, usize::saturating_add) <= MAX_WORDS, || "too many words".into())?;
    need(net.regs.len() <= MAX_PARTS, || "too many registers".into())?;
    let types = net.nodes.iter().map(|n| n.ty).chain(net.regs.iter().map(|r| r.ty));
    let memories = net.roms.iter().map(|r| r.ty).chain(net.rams.iter().map(|r| r.ty));
    for ty in types.chain(memories) {
        need((1..=MAX_WIDTH).contains(&ty.width), || format!("a type of {} bits", ty.width))?;
    }
    for rom in &net.roms {
        let good = rom.words.len().is_power_of_two() && rom.words.iter().all(|&w| rom.ty.holds(w));
        need(good, || format!("the words of ROM `{}`", rom.name))?;
    }
    for ram in &net.rams {
        let good = ram.depth.is_power_of_two() && ram.depth >= 2;
        need(good, || format!("the words of RAM `{}`", ram.name))?;
    }
    for (id, node) in net.nodes.iter().enumerate() {
        need(operation(net, id, node) == Some(true), || format!("node {id} ({:?})", node.op))?;
    }
    parts(net)?;
    let mut statements = 0;
    for (p, process) in net.processes.iter().enumerate() {
        need(body(net, p, &process.body, &mut statements) == Some(true), || {
            format!("process `{}`", process.name)
        })?;
    }
    need(statements <= MAX_PARTS, || "too many statements".into())
}

/// Every name is one of both languages and stands once.
fn names(net: &Netlist) -> Result<(), String> {
    let mut inner = Draft::default();
    let named = net.nodes.iter().filter_map(|n| n.name.as_ref());
    let all = [&net.name].into_iter().chain(&net.reset).chain(named);
    let all = all.chain(net.outputs.iter().map(|o| &o.name));
    let all = all.chain(net.regs.iter().flat_map(|r| &r.states));
    let all = all.chain(net.roms.iter().map(|r| &r.name)).chain(net.rams.iter().map(|r| &r.name));
    let all = all.chain(net.instances.iter().map(|i| &i.name));
    all.chain(net.processes.iter().map(|p| &p.name)).for_each(|name| inner.claim(name));
    match inner.errors.first() {
        Some(error) => Err(error.what.clone()),
        None => Ok(()),
    }
}

/// True if the node is what its operands make; `None` if it names something that is not there.
fn operation(net: &Netlist, id: NodeId, node: &Node) -> Option<bool> {
    let ty = node.ty;
    let of = |n: &NodeId| net.nodes.get(*n).map(|n| n.ty);
    let address = |n: &NodeId, depth: usize| {
        of(n).map(|t| !t.signed && t.width <= 20 && 1usize << t.width == depth)
    };
    Some(match &node.op {
        Op::Poison | Op::Wire(None) => false,
        Op::Const(value) => ty.holds(*value),
        Op::Input => node.name.is_some() && net.inputs.iter().filter(|n| **n == id).count() == 1,
        Op::Wire(Some(driver)) => of(driver)? == ty,
        Op::Reg(reg) => {
            let reg = net.regs.get(*reg)?;
            reg.node == id && reg.ty == ty && node.name.as_ref() == Some(&reg.name)
        }
        Op::InstanceOutput { instance, port } => {
            let instance = net.instances.get(*instance)?;
            let inside = &instance.block.0;
            let output = inside.outputs.get(*port)?;
            *instance.outputs.get(*port)? == id && inside.nodes[output.node].ty == ty
        }
        Op::Unary(UnaryOp::Not, a) => of(a)? == ty,
        Op::Unary(UnaryOp::Neg, a) => of(a)? == ty && !ty.is_bit(),
        Op::Binary(BinaryOp::Mul, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            let product = Type { width: a.width + b.width, signed: a.signed };
            !a.is_bit() && !b.is_bit() && a.signed == b.signed && ty == product
        }
        Op::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
            of(a)? == ty && of(b)? == ty && !ty.is_bit()
        }
        Op::Binary(op, a, b) if op.compares() => of(a)? == of(b)? && ty == bit(),
        Op::Binary(_, a, b) => of(a)? == ty && of(b)? == ty,
        Op::Mux(c, a, b) => of(c)? == bit() && of(a)? == ty && of(b)? == ty,
        Op::Shift { value, by, .. } => of(value)? == ty && *by < ty.width,
        Op::ShiftBy { value, by, .. } => {
            let by = of(by)?;
            of(value)? == ty && ty.width > 1 && !by.signed && by.width <= 7
        }
        Op::Slice { value, lo } => {
            let whole = of(value)?;
            let fits = lo.checked_add(ty.width).is_some_and(|end| end <= whole.width);
            fits && (ty.signed == whole.signed || ty == bit())
        }
        Op::Concat(parts) => {
            let widths: Option<Vec<u32>> = parts.iter().map(|p| Some(of(p)?.width)).collect();
            let width = widths?.into_iter().fold(0u32, u32::saturating_add);
            parts.len() >= 2 && ty == unsigned(width)
        }
        Op::Extend(a) => {
            let a = of(a)?;
            a.width < ty.width && a.signed == ty.signed
        }
        Op::Cast(a) => {
            let a = of(a)?;
            a.width == ty.width && a.signed != ty.signed
        }
        Op::IsState { reg, node, state } => {
            let reg = net.regs.get(*reg)?;
            reg.node == *node && *state < reg.states.len() && ty == bit()
        }
        Op::RomRead { rom, address: at } => {
            let rom = net.roms.get(*rom)?;
            rom.ty == ty && address(at, rom.words.len())?
        }
        Op::RamRead { ram, address: at } => {
            let ram = net.rams.get(*ram)?;
            ram.ty == ty && address(at, ram.depth)?
        }
    })
}

/// Ports, registers, memories, instances and the list of what was written.
fn parts(net: &Netlist) -> Result<(), String> {
    let of = |n: NodeId| net.nodes.get(n);
    let is_input = |n: &NodeId| of(*n).is_some_and(|n| n.op == Op::Input);
    need(net.inputs.iter().all(is_input), || "its inputs".into())?;
    need(net.outputs.iter().all(|o| of(o.node).is_some()), || "its outputs".into())?;
    let typed = |n: Option<NodeId>, ty: Type| n.is_none_or(|n| of(n).is_some_and(|n| n.ty == ty));
    for (i, reg) in net.regs.iter().enumerate() {
        let itself = of(reg.node).is_some_and(|n| n.op == Op::Reg(i));
        let driven = typed(reg.data, reg.ty) && typed(reg.enable, bit()) && typed(reg.clear, bit());
        let process = reg.process.is_none_or(|p| p < net.processes.len() && reg.data.is_none());
        let states = reg.states.is_empty()
            || reg.init < reg.states.len() as i64 && !reg.ty.signed && reg.data.is_none();
        let begins = reg.ty.holds(reg.init) && (!reg.reset || net.reset.is_some());
        need(itself && driven && process && states && begins, || {
            format!("register `{}`", reg.name)
        })?;
    }
    for ram in &net.rams {
        let Some(write) = &ram.write else { continue };
        let at = unsigned(ram.depth.trailing_zeros());
        let good = typed(Some(write.enable), bit())
            && typed(Some(write.address), at)
            && typed(Some(write.data), ram.ty);
        need(good, || format!("RAM `{}`", ram.name))?;
    }
    for (i, instance) in net.instances.iter().enumerate() {
        let ports = instance.block.inputs();
        let inputs = ports.len() == instance.inputs.len()
            && ports.iter().zip(&instance.inputs).all(|(p, n)| typed(*n, p.ty));
        let outputs = instance.outputs.len() == instance.block.0.outputs.len();
        let is = |(port, n): (usize, &NodeId)| {
            of(*n).is_some_and(|n| n.op == Op::InstanceOutput { instance: i, port })
        };
        let reset = instance.block.reset().is_none() || net.reset.is_some();
        let good = inputs && outputs && reset && instance.outputs.iter().enumerate().all(is);
        need(good, || format!("instance `{}`", instance.name))?;
    }
    let wires = net.nodes.iter().enumerate();
    let wires = wires.filter(|(_, n)| n.name.is_some() && matches!(n.op, Op::Wire(_)));
    let mut all: Vec<Item> = wires.map(|(id, _)| Item::Named(id)).collect();
    all.extend((0..net.regs.len()).map(Item::Reg));
    all.extend((0..net.processes.len()).map(Item::Process));
    all.extend((0..net.instances.len()).map(Item::Instance));
    all.extend((0..net.rams.len()).map(Item::Ram));
    all.extend((0..net.outputs.len()).map(Item::Output));
    let mut listed = net.items.clone();
    all.sort_unstable();
    listed.sort_unstable();
    need(all == listed, || "its list of parts".into())
}

fn body(net: &Netlist, process: usize, list: &[Statement], count: &mut usize) -> Option<bool> {
    for statement in list {
        *count += 1;
        let good = match statement {
            Statement::Assign { reg, value } => {
                let (reg, value) = (net.regs.get(*reg)?, net.nodes.get(*value)?);
                let state = match value.op {
                    Op::Const(state) => (0..reg.states.len() as i64).contains(&state),
                    _ => false,
                };
                let right = reg.states.is_empty() || state;
                reg.process == Some(process) && reg.ty == value.ty && right
            }
            Statement::If { condition, then, otherwise } => {
                net.nodes.get(*condition)?.ty == bit()
                    && body(net, process, then, count)?
                    && body(net, process, otherwise, count)?
            }
            Statement::Case { reg, arms } => {
                let states = net.regs.get(*reg)?.states.len();
                let mut good = true;
                for (state, list) in arms {
                    good &= *state < states && body(net, process, list, count)?;
                }
                good
            }
        };
        if !good {
            return Some(false);
        }
    }
    Some(true)
}
