//! Registers and signals that are driven later.

use crate::handles::{Module, Reg, Sig, Wire};
use crate::ir::{Item, NodeId, Op, Register, Statement};
use crate::signal::{Operand, conversion};
use crate::types::{Type, unsigned};

impl Module {
    /// A signal to be driven later, for values that go round through registers or instances.
    #[track_caller]
    pub fn wire(&self, name: &str, ty: Type) -> Wire<'_> {
        let mut draft = self.open();
        let id = draft.named(Op::Wire(None), ty, name);
        draft.net.items.push(Item::Named(id));
        Wire { sig: self.sig(id) }
    }

    /// A register that starts at 0. It keeps its value until `set` says otherwise: either once
    /// outside processes (then with optional `enable` and `clear`), or any number of times inside
    /// one process.
    #[track_caller]
    pub fn reg(&self, name: &str, ty: Type) -> Reg<'_> {
        let mut draft = self.open();
        let index = draft.net.regs.len();
        let node = draft.named(Op::Reg(index), ty, name);
        let reset = draft.net.reset.is_some();
        let ty = draft.net.nodes[node].ty;
        draft.net.regs.push(Register {
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
        draft.net.items.push(Item::Reg(index));
        Reg { q: self.sig(node), index }
    }

    /// Registers in a row, `name1` nearest to `input`: what `input` was 1, 2, .. `length` clocks
    /// ago.
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
}

impl<'m> Reg<'m> {
    /// The register's present value.
    pub fn q(self) -> Sig<'m> {
        self.q
    }

    /// The value at power-up, and after reset or `clear`.
    #[track_caller]
    pub fn init(self, value: i64) -> Reg<'m> {
        let mut draft = self.q.module.open();
        let reg = &mut draft.net.regs[self.index];
        let (name, ty) = (reg.name.clone(), reg.ty);
        reg.init = value;
        if !ty.holds(value) {
            draft.error(
                format!("register `{name}` of {ty} cannot begin at {value}"),
                format!("choose {} to {}", ty.min(), ty.max()),
            );
        }
        drop(draft);
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
        let mut draft = self.q.module.open();
        let (ty, signal) = (draft.net.nodes[sig.id].ty, draft.net.describe(sig.id));
        let reg = &mut draft.net.regs[self.index];
        let name = reg.name.clone();
        let before = slot(reg).replace(sig.id);
        if !ty.is_bit() {
            draft.error(
                format!("the {what} `{signal}` of register `{name}` is {ty}"),
                "use one plain bit",
            );
        }
        if before.is_some() {
            draft.error(
                format!("register `{name}` has two {what} signals"),
                "join them with `&` or `|`",
            );
        }
        drop(draft);
        self
    }

    /// Not touched by the module's asynchronous reset (as block RAM outputs and multiplier
    /// registers often are).
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
        let mut draft = module.open();
        let (name, ty) = (draft.net.regs[self.index].name.clone(), draft.net.regs[self.index].ty);
        let (got, what) = (draft.net.nodes[value.id].ty, draft.net.describe(value.id));
        if got != ty && !draft.is_poison(value.id) {
            draft.error(
                format!("register `{name}` is {ty} but is set to `{what}`, which is {got}"),
                conversion(got, ty),
            );
        }
        let process = draft.process;
        let reg = &mut draft.net.regs[self.index];
        let twice = match process {
            None => reg.data.is_some() || reg.process.is_some(),
            Some(_) => reg.data.is_some() || reg.process.is_some_and(|p| Some(p) != process),
        };
        match process {
            None => reg.data = Some(value.id),
            Some(p) => {
                reg.process = Some(p);
                draft.statement(Statement::Assign { reg: self.index, value: value.id });
            }
        }
        if twice {
            draft.error(
                format!("register `{name}` has two drivers"),
                "set it once outside processes, or only inside one process; choose between values \
                 with `mux` or `when`",
            );
        }
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
        let mut draft = self.sig.module.open();
        let name = draft.net.describe(self.sig.id);
        let (ty, got) = (draft.net.nodes[self.sig.id].ty, draft.net.nodes[value.id].ty);
        if ty != got && !draft.is_poison(value.id) {
            let what = draft.net.describe(value.id);
            draft.error(
                format!("wire `{name}` is {ty} but is driven by `{what}`, which is {got}"),
                conversion(got, ty),
            );
            return;
        }
        if let Op::Wire(driver @ None) = &mut draft.net.nodes[self.sig.id].op {
            *driver = Some(value.id);
        } else {
            draft.error(
                format!("wire `{name}` has two drivers"),
                "drive it once; choose between values with `mux`",
            );
        }
    }
}
