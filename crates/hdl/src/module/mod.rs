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
pub use register::{Reg, Wire};

use std::cell::{RefCell, RefMut};
use std::collections::HashMap;
use std::panic::Location;

use crate::error::{BuildError, BuildErrors};
use crate::estimate::Multipliers;
use crate::ir::{BinaryOp, Block, Item, Netlist, NodeId, Op, Statement};
use crate::names;
use crate::signal::Sig;
use crate::types::{MAX_WIDTH, Type, bit, unsigned};

/// A module under construction.
pub struct Module {
    pub(crate) inner: RefCell<Inner>,
}

#[derive(Default)]
pub(crate) struct Inner {
    pub(crate) net: Netlist,
    pub(crate) errors: Vec<BuildError>,
    /// Every name taken, in lower case (VHDL does not tell `A` from `a`), with the spelling.
    taken: HashMap<String, String>,
    /// Open scopes of the process being written; empty outside processes.
    scopes: Vec<Vec<Statement>>,
    process: Option<usize>,
    /// The synchronous clear.
    clear: Option<NodeId>,
    pub(crate) allowed_unused: Vec<NodeId>,
    /// The author's line that is being carried out.
    here: Option<&'static Location<'static>>,
    /// For each node the line that made it.
    pub(crate) places: Vec<Option<&'static Location<'static>>>,
}

/// File and line of a place, for people.
pub(crate) fn place(at: Option<&'static Location<'static>>) -> Option<String> {
    at.map(|at| format!("{}:{}", at.file(), at.line()))
}

impl Inner {
    pub(crate) fn error(&mut self, what: impl Into<String>, fix: impl Into<String>) {
        let error = BuildError {
            module: self.net.name.clone(),
            at: place(self.here),
            what: what.into(),
            fix: fix.into(),
        };
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    pub(crate) fn claim(&mut self, name: &str) {
        if let Some((what, fix)) = names::complaint(name) {
            self.error(what, fix);
        }
        if let Some(other) = self.taken.insert(name.to_ascii_lowercase(), name.to_string()) {
            let what = if other == name {
                format!("the name `{name}` is used twice")
            } else {
                format!("`{other}` and `{name}` are the same name in VHDL, which ignores case")
            };
            self.error(what, format!("rename one of them, say `{name}_r` for a register"));
        }
    }

    pub(crate) fn push(&mut self, op: Op, mut ty: Type) -> NodeId {
        if ty.width == 0 || ty.width > MAX_WIDTH {
            ty.width = ty.width.clamp(1, MAX_WIDTH);
            return self.place(Op::Poison, ty);
        }
        let poisoned = op.operands().iter().any(|&n| self.is_poison(n));
        let op = if poisoned && !matches!(op, Op::Wire(_)) { Op::Poison } else { op };
        self.place(op, ty)
    }

    fn place(&mut self, op: Op, ty: Type) -> NodeId {
        self.places.push(self.here);
        self.net.push(op, ty)
    }

    pub(crate) fn is_poison(&self, id: NodeId) -> bool {
        match &self.net.nodes[id].op {
            Op::Poison => true,
            Op::Wire(Some(driver)) => matches!(self.net.nodes[*driver].op, Op::Poison),
            _ => false,
        }
    }

    pub(crate) fn named(&mut self, op: Op, ty: Type, name: &str) -> NodeId {
        self.claim(name);
        self.width_ok(ty, name);
        let id = self.push(op, ty);
        self.net.nodes[id].name = Some(name.to_string());
        id
    }

    fn width_ok(&mut self, ty: Type, name: &str) {
        if ty.width == 0 || ty.width > MAX_WIDTH {
            self.error(
                format!("`{name}` is {} bits wide", ty.width),
                format!("use 1 to {MAX_WIDTH} bits; split wider values into parts"),
            );
        }
    }

    fn statement(&mut self, statement: Statement) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(statement);
        }
    }
}

