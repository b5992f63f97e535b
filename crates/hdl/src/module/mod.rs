//! The builder: a [`Module`] under construction. Its registers, processes, memories and instances
//! have files of their own.
//!
//! No method panics on a mistake. It is noted, a faulty signal stands in, and [`Module::build`]
//! reports all mistakes together.

mod instance;
mod memory;
mod process;
mod register;

pub use instance::Instance;
pub use memory::Ram;
pub use process::States;

use std::cell::{RefCell, RefMut};
use std::collections::HashMap;
use std::panic::Location;

use crate::check;
use crate::draft::Draft;
use crate::error::BuildErrors;
use crate::handles::{Module, Sig};
use crate::ir::{BinaryOp, Block, Item, Netlist, NodeId, Op, Statement};
use crate::types::{MAX_WIDTH, Multipliers, Type, bit, unsigned};

impl Module {
    /// An empty module called `name`, with a clock `clk` that appears as soon as something is
    /// clocked.
    pub fn new(name: &str) -> Module {
        let mut draft = Draft::default();
        draft.net.name = name.to_string();
        draft.claim(name);
        draft.net.clock = "clk".into();
        Module { draft: RefCell::new(draft) }
    }

    /// Says what the module does; written above it in VHDL and Verilog. Lines may be separated by
    /// newlines.
    #[track_caller]
    pub fn doc(&self, text: &str) {
        self.open().net.doc = text.to_string();
    }

    /// Calls the clock port `name` instead of `clk`.
    #[track_caller]
    pub fn clock(&self, name: &str) {
        self.open().net.clock = name.to_string();
    }

    /// Says where the products of this module are built, whatever is chosen for the rest of the
    /// design. VHDL and Verilog carry it as the attribute `mult_style`.
    #[track_caller]
    pub fn multipliers(&self, style: Multipliers) {
        self.open().net.multipliers = Some(style);
    }

    /// Keeps the module as it is: no tool, and no estimate, lets constants reach into it. VHDL and
    /// Verilog carry it as the attribute `keep_hierarchy`.
    #[track_caller]
    pub fn keep(&self) {
        self.open().net.kept = true;
    }

    /// Gives the module an asynchronous, active-high reset port. Every register made **after** this
    /// line is taken to its initial value by it. Instances with a reset of their own are wired to
    /// it.
    #[track_caller]
    pub fn async_reset(&self, name: &str) {
        let mut draft = self.open();
        draft.claim(name);
        draft.net.reset = Some(name.to_string());
    }

    /// Gives the module a synchronous clear: an input that takes **every** register of the module,
    /// made before or after this line, to its initial value at an edge where it is 1. Memories keep
    /// what they hold, and so do the registers of [`Ram::read_sync`]. The module around it sees it
    /// as any other input.
    #[track_caller]
    pub fn sync_clear(&self, name: &str) -> Sig<'_> {
        let sig = self.input(name, bit());
        let mut draft = self.open();
        if draft.clear.replace(sig.id).is_some() {
            draft.error("the module has two clears", "call `sync_clear(..)` once");
        }
        drop(draft);
        sig
    }

    /// The module's insides, and from where they are asked for.
    #[track_caller]
    pub(crate) fn open(&self) -> RefMut<'_, Draft> {
        let mut draft = self.draft.borrow_mut();
        draft.here = Some(Location::caller());
        draft
    }

    fn sig(&self, id: NodeId) -> Sig<'_> {
        Sig { module: self, id }
    }

    /// An input port.
    #[track_caller]
    pub fn input(&self, name: &str, ty: Type) -> Sig<'_> {
        let mut draft = self.open();
        let id = draft.named(Op::Input, ty, name);
        draft.net.inputs.push(id);
        self.sig(id)
    }

    /// An output port that shows `value`.
    #[track_caller]
    pub fn output<'m>(&'m self, name: &str, value: impl Into<Sig<'m>>) {
        let value = value.into();
        let mut draft = self.open();
        draft.claim(name);
        let node = draft.net.outputs.len();
        draft.net.items.push(Item::Output(node));
        draft.net.outputs.push(crate::ir::Output { name: name.to_string(), node: value.id });
    }

    /// A constant of the given type.
    #[track_caller]
    pub fn lit(&self, value: i64, ty: Type) -> Sig<'_> {
        let mut draft = self.open();
        draft.width_ok(ty, &format!("the constant {value}"));
        if (1..=MAX_WIDTH).contains(&ty.width) && !ty.holds(value) {
            draft.error(
                format!(
                    "the constant {value} does not fit {ty}, which holds {} to {}",
                    ty.min(),
                    ty.max()
                ),
                "take a wider type or a smaller constant",
            );
            return self.sig(draft.push(Op::Poison, ty));
        }
        self.sig(draft.push(Op::Const(value), ty))
    }

    /// Parts side by side, the first one on top: an unsigned value as wide as all of them.
    #[track_caller]
    pub fn concat<'m>(&'m self, parts: &[Sig<'m>]) -> Sig<'m> {
        let mut draft = self.open();
        let width: u32 = parts.iter().map(|p| draft.net.nodes[p.id].ty.width).sum();
        if parts.is_empty() || width > MAX_WIDTH {
            draft.error(
                format!("a concatenation of {} parts is {width} bits wide", parts.len()),
                format!("join 1 to {MAX_WIDTH} bits"),
            );
        }
        let id = match parts {
            [one] => return one.as_unsigned_in(&mut draft),
            _ => draft.push(Op::Concat(parts.iter().map(|p| p.id).collect()), unsigned(width)),
        };
        self.sig(id)
    }

    /// Checks everything and returns the finished block, or all mistakes.
    pub fn build(&self) -> Result<Block, BuildErrors> {
        let draft = self.draft.borrow();
        let mut net = draft.net.clone();
        draft.clear.iter().for_each(|&clear| clear_all(&mut net, clear));
        check::finish(net, draft.errors.clone(), &draft.allowed_unused, &draft.places)
    }
}

/// Lets `clear` reach every register that is no memory's output.
fn clear_all(net: &mut Netlist, clear: NodeId) {
    let mut joined: HashMap<NodeId, NodeId> = HashMap::new();
    for r in 0..net.regs.len() {
        let reg = net.regs[r].clone();
        let memory = reg.data.is_some_and(|d| matches!(net.nodes[d].op, Op::RamRead { .. }));
        if let Some(process) = reg.process {
            // The last assignment wins.
            let value = net.push(Op::Const(reg.init), reg.ty);
            let initial = Statement::Assign { reg: r, value };
            match net.processes[process].body.last_mut() {
                Some(Statement::If { condition, then, .. }) if *condition == clear => {
                    then.push(initial);
                }
                _ => net.processes[process].body.push(Statement::If {
                    condition: clear,
                    then: vec![initial],
                    otherwise: vec![],
                }),
            }
        } else if !memory {
            // One node for each clear that there was, so that registers with the same one stay
            // together.
            net.regs[r].clear = Some(match reg.clear {
                None => clear,
                Some(other) => *joined
                    .entry(other)
                    .or_insert_with(|| net.push(Op::Binary(BinaryOp::Or, other, clear), bit())),
            });
        }
    }
}
