//! The builder: a [`Module`] under construction, its registers, memories, processes and instances.
//!
//! No method panics on a mistake. It is noted, a faulty signal stands in, and [`Module::build`] reports all
//! mistakes together.

use std::cell::{RefCell, RefMut};
use std::collections::HashMap;
use std::panic::Location;

use crate::error::{BuildError, BuildErrors};
use crate::estimate::Multipliers;
use crate::ir::{
    Block, Instance as InstanceData, Item, Netlist, NodeId, Op, Process, Ram as RamData, RamWrite,
    Register, Rom, Statement,
};
use crate::names;
use crate::signal::{Operand, Sig};
use crate::types::{MAX_WIDTH, Type, bit, unsigned};

/// Longest memory: beyond this no device of our tables could hold it.
const MAX_DEPTH: usize = 1 << 20;

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

/// A register. Reads like the signal of its value; [`Reg::set`] says what it takes at the next edge.
#[derive(Clone, Copy)]
pub struct Reg<'m> {
    pub(crate) q: Sig<'m>,
    pub(crate) index: usize,
}

/// The state register of a small state machine.
#[derive(Clone, Copy)]
pub struct States<'m> {
    reg: Reg<'m>,
}

/// A signal that is declared before it is driven.
#[derive(Clone, Copy)]
pub struct Wire<'m> {
    pub(crate) sig: Sig<'m>,
}

/// A memory with one write port.
#[derive(Clone, Copy)]
pub struct Ram<'m> {
    module: &'m Module,
    index: usize,
}

/// A block placed inside a module.
#[derive(Clone, Copy)]
pub struct Instance<'m> {
    module: &'m Module,
    index: usize,
}

impl Module {
    /// An empty module called `name`, with a clock `clk` that appears as soon as something is clocked.
    pub fn new(name: &str) -> Module {
        let mut inner = Inner::default();
        inner.net.name = name.to_string();
        inner.claim(name);
        inner.net.clock = "clk".into();
        Module { inner: RefCell::new(inner) }
    }

    /// Says what the module does; written above it in VHDL and Verilog. Lines may be separated by newlines.
    #[track_caller]
    pub fn doc(&self, text: &str) {
        self.open().net.doc = text.to_string();
    }

    /// Calls the clock port `name` instead of `clk`.
    #[track_caller]
    pub fn clock(&self, name: &str) {
        self.open().net.clock = name.to_string();
    }

    /// Says where the products of this module are built, whatever is chosen for the rest of the design. VHDL and
    /// Verilog carry it as the attribute `mult_style`.
    #[track_caller]
    pub fn multipliers(&self, style: Multipliers) {
        self.open().net.multipliers = Some(style);
    }

    /// Keeps the module as it is: no tool, and no estimate, lets constants reach into it. VHDL and Verilog carry it
    /// as the attribute `keep_hierarchy`.
    #[track_caller]
    pub fn keep(&self) {
        self.open().net.kept = true;
    }

    /// Gives the module an asynchronous, active-high reset port. Every register made **after** this line is taken
    /// to its initial value by it. Instances with a reset of their own are wired to it.
    #[track_caller]
    pub fn async_reset(&self, name: &str) {
        let mut inner = self.open();
        inner.claim(name);
        inner.net.reset = Some(name.to_string());
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

    /// A signal to be driven later, for values that go round through registers or instances.
    #[track_caller]
    pub fn wire(&self, name: &str, ty: Type) -> Wire<'_> {
        let mut inner = self.open();
        let id = inner.named(Op::Wire(None), ty, name);
        inner.net.items.push(Item::Named(id));
        Wire { sig: self.sig(id) }
    }