impl Module {
    /// An empty module called `name`, with a clock `clk` that appears as soon as something is
    /// clocked.
    pub fn new(name: &str) -> Module {
        let mut inner = Inner::default();
        inner.net.name = name.to_string();
        inner.claim(name);
        inner.net.clock = "clk".into();
        Module { inner: RefCell::new(inner) }
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
        let mut inner = self.open();
        inner.claim(name);
        inner.net.reset = Some(name.to_string());
    }

    /// Gives the module a synchronous clear: an input that takes **every** register of the module,
    /// made before or after this line, to its initial value at an edge where it is 1. Memories keep
    /// what they hold, and so do the registers of [`Ram::read_sync`]. The module around it sees it
    /// as any other input.
    #[track_caller]
    pub fn sync_clear(&self, name: &str) -> Sig<'_> {
        let sig = self.input(name, bit());
        let mut inner = self.open();
        if inner.clear.replace(sig.id).is_some() {
            inner.error("the module has two clears", "call `sync_clear(..)` once");
        }
        drop(inner);
        sig
    }

    /// The module's insides, and from where they are asked for.
    #[track_caller]
    pub(crate) fn open(&self) -> RefMut<'_, Inner> {
        let mut inner = self.inner.borrow_mut();
        inner.here = Some(Location::caller());
        inner
    }

    fn sig(&self, id: NodeId) -> Sig<'_> {
        Sig { module: self, id }
    }

    /// An input port.
    #[track_caller]
    pub fn input(&self, name: &str, ty: Type) -> Sig<'_> {
        let mut inner = self.open();
        let id = inner.named(Op::Input, ty, name);
        inner.net.inputs.push(id);
        self.sig(id)
    }

    /// An output port that shows `value`.
    #[track_caller]
    pub fn output<'m>(&'m self, name: &str, value: impl Into<Sig<'m>>) {
        let value = value.into();
        let mut inner = self.open();
        inner.claim(name);
        let node = inner.net.outputs.len();
        inner.net.items.push(Item::Output(node));
        inner.net.outputs.push(crate::ir::Output { name: name.to_string(), node: value.id });
    }

    /// A constant of the given type.
    #[track_caller]
    pub fn lit(&self, value: i64, ty: Type) -> Sig<'_> {
        let mut inner = self.open();
        inner.width_ok(ty, &format!("the constant {value}"));
        if (1..=MAX_WIDTH).contains(&ty.width) && !ty.holds(value) {
            inner.error(
                format!(
                    "the constant {value} does not fit {ty}, which holds {} to {}",
                    ty.min(),
                    ty.max()
                ),
                "take a wider type or a smaller constant",
            );
            return self.sig(inner.push(Op::Poison, ty));
        }
        self.sig(inner.push(Op::Const(value), ty))
    }

    /// Parts side by side, the first one on top: an unsigned value as wide as all of them.
    #[track_caller]
    pub fn concat<'m>(&'m self, parts: &[Sig<'m>]) -> Sig<'m> {
        let mut inner = self.open();
        let width: u32 = parts.iter().map(|p| inner.net.nodes[p.id].ty.width).sum();
        if parts.is_empty() || width > MAX_WIDTH {
            inner.error(
                format!("a concatenation of {} parts is {width} bits wide", parts.len()),
                format!("join 1 to {MAX_WIDTH} bits"),
            );
        }
        let id = match parts {
            [one] => return one.as_unsigned_in(&mut inner),
            _ => inner.push(Op::Concat(parts.iter().map(|p| p.id).collect()), unsigned(width)),
        };
        self.sig(id)
    }

    /// Checks everything and returns the finished block, or all mistakes.
    pub fn build(&self) -> Result<Block, BuildErrors> {
        let inner = self.inner.borrow();
        let mut net = inner.net.clone();
        inner.clear.iter().for_each(|&clear| clear_all(&mut net, clear));
        crate::check::finish(net, inner.errors.clone(), &inner.allowed_unused, &inner.places)
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
