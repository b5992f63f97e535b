//! Loops, rolled and unrolled, and what can be known of a loop before it is lowered.

use super::scan::{self, Effects};
use super::value::{Class, Val, class};
use super::{Lower, Res, Target, TargetKind, VarKind};
use crate::bytecode::{NONE, Op};
use crate::hir::{BinOp, Block, Expr, ExprKind};
use crate::source::Span;

/// Iterations of a loop that are unrolled at most.
const MAX_UNROLL: u64 = 16_384;
/// Code size beyond which loops are no longer unrolled.
const MAX_UNROLLED_CODE: usize = 200_000;

/// Parts of a loop statement.
pub(super) struct Loop<'e> {
    pub cond: Option<&'e Expr>,
    pub test_last: bool,
    pub step: Option<&'e Expr>,
    pub body: &'e Block,
    /// Copies of the body for each test.
    pub times: u32,
}

/// A loop that is being written.
#[derive(Clone, Copy)]
pub(super) struct Begun {
    /// Where its lanes wait: those that have left it, and those that go to the next round.
    pub slot: u32,
    top: super::Label,
    pub next: super::Label,
    pub end: super::Label,
    /// In the log of shared results.
    mark: usize,
    /// Its first instruction.
    begin: u32,
    counter: u32,
    /// What is shown for it.
    pub span: Span,
}