    /// A register that starts at 0. It keeps its value until `set` says otherwise: either once outside processes
    /// (then with optional `enable` and `clear`), or any number of times inside one process.
    #[track_caller]
    pub fn reg(&self, name: &str, ty: Type) -> Reg<'_> {
        let mut inner = self.open();
        let index = inner.net.regs.len();
        let node = inner.named(Op::Reg(index), ty, name);
        let reset = inner.net.reset.is_some();
        let ty = inner.net.nodes[node].ty;
        inner.net.regs.push(Register {
            name: name.to_string(),
            node,
            ty,
            init: 0,
            data: None,
            enable: None,
            clear: None,
            reset,
            process: None,
            states: vec![],
            next: node,
        });
        inner.net.items.push(Item::Reg(index));
        Reg { q: self.sig(node), index }
    }

    /// The state of a state machine, beginning with the first of `states`. Drive it inside a process.
    #[track_caller]
    pub fn states(&self, name: &str, states: &[&str]) -> States<'_> {
        let bits = usize::BITS - states.len().saturating_sub(1).leading_zeros();
        let reg = self.reg(name, unsigned(bits.max(1)));
        let mut inner = self.open();
        if states.len() < 2 {
            inner.error(
                format!("state machine `{name}` has fewer than two states"),
                "name its states",
            );
        }
        for state in states {
            inner.claim(state);
        }
        inner.net.regs[reg.index].states = states.iter().map(|s| s.to_string()).collect();
        States { reg }
    }

    /// A clocked process: `body` sets registers, under [`Module::when`] and [`States::case`]. As in VHDL the last
    /// `set` that applies wins, all values are those before the edge, and what is not set keeps its value.
    #[track_caller]
    pub fn process(&self, name: &str, body: impl FnOnce()) {
        let index = {
            let mut inner = self.open();
            if inner.process.is_some() {
                inner.error(
                    format!("process `{name}` begins inside another process"),
                    "close the first one before",
                );
                return;
            }
            inner.claim(name);
            let index = inner.net.processes.len();
            inner.net.processes.push(Process { name: name.to_string(), body: vec![] });
            inner.net.items.push(Item::Process(index));
            inner.process = Some(index);
            index
        };
        let statements = self.scope(body);
        let mut inner = self.open();
        inner.net.processes[index].body = statements;
        inner.process = None;
    }

    fn scope(&self, body: impl FnOnce()) -> Vec<Statement> {
        self.open().scopes.push(vec![]);
        body();
        self.open().scopes.pop().unwrap_or_default()
    }

    /// Inside a process: `then` applies where `condition` (one bit) is 1.
    #[track_caller]
    pub fn when<'m>(&'m self, condition: impl Into<Sig<'m>>, then: impl FnOnce()) {
        self.when_else(condition, then, || {});
    }

    /// Inside a process: `then` where `condition` (one bit) is 1, `otherwise` where it is 0.
    #[track_caller]
    pub fn when_else<'m>(
        &'m self,
        condition: impl Into<Sig<'m>>,
        then: impl FnOnce(),
        otherwise: impl FnOnce(),
    ) {
        let condition = condition.into();
        {
            let mut inner = self.open();
            let what = inner.net.describe(condition.id);
            let ty = inner.net.nodes[condition.id].ty;
            if inner.process.is_none() {
                inner.error(
                    format!("`when` on `{what}` stands outside a process"),
                    "put it inside `process(name, || ..)`, or use `mux`",
                );
            }
            if !ty.is_bit() {
                inner.error(
                    format!("the condition `{what}` is {ty}"),
                    "compare it, for example with `.ne(0)`",
                );
            }
        }
        let then = self.scope(then);
        let otherwise = self.scope(otherwise);
        let mut inner = self.open();
        inner.statement(Statement::If { condition: condition.id, then, otherwise });
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

    /// Registers in a row, `name1` nearest to `input`: what `input` was 1, 2, .. `length` clocks ago.
    #[track_caller]
    pub fn shift_register<'m>(
        &'m self,
        name: &str,
        input: impl Into<Sig<'m>>,
        length: usize,
    ) -> Vec<Sig<'m>> {
        let mut taps: Vec<Sig<'m>> = Vec::with_capacity(length);
        let mut last = input.into();
        for i in 1..=length {
            last = last.reg(&format!("{name}{i}"));
            taps.push(last);
        }
        taps
    }

    /// The same as [`Module::shift_register`], moving only where `enable` is 1.
    #[track_caller]
    pub fn shift_register_if<'m>(
        &'m self,
        name: &str,
        input: impl Into<Sig<'m>>,
        length: usize,
        enable: Sig<'m>,
    ) -> Vec<Sig<'m>> {
        let mut taps: Vec<Sig<'m>> = Vec::with_capacity(length);
        let mut last = input.into();
        for i in 1..=length {
            last = last.reg_if(&format!("{name}{i}"), enable);
            taps.push(last);
        }
        taps
    }

    /// A counter 0, 1, .. `last`, 0, .. that steps where `enable` is 1. As wide as `last` needs.
    #[track_caller]
    pub fn counter<'m>(&'m self, name: &str, last: u32, enable: impl Into<Sig<'m>>) -> Sig<'m> {
        let count = self.reg(name, unsigned((32 - last.leading_zeros()).max(1)));
        let next = if (last as u64 + 1).is_power_of_two() {
            count.q + 1
        } else {
            count.q.eq(i64::from(last)).mux(0, count.q + 1)
        };
        count.enable(enable.into()).set(next);
        count.q
    }

    /// A read-only memory: the word of `words` at `address`, at once. There must be 2^w words for an address of
    /// w bits. Put a register behind it for a clocked one.
    #[track_caller]
    pub fn rom<'m>(
        &'m self,
        name: &str,
        ty: Type,
        words: &[i64],
        address: impl Into<Sig<'m>>,
    ) -> Sig<'m> {
        let address = address.into();
        let mut inner = self.open();
        inner.claim(name);
        inner.width_ok(ty, name);
        for (i, &word) in words.iter().enumerate() {
            if (1..=MAX_WIDTH).contains(&ty.width) && !ty.holds(word) {
                inner.error(
                    format!("word {i} of ROM `{name}` is {word}, which does not fit {ty}"),
                    "widen the ROM or correct the word",
                );
                break;
            }
        }
        let ok = inner.address_ok(name, address.id, words.len());
        let rom = inner.net.roms.len();
        inner.net.roms.push(Rom { name: name.to_string(), ty, words: words.to_vec() });
        let op = if ok { Op::RomRead { rom, address: address.id } } else { Op::Poison };
        self.sig(inner.push(op, ty))
    }

    /// A memory of `depth` words (a power of two), all 0 at power-up.
    #[track_caller]
    pub fn ram(&self, name: &str, depth: usize, ty: Type) -> Ram<'_> {
        let mut inner = self.open();
        inner.claim(name);
        inner.width_ok(ty, name);
        let index = inner.net.rams.len();
        if !depth.is_power_of_two() || !(2..=MAX_DEPTH).contains(&depth) {
            inner.error(
                format!("RAM `{name}` has {depth} words"),
                format!("use a power of two from 2 to {MAX_DEPTH}"),
            );
        }
        inner.net.rams.push(RamData { name: name.to_string(), ty, depth, write: None });
        inner.net.items.push(Item::Ram(index));
        Ram { module: self, index }
    }

    /// Places `block` here under the name `name`. Connect all its inputs; clock and reset are wired by themselves.
    #[track_caller]
    pub fn instance(&self, name: &str, block: &Block) -> Instance<'_> {
        let mut inner = self.open();
        inner.claim(name);
        let index = inner.net.instances.len();
        let outputs = (block.outputs().iter().enumerate())
            .map(|(port, p)| inner.push(Op::InstanceOutput { instance: index, port }, p.ty))
            .collect();
        if block.reset().is_some() && inner.net.reset.is_none() {
            inner.error(
                format!(
                    "instance `{name}` of `{}` needs a reset and this module has none",
                    block.name()
                ),
                "call `async_reset(..)` before",
            );
        }
        let inputs = vec![None; block.0.inputs.len()];
        inner.net.instances.push(InstanceData {
            name: name.to_string(),
            block: block.clone(),
            inputs,
            outputs,
        });
        inner.net.items.push(Item::Instance(index));
        Instance { module: self, index }
    }

    /// Checks everything and returns the finished block, or all mistakes.
    pub fn build(&self) -> Result<Block, BuildErrors> {
        let inner = self.inner.borrow();
        crate::check::finish(
            inner.net.clone(),
            inner.errors.clone(),
            &inner.allowed_unused,
            &inner.places,
        )
    }
}

