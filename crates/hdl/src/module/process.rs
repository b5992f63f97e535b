//! Processes and state machines: registers that are set under conditions.

use crate::handles::{Module, Reg, Sig};
use crate::ir::{Item, Op, Process, Statement};
use crate::types::{bit, unsigned};

/// The state register of a small state machine.
#[derive(Clone, Copy)]
pub struct States<'m> {
    reg: Reg<'m>,
}

impl Module {
    /// The state of a state machine, beginning with the first of `states`. Drive it inside a
    /// process.
    #[track_caller]
    pub fn states(&self, name: &str, states: &[&str]) -> States<'_> {
        let bits = usize::BITS - states.len().saturating_sub(1).leading_zeros();
        let reg = self.reg(name, unsigned(bits.max(1)));
        let mut draft = self.open();
        if states.len() < 2 {
            draft.error(
                format!("state machine `{name}` has fewer than two states"),
                "name its states",
            );
        }
        for state in states {
            draft.claim(state);
        }
        draft.net.regs[reg.index].states = states.iter().map(|s| s.to_string()).collect();
        States { reg }
    }

    /// A clocked process: `body` sets registers, under [`Module::when`] and [`States::case`]. As in
    /// VHDL the last `set` that applies wins, all values are those before the edge, and what is not
    /// set keeps its value.
    #[track_caller]
    pub fn process(&self, name: &str, body: impl FnOnce()) {
        let index = {
            let mut draft = self.open();
            if draft.process.is_some() {
                draft.error(
                    format!("process `{name}` begins inside another process"),
                    "close the first one before",
                );
                return;
            }
            draft.claim(name);
            let index = draft.net.processes.len();
            draft.net.processes.push(Process { name: name.to_string(), body: vec![] });
            draft.net.items.push(Item::Process(index));
            draft.process = Some(index);
            index
        };
        let statements = self.scope(body);
        let mut draft = self.open();
        draft.net.processes[index].body = statements;
        draft.process = None;
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
            let mut draft = self.open();
            let what = draft.net.describe(condition.id);
            let ty = draft.net.nodes[condition.id].ty;
            if draft.process.is_none() {
                draft.error(
                    format!("`when` on `{what}` stands outside a process"),
                    "put it inside `process(name, || ..)`, or use `mux`",
                );
            }
            if !ty.is_bit() {
                draft.error(
                    format!("the condition `{what}` is {ty}"),
                    "compare it, for example with `.ne(0)`",
                );
            }
        }
        let then = self.scope(then);
        let otherwise = self.scope(otherwise);
        let mut draft = self.open();
        draft.statement(Statement::If { condition: condition.id, then, otherwise });
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
            if module.draft.borrow().process.is_none() {
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
        if module.draft.borrow().process.is_none() {
            module.open().error(
                format!("`case(\"{name}\", ..)` stands outside a process"),
                "put it inside `process(name, || ..)`",
            );
            return;
        }
        let statements = module.scope(body);
        let mut draft = module.open();
        let open = draft.scopes.last_mut().and_then(|scope| scope.last_mut());
        if let Some(Statement::Case { reg, arms }) = open
            && *reg == self.reg.index
        {
            let twice = arms.iter().any(|(s, _)| *s == state);
            arms.push((state, statements));
            if twice {
                draft.error(format!("state `{name}` has two cases"), "join them");
            }
        } else {
            draft.statement(Statement::Case {
                reg: self.reg.index,
                arms: vec![(state, statements)],
            });
        }
    }

    #[track_caller]
    fn find(self, name: &str) -> Option<usize> {
        let mut draft = self.reg.q.module.open();
        let reg = &draft.net.regs[self.reg.index];
        let found = reg.states.iter().position(|s| s == name);
        if found.is_none() {
            let (what, fix) = (
                format!("`{}` has no state `{name}`", reg.name),
                format!("its states are {}", reg.states.join(", ")),
            );
            draft.error(what, fix);
        }
        found
    }
}