impl Lower<'_> {
    pub(super) fn rolled(&mut self, parts: &Loop<'_>) -> Res<()> {
        let mut effects = scan::block(parts.body);
        // What breaks and continues inside belongs to this loop.
        let continues = effects.continues;
        for e in parts.cond.iter().chain(&parts.step) {
            effects.expr(e);
        }
        let changed = self.changed(&effects);
        let begun = self.begin_loop(TargetKind::Loop, &changed)?;
        let Begun { slot, next, end, span, .. } = begun;
        if !parts.test_last {
            self.loop_test(parts.cond, slot, end, &changed)?;
        }
        for _ in 0..parts.times {
            if self.dead {
                break;
            }
            if continues {
                let body = self.emit.cse_mark();
                self.skips.push(next);
                self.block(parts.body)?;
                self.skips.pop();
                self.continue_point(slot, next, end, &changed, body)?;
            } else {
                self.block(parts.body)?;
            }
            if let Some(step) = parts.step
                && !self.dead
            {
                self.discard(step)?;
            }
        }
        if !self.dead && parts.test_last {
            self.emit.span = parts.cond.map_or(span, |c| c.span);
            self.loop_test(parts.cond, slot, end, &changed)?;
        }
        self.end_loop(&begun, parts.cond.map_or(span, |c| c.span), &changed)
    }

    /// The beginning of a loop, where its rounds come back to.
    pub(super) fn begin_loop(&mut self, kind: TargetKind, changed: &[usize]) -> Res<Begun> {
        let span = self.emit.span;
        self.enter_loop(changed)?;
        let slot = self.new_slots(2);
        let (top, next, end) = (self.emit.label(), self.emit.label(), self.emit.label());
        let mark = self.emit.cse_mark();
        let begin = self.emit.insts.len() as u32;
        let counter = self.emit.controls;
        self.emit.control(Op::LoopBegin, slot, NONE, 0, None);
        self.emit.place(top);
        self.around.push((slot, span));
        self.skips.push(end);
        let leaves = changed.to_vec();
        self.frame_mut().targets.push(Target { kind, slot, leaves, exit: None, next: None });
        Ok(Begun { slot, top, next, end, mark, begin, counter, span })
    }

    /// Before a loop: what it changes is brought to where each round finds it.
    fn enter_loop(&mut self, changed: &[usize]) -> Res<()> {
        self.bring_all_home(changed)?;
        for leaf in changed {
            if let Some(home) = self.leaves[*leaf].home {
                let bank = super::bank(&self.leaves[*leaf].ty);
                self.emit.forget_home(bank, home);
            }
        }
        Ok(())
    }

    /// The jump back, for which `jump` is shown, and what is behind it.
    pub(super) fn end_loop(&mut self, begun: &Begun, jump: Span, changed: &[usize]) -> Res<()> {
        if !self.dead {
            self.bring_all_home(changed)?;
            self.emit.span = jump;
            self.emit.control(Op::Jump, 0, NONE, begun.counter, Some(begun.top));
        }
        self.skips.pop();
        self.around.pop();
        self.emit.span = begun.span;
        self.emit.place(begun.end);
        let skip = self.skip();
        self.emit.control(Op::LoopEnd, begun.slot, NONE, 0, Some(skip));
        self.emit.loops.push((begun.begin, self.emit.insts.len() as u32));
        self.emit.forget_since(begun.mark);
        let exit = self.frame_mut().targets.pop().and_then(|t| t.exit);
        self.settle(changed);
        self.dead = exit.is_none();
        if let Some(exit) = exit {
            self.set_assigned(changed, &exit);
        }
        Ok(())
    }

    /// Lanes that said `continue` join those that came to the end of the body, which began at
    /// `body` in the log of shared results.
    pub(super) fn continue_point(
        &mut self,
        slot: u32,
        next: super::Label,
        end: super::Label,
        changed: &[usize],
        body: usize,
    ) -> Res<()> {
        let mut flags = self.frame().targets.last().and_then(|t| t.next.clone());
        if !self.dead {
            self.bring_all_home(changed)?;
            meet(&mut flags, self.leaves.iter().map(|l| l.state.assigned).collect());
        }
        // Lanes that skipped a part of the body do not have its results.
        self.emit.forget_since(body);
        self.emit.place(next);
        self.emit.control(Op::LoopNext, slot + 1, NONE, 0, Some(end));
        self.settle(changed);
        self.dead = flags.is_none();
        if let Some(flags) = flags {
            self.set_assigned(changed, &flags);
        }
        Ok(())
    }

    fn loop_test(
        &mut self,
        cond: Option<&Expr>,
        slot: u32,
        end: super::Label,
        changed: &[usize],
    ) -> Res<()> {
        let Some(cond) = cond else { return Ok(()) };
        self.emit.span = cond.span;
        self.stop_here();
        let reg = self.scalar_reg(cond)?;
        if self.emit.constant_of(crate::bytecode::Bank::A, reg).is_some_and(|v| v != 0) {
            return Ok(());
        }
        let reg = self.bring_home_around(changed, crate::bytecode::Bank::A, reg)?;
        let flags = self.leaves.iter().map(|l| l.state.assigned).collect();
        if let Some(target) = self.frame_mut().targets.last_mut() {
            meet(&mut target.exit, flags);
        }
        self.emit.span = cond.span;
        self.emit.control(Op::LoopTest, slot, reg, 0, Some(end));
        Ok(())
    }

    /// Every iteration written out, the counter being a constant in each.
    pub(super) fn unrolled(&mut self, parts: &Loop<'_>) -> Res<()> {
        let body = scan::block(parts.body);
        let (breaks, continues) = (body.breaks, body.continues);
        if !breaks && !continues {
            while self.known_condition(parts.cond) == Some(true) {
                self.block(parts.body)?;
                if self.dead {
                    return Ok(());
                }
                if let Some(step) = parts.step {
                    self.discard(step)?;
                }
                if self.emit.insts.len() > MAX_UNROLLED_CODE {
                    return self.rolled(parts);
                }
            }
            return match self.known_condition(parts.cond) {
                Some(_) => Ok(()),
                // The body has made the counter unknown: go on as an ordinary loop.
                None => self.rolled(parts),
            };
        }
        let mut effects = body;
        for e in parts.cond.iter().chain(&parts.step) {
            effects.expr(e);
        }
        // Inside, the counter stays known: only what the body changes is brought home where lanes
        // join. Lanes that break take the counter's value with them, so it is brought home there
        // and at the end.
        let changed = self.changed(&scan::block(parts.body));
        let leaving = self.changed(&effects);
        self.bring_all_home(&changed)?;
        let slot = self.new_slots(2);
        let end = self.emit.label();
        let mark = self.emit.cse_mark();
        self.emit.control(Op::LoopBegin, slot, NONE, 0, None);
        self.skips.push(end);
        self.around.push((slot, self.emit.span));
        self.frame_mut().targets.push(Target {
            kind: TargetKind::Loop,
            slot,
            leaves: leaving.clone(),
            exit: None,
            next: None,
        });
        let mut after = None;
        loop {
            match self.known_condition(parts.cond) {
                Some(true) => {}
                Some(false) => break,
                None => {
                    after =
                        Some(self.error(
                            "the trip count of this unrolled loop changes in its body".into(),
                        ));
                    break;
                }
            }
            let next = self.emit.label();
            let entry = self.snapshot();
            let body = self.emit.cse_mark();
            self.skips.push(next);
            self.block(parts.body)?;
            self.skips.pop();
            if continues {
                self.continue_point(slot, next, end, &changed, body)?;
                // What the body does not change is what it was, also where all lanes said
                // `continue`.
                for leaf in leaving.iter().filter(|l| !changed.contains(l)) {
                    self.leaves[*leaf].state = entry.states[*leaf].clone();
                }
                if let Some(target) = self.frame_mut().targets.last_mut() {
                    target.next = None;
                }
            } else {
                self.emit.place(next);
                self.emit.control(Op::LoopNext, slot + 1, NONE, 0, Some(end));
            }
            if self.dead {
                break;
            }
            if let Some(step) = parts.step {
                self.discard(step)?;
            }
        }
        if let Some(stop) = after {
            return Err(stop);
        }
        let mut flags = self.frame_mut().targets.pop().and_then(|t| t.exit);
        if !self.dead {
            self.bring_all_home(&leaving)?;
            meet(&mut flags, self.leaves.iter().map(|l| l.state.assigned).collect());
        }
        self.skips.pop();
        self.around.pop();
        // Lanes that came to the end join those that broke out.
        if !self.dead {
            self.emit.control(Op::Leave, slot, NONE, 0, Some(end));
        }
        self.emit.place(end);
        let skip = self.skip();
        self.emit.control(Op::LoopEnd, slot, NONE, 0, Some(skip));
        self.emit.forget_since(mark);
        self.settle(&leaving);
        self.dead = flags.is_none();
        if let Some(flags) = flags {
            self.set_assigned(&leaving, &flags);
        }
        Ok(())
    }

    fn known_condition(&mut self, cond: Option<&Expr>) -> Option<bool> {
        self.known(cond?).map(|v| v != 0)
    }

    /// Number of iterations, if the loop's own counter decides it and is known.
    pub(super) fn trip_count(&mut self, parts: &Loop<'_>) -> Option<u64> {
        let cond = parts.cond?;
        let mut counters = Effects::default();
        counters.expr(parts.step?);
        let mut body = scan::block(parts.body);
        body.expr(cond);
        let [counter] = counters.assigned.iter().copied().collect::<Vec<_>>()[..] else {
            return None;
        };
        if body.assigned.contains(&counter) || counters.indirect {
            return None;
        }
        // What the condition reads beside the counter must stay as it is.
        if reads(cond).iter().any(|local| body.assigned.contains(local)) {
            return None;
        }
        let var = self.frame().vars[counter.0 as usize]?;
        let VarKind::Leaves(leaf, 1) = self.vars[var].kind else { return None };
        let saved = self.leaves[leaf].state.clone();
        let mut trips = 0;
        let count = loop {
            match self.known(cond) {
                Some(0) => break Some(trips),
                Some(_) if trips < MAX_UNROLL => trips += 1,
                _ => break None,
            }
            let Some(next) = self.stepped(parts.step?, counter) else { break None };
            self.leaves[leaf].state.val = Val::C(next);
        };
        self.leaves[leaf].state = saved;
        count
    }

    /// Value of the counter after one step.
    fn stepped(&mut self, step: &Expr, counter: crate::hir::LocalId) -> Option<u64> {
        let is_counter = |e: &Expr| matches!(e.kind, ExprKind::Local(l) if l == counter);
        match &step.kind {
            ExprKind::IncDec { place, inc, .. } if is_counter(place) => {
                let (Class::I32(_) | Class::I64(_)) = class(&place.ty) else { return None };
                let old = self.known_place(place)?;
                Some(crate::known::wrap(
                    &place.ty,
                    if *inc { old.wrapping_add(1) } else { old.wrapping_sub(1) },
                ))
            }
            ExprKind::AssignOp(op, place, value) if is_counter(place) => {
                let load = Expr {
                    kind: ExprKind::Load(place.clone()),
                    ty: place.ty.clone(),
                    span: step.span,
                };
                if place.ty != value.ty && !matches!(op, BinOp::Shl | BinOp::Shr) {
                    return None;
                }
                let kind = ExprKind::Binary(*op, Box::new(load), value.clone());
                self.known(&Expr { kind, ty: place.ty.clone(), span: step.span })
            }
            ExprKind::Assign(place, value) if is_counter(place) => self.known(value),
            ExprKind::Cast(inner) => self.stepped(inner, counter),
            _ => None,
        }
    }

    fn known_place(&self, place: &Expr) -> Option<u64> {
        let ExprKind::Local(local) = place.kind else { return None };
        let var = self.frame().vars[local.0 as usize]?;
        let VarKind::Leaves(leaf, 1) = self.vars[var].kind else { return None };
        match self.leaves[leaf].state.val {
            Val::C(bits) => Some(bits),
            _ => None,
        }
    }

    /// Value of an expression of integers that can be known without emitting anything: register
    /// bits.
    pub(super) fn known(&self, e: &Expr) -> Option<u64> {
        use crate::known::{known_binary, known_cast, known_cmp, wrap};
        match &e.kind {
            ExprKind::Int(bits) => Some(wrap(&e.ty, *bits)),
            ExprKind::Load(place) => self.known_place(place),
            ExprKind::Cast(x) if e.ty.is_integer() && x.ty.is_integer() => {
                Some(known_cast(&x.ty, &e.ty, self.known(x)?))
            }
            ExprKind::Binary(op, a, b) if e.ty.is_integer() => {
                known_binary(*op, &e.ty, &b.ty, self.known(a)?, self.known(b)?)
            }
            ExprKind::Cmp(op, a, b) if a.ty.is_integer() => {
                Some(u64::from(known_cmp(*op, &a.ty, self.known(a)?, self.known(b)?)))
            }
            ExprKind::And(a, b) => match self.known(a)? {
                0 => Some(0),
                _ => self.known(b),
            },
            ExprKind::Or(a, b) => match self.known(a)? {
                0 => self.known(b),
                _ => Some(1),
            },
            ExprKind::Unary(crate::hir::UnOp::Neg, x) if e.ty.is_integer() => {
                known_binary(BinOp::Sub, &e.ty, &e.ty, 0, self.known(x)?)
            }
            _ => None,
        }
    }
}

/// The variables that a condition reads, as far as [`Lower::known`] can know its value.
fn reads(e: &Expr) -> Vec<crate::hir::LocalId> {
    match &e.kind {
        ExprKind::Local(local) => vec![*local],
        ExprKind::Load(x) | ExprKind::Cast(x) | ExprKind::Unary(_, x) => reads(x),
        ExprKind::Binary(_, a, b)
        | ExprKind::Cmp(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b) => [reads(a), reads(b)].concat(),
        _ => Vec::new(),
    }
}

/// Keeps what holds on both ways.
pub(super) fn meet(known: &mut Option<Vec<bool>>, flags: Vec<bool>) {
    match known {
        None => *known = Some(flags),
        Some(known) => {
            for (k, f) in known.iter_mut().zip(flags) {
                *k &= f;
            }
        }
    }
}