impl Inner {
    #[track_caller]
    fn address_ok(&mut self, memory: &str, address: NodeId, depth: usize) -> bool {
        let ty = self.net.nodes[address].ty;
        let what = self.net.describe(address);
        if self.is_poison(address) {
            return false;
        }
        if ty.signed || ty.width > 20 || 1usize << ty.width != depth {
            let bits = usize::BITS - depth.saturating_sub(1).leading_zeros();
            self.error(
                format!("`{memory}` has {depth} words but its address `{what}` is {ty}"),
                format!(
                    "address {} words with unsigned({}), or fill the memory up to a power of two",
                    depth.next_power_of_two(),
                    bits.max(1)
                ),
            );
            return false;
        }
        true
    }
}

impl<'m> Reg<'m> {
    /// The register's present value.
    pub fn q(self) -> Sig<'m> {
        self.q
    }

    /// The value at power-up, and after reset or `clear`.
    #[track_caller]
    pub fn init(self, value: i64) -> Reg<'m> {
        let mut inner = self.q.module.open();
        let reg = &mut inner.net.regs[self.index];
        let (name, ty) = (reg.name.clone(), reg.ty);
        reg.init = value;
        if !ty.holds(value) {
            inner.error(
                format!("register `{name}` of {ty} cannot begin at {value}"),
                format!("choose {} to {}", ty.min(), ty.max()),
            );
        }
        drop(inner);
        self
    }

    /// Takes the new value only where `enable` is 1.
    #[track_caller]
    pub fn enable(self, enable: impl Into<Sig<'m>>) -> Reg<'m> {
        self.control("enable", enable.into(), |reg| &mut reg.enable)
    }

    /// Goes back to the initial value at an edge where `clear` is 1, whatever `enable` says.
    #[track_caller]
    pub fn clear(self, clear: impl Into<Sig<'m>>) -> Reg<'m> {
        self.control("clear", clear.into(), |reg| &mut reg.clear)
    }

    #[track_caller]
    fn control(
        self,
        what: &str,
        sig: Sig<'m>,
        slot: fn(&mut Register) -> &mut Option<NodeId>,
    ) -> Reg<'m> {
        let mut inner = self.q.module.open();
        let (ty, signal) = (inner.net.nodes[sig.id].ty, inner.net.describe(sig.id));
        let reg = &mut inner.net.regs[self.index];
        let name = reg.name.clone();
        let before = slot(reg).replace(sig.id);
        if !ty.is_bit() {
            inner.error(
                format!("the {what} `{signal}` of register `{name}` is {ty}"),
                "use one plain bit",
            );
        }
        if before.is_some() {
            inner.error(
                format!("register `{name}` has two {what} signals"),
                "join them with `&` or `|`",
            );
        }
        drop(inner);
        self
    }

    /// Not touched by the module's asynchronous reset (as block RAM outputs and multiplier registers often are).
    #[track_caller]
    pub fn no_reset(self) -> Reg<'m> {
        self.q.module.open().net.regs[self.index].reset = false;
        self
    }

    /// A remark, written beside the declaration.
    #[track_caller]
    pub fn comment(self, text: &str) -> Reg<'m> {
        self.q.comment(text);
        self
    }

    /// What the register takes at the next edge; inside a process, under the conditions around it.
    #[track_caller]
    pub fn set(self, value: impl Operand<'m>) {
        let value = value.like(self.q);
        let module = self.q.module;
        let mut inner = module.open();
        let (name, ty) = (inner.net.regs[self.index].name.clone(), inner.net.regs[self.index].ty);
        let (got, what) = (inner.net.nodes[value.id].ty, inner.net.describe(value.id));
        if got != ty && !inner.is_poison(value.id) {
            inner.error(
                format!("register `{name}` is {ty} but is set to `{what}`, which is {got}"),
                crate::signal::conversion(got, ty),
            );
        }
        let process = inner.process;
        let reg = &mut inner.net.regs[self.index];
        let twice = match process {
            None => reg.data.is_some() || reg.process.is_some(),
            Some(_) => reg.data.is_some() || reg.process.is_some_and(|p| Some(p) != process),
        };
        match process {
            None => reg.data = Some(value.id),
            Some(p) => {
                reg.process = Some(p);
                inner.statement(Statement::Assign { reg: self.index, value: value.id });
            }
        }
        if twice {
            inner.error(
                format!("register `{name}` has two drivers"),
                "set it once outside processes, or only inside one process; choose between values with `mux` or `when`",
            );
        }
    }
}

impl<'m> States<'m> {
    /// 1 while the machine is in the state `name`.
    #[track_caller]
    pub fn is(self, name: &str) -> Sig<'m> {
        let module = self.reg.q.module;
        let id = match self.find(name) {
            Some(state) => {
                let op = Op::IsState { reg: self.reg.index, node: self.reg.q.id, state };
                module.open().push(op, bit())
            }
            None => module.open().push(Op::Poison, bit()),
        };
        Sig { module, id }
    }

    /// Inside a process: goes to the state `name` at the next edge.
    #[track_caller]
    pub fn go(self, name: &str) {
        if let Some(state) = self.find(name) {
            let module = self.reg.q.module;
            if module.inner.borrow().process.is_none() {
                module.open().error(
                    format!("`go(\"{name}\")` stands outside a process"),
                    "put it inside `process(name, || ..)`",
                );
                return;
            }
            self.reg.set(state as i64);
        }
    }

    /// Inside a process: what happens in the state `name`.
    #[track_caller]
    pub fn case(self, name: &str, body: impl FnOnce()) {
        let module = self.reg.q.module;
        let Some(state) = self.find(name) else { return };
        if module.inner.borrow().process.is_none() {
            module.open().error(
                format!("`case(\"{name}\", ..)` stands outside a process"),
                "put it inside `process(name, || ..)`",
            );
            return;
        }
        let statements = module.scope(body);
        let mut inner = module.open();
        let open = inner.scopes.last_mut().and_then(|scope| scope.last_mut());
        if let Some(Statement::Case { reg, arms }) = open
            && *reg == self.reg.index
        {
            let twice = arms.iter().any(|(s, _)| *s == state);
            arms.push((state, statements));
            if twice {
                inner.error(format!("state `{name}` has two cases"), "join them");
            }
        } else {
            inner.statement(Statement::Case {
                reg: self.reg.index,
                arms: vec![(state, statements)],
            });
        }
    }

    #[track_caller]
    fn find(self, name: &str) -> Option<usize> {
        let mut inner = self.reg.q.module.open();
        let reg = &inner.net.regs[self.reg.index];
        let found = reg.states.iter().position(|s| s == name);
        if found.is_none() {
            let (what, fix) = (
                format!("`{}` has no state `{name}`", reg.name),
                format!("its states are {}", reg.states.join(", ")),
            );
            inner.error(what, fix);
        }
        found
    }
}

impl<'m> Wire<'m> {
    /// The signal, to be read anywhere.
    pub fn q(self) -> Sig<'m> {
        self.sig
    }

    /// Connects the signal to its one source.
    #[track_caller]
    pub fn drive(self, value: impl Operand<'m>) {
        let value = value.like(self.sig);
        let mut inner = self.sig.module.open();
        let name = inner.net.describe(self.sig.id);
        let (ty, got) = (inner.net.nodes[self.sig.id].ty, inner.net.nodes[value.id].ty);
        if ty != got && !inner.is_poison(value.id) {
            let what = inner.net.describe(value.id);
            inner.error(
                format!("wire `{name}` is {ty} but is driven by `{what}`, which is {got}"),
                crate::signal::conversion(got, ty),
            );
            return;
        }
        if let Op::Wire(driver @ None) = &mut inner.net.nodes[self.sig.id].op {
            *driver = Some(value.id);
        } else {
            inner.error(
                format!("wire `{name}` has two drivers"),
                "drive it once; choose between values with `mux`",
            );
        }
    }
}

impl<'m> Ram<'m> {
    /// Stores `data` at `address` at each edge where `enable` is 1.
    #[track_caller]
    pub fn write(
        self,
        enable: impl Into<Sig<'m>>,
        address: impl Into<Sig<'m>>,
        data: impl Into<Sig<'m>>,
    ) {
        let (enable, address, data) = (enable.into(), address.into(), data.into());
        let mut inner = self.module.open();
        let (name, ty, depth) = inner.ram(self.index);
        inner.address_ok(&name, address.id, depth);
        let (et, dt) = (inner.net.nodes[enable.id].ty, inner.net.nodes[data.id].ty);
        if !et.is_bit() {
            inner.error(format!("the write enable of RAM `{name}` is {et}"), "use one plain bit");
        }
        if dt != ty && !inner.is_poison(data.id) {
            let what = inner.net.describe(data.id);
            inner.error(
                format!("RAM `{name}` holds {ty} but `{what}` is {dt}"),
                crate::signal::conversion(dt, ty),
            );
        }
        let write = RamWrite { enable: enable.id, address: address.id, data: data.id };
        if inner.net.rams[self.index].write.replace(write).is_some() {
            inner.error(
                format!("RAM `{name}` has two write ports"),
                "write it in one place; choose address and data with `mux`",
            );
        }
    }

    /// The word at `address`, at once (distributed memory).
    #[track_caller]
    pub fn read_async(self, address: impl Into<Sig<'m>>) -> Sig<'m> {
        let address = address.into();
        let mut inner = self.module.open();
        let (name, ty, depth) = inner.ram(self.index);
        let ok = inner.address_ok(&name, address.id, depth);
        let op = if ok { Op::RamRead { ram: self.index, address: address.id } } else { Op::Poison };
        Sig { module: self.module, id: inner.push(op, ty) }
    }

    /// The word at `address` one clock later, in a register called `name` (block memory). An address that is
    /// written at the same edge reads as before the write.
    #[track_caller]
    pub fn read_sync(self, name: &str, address: impl Into<Sig<'m>>) -> Sig<'m> {
        let word = self.read_async(address);
        let ty = word.ty();
        let reg = self.module.reg(name, ty).no_reset();
        reg.set(word);
        reg.q
    }
}

impl Inner {
    #[track_caller]
    fn ram(&self, index: usize) -> (String, Type, usize) {
        let ram = &self.net.rams[index];
        (ram.name.clone(), ram.ty, ram.depth)
    }
}

impl<'m> Instance<'m> {
    /// Connects the input `port` to `value`. Returns itself, so that connections can be chained.
    #[track_caller]
    pub fn connect(self, port: &str, value: impl Into<Sig<'m>>) -> Instance<'m> {
        let value = value.into();
        let mut inner = self.module.open();
        let instance = &inner.net.instances[self.index];
        let ports = instance.block.inputs();
        let (name, block) = (instance.name.clone(), instance.block.name().to_string());
        let Some(at) = ports.iter().position(|p| p.name == port) else {
            let names: Vec<&str> = ports.iter().map(|p| p.name.as_str()).collect();
            inner.error(
                format!("instance `{name}`: block `{block}` has no input `{port}`"),
                format!("its inputs are {}", names.join(", ")),
            );
            return self;
        };
        let (ty, got) = (ports[at].ty, inner.net.nodes[value.id].ty);
        if ty != got && !inner.is_poison(value.id) {
            let what = inner.net.describe(value.id);
            inner.error(
                format!(
                    "instance `{name}`: input `{port}` of `{block}` is {ty} but `{what}` is {got}"
                ),
                crate::signal::conversion(got, ty),
            );
        }
        if inner.net.instances[self.index].inputs[at].replace(value.id).is_some() {
            inner.error(
                format!("instance `{name}`: input `{port}` has two drivers"),
                "connect it once",
            );
        }
        self
    }

    /// The signal of the output `port`.
    #[track_caller]
    pub fn out(self, port: &str) -> Sig<'m> {
        let mut inner = self.module.open();
        let instance = &inner.net.instances[self.index];
        let ports = instance.block.outputs();
        let id = match ports.iter().position(|p| p.name == port) {
            Some(at) => instance.outputs[at],
            None => {
                let names: Vec<&str> = ports.iter().map(|p| p.name.as_str()).collect();
                let what = format!(
                    "instance `{}`: block `{}` has no output `{port}`",
                    instance.name,
                    instance.block.name()
                );
                inner.error(what, format!("its outputs are {}", names.join(", ")));
                inner.push(Op::Poison, bit())
            }
        };
        Sig { module: self.module, id }
    }
}
