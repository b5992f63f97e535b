//! Statements and control flow.

use super::scan::{self, Effects};
use super::value::{Class, Val, class};
use super::{Leaf, Lower, MAX_INSTS, Res, Return, Snapshot, Target, VarKind};
use crate::bytecode::{Inst, NONE, Op, Reg, SwitchInfo};
use crate::hir::{Arm, BinOp, Block, CmpOp, Expr, ExprKind, Stmt, StmtKind, Ty, Unroll};

/// Iterations of a loop that are unrolled at most.
const MAX_UNROLL: u64 = 16_384;
/// Code size beyond which loops are no longer unrolled.
const MAX_UNROLLED_CODE: usize = 200_000;

impl Lower<'_> {
    pub(super) fn block(&mut self, block: &Block) -> Res<()> {
        for stmt in block {
            if self.dead {
                break;
            }
            self.stmt(stmt)?;
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Res<()> {
        self.emit.span = stmt.span;
        if self.emit.insts.len() > MAX_INSTS {
            let kernel = &self.module.functions[self.kernel.0 as usize].name;
            let here = &self.module.functions[self.frame().func.0 as usize].name;
            return Err(self.error(format!(
                "`{kernel}` grows beyond {MAX_INSTS} instructions while `{here}` is expanded: \
                 unroll less or call fewer functions"
            )));
        }
        if !matches!(stmt.kind, StmtKind::Block(_)) {
            self.stop_here();
        }
        match &stmt.kind {
            StmtKind::Expr(e) => self.discard(e),
            StmtKind::Let(local, init) => {
                let var = self.declare(*local)?;
                if let VarKind::Leaves(first, count) = self.vars[var].kind {
                    for leaf in &mut self.leaves[first..first + count] {
                        leaf.state.val = Val::Undef;
                        leaf.state.assigned = false;
                    }
                    for leaf in first..first + count {
                        if let Some(slot) = self.leaves[leaf].slot {
                            self.init_op(Op::InitClear, slot, 0);
                        }
                    }
                }
                let Some(init) = init else { return Ok(()) };
                let values = self.values(init)?;
                let place = self.var_place(var, init.ty.clone());
                self.emit.span = stmt.span;
                self.store(&place, &init.ty, values)
            }
            StmtKind::Block(b) => self.block(b),
            StmtKind::If { cond, then, els } => {
                if let Some(known) = self.known(cond) {
                    return self.block(if known != 0 { then } else { els });
                }
                let reg = self.scalar_reg(cond)?;
                if let Some(known) = self.emit.constant_of(crate::bytecode::Bank::A, reg) {
                    return self.block(if known != 0 { then } else { els });
                }
                let mut effects = scan::block(then);
                effects.block(els);
                let changed = self.changed(&effects);
                self.emit.span = cond.span;
                let has_else = !els.is_empty();
                self.branch(reg, &changed, has_else, |s| s.block(then), |s| s.block(els))
            }
            StmtKind::Loop { cond, test_last, step, body, unroll } => {
                let parts = Loop {
                    cond: cond.as_ref(),
                    test_last: *test_last,
                    step: step.as_ref(),
                    body,
                    times: 1,
                };
                let wanted = match unroll {
                    Unroll::Full => true,
                    Unroll::By(n) => *n > 1,
                    Unroll::None => false,
                };
                if wanted
                    && !test_last
                    && let Some(trips) = self.trip_count(&parts)
                {
                    return match unroll {
                        Unroll::By(n) if u64::from(*n) < trips => {
                            let times = if trips % u64::from(*n) == 0 { *n } else { 1 };
                            self.rolled(&Loop { times, ..parts })
                        }
                        _ => self.unrolled(&parts),
                    };
                }
                self.rolled(&parts)
            }
            StmtKind::Switch { value, arms } => self.switch(value, arms),
            StmtKind::Break => {
                let target = self.frame().targets.len() - 1;
                self.leave(target, false)
            }
            StmtKind::Continue => {
                let targets = &self.frame().targets;
                let target = targets.iter().rposition(|t| t.is_loop).unwrap_or(0);
                self.leave(target, true)
            }
            StmtKind::Return(value) => self.ret(value.as_ref()),
        }
    }

    pub(super) fn init_op(&mut self, op: Op, slot: u32, name: u32) {
        self.emit.push(Inst { op, d: slot, a: NONE, b: NONE, c: name, imm: 0 });
    }

    fn leave(&mut self, target: usize, next: bool) -> Res<()> {
        let leaves = self.frame().targets[target].leaves.clone();
        self.bring_all_home(&leaves)?;
        let flags: Vec<bool> = self.leaves.iter().map(|l| l.state.assigned).collect();
        let target = &mut self.frame_mut().targets[target];
        meet(if next { &mut target.next } else { &mut target.exit }, flags);
        let slot = target.slot + u32::from(next);
        let skip = self.skip();
        self.emit.control(Op::Leave, slot, NONE, 0, Some(skip));
        self.dead = true;
        Ok(())
    }

    fn ret(&mut self, value: Option<&Expr>) -> Res<()> {
        let values = match value {
            Some(e) if e.ty != Ty::Void => self.values(e)?,
            Some(e) => {
                self.discard(e)?;
                Vec::new()
            }
            None => Vec::new(),
        };
        match &mut self.frame_mut().ret {
            Return::Kernel => {
                let skip = self.skip();
                self.emit.control(Op::Exit, 0, NONE, 0, Some(skip));
                self.dead = true;
            }
            Return::Value(slot) => *slot = values,
            Return::Slot { slot, leaves, outer } => {
                let (slot, leaves, outer) = (*slot, leaves.clone(), outer.clone());
                for (leaf, value) in leaves.iter().zip(values) {
                    self.set_leaf(*leaf, value)?;
                    self.bring_home(*leaf)?;
                }
                self.bring_all_home(&outer)?;
                let skip = self.skip();
                self.emit.control(Op::Leave, slot, NONE, 0, Some(skip));
                self.dead = true;
            }
        }
        Ok(())
    }

    /// Two-way branch on `cond`. `changed`: leaves that either side may assign.
    pub(super) fn branch(
        &mut self,
        cond: Reg,
        changed: &[usize],
        has_else: bool,
        then: impl FnOnce(&mut Self) -> Res<()>,
        els: impl FnOnce(&mut Self) -> Res<()>,
    ) -> Res<()> {
        self.bring_all_home(changed)?;
        let slot = self.new_slots(1);
        let (other, end) = (self.emit.label(), self.emit.label());
        self.emit.control(Op::If, slot, cond, 0, Some(if has_else { other } else { end }));
        self.around.push((slot, self.emit.span));
        let before = self.snapshot();
        let mark = self.emit.cse_mark();

        self.skips.push(if has_else { other } else { end });
        then(self)?;
        if !self.dead {
            self.bring_all_home(changed)?;
        }
        self.skips.pop();
        let after_then = self.snapshot();
        self.emit.forget_since(mark);
        self.restore(&before);

        if has_else {
            self.emit.place(other);
            self.emit.control(Op::Else, slot, NONE, 0, Some(end));
            self.skips.push(end);
            els(self)?;
            if !self.dead {
                self.bring_all_home(changed)?;
            }
            self.skips.pop();
            self.emit.forget_since(mark);
        }
        self.around.pop();
        self.emit.place(end);
        let skip = self.skip();
        self.emit.control(Op::EndIf, slot, NONE, 0, Some(skip));
        self.merge(&after_then, changed);
        Ok(())
    }

    /// Joins the state at the end of one side with the current one.
    fn merge(&mut self, other: &Snapshot, changed: &[usize]) {
        match (self.dead, other.dead) {
            (false, true) => return,
            (true, _) => {
                let dead = other.dead;
                self.restore(other);
                self.dead = dead;
                return;
            }
            (false, false) => {}
        }
        for leaf in changed {
            let mine = &mut self.leaves[*leaf];
            let theirs = &other.states[*leaf];
            mine.state.assigned &= theirs.assigned;
            at_home(mine);
        }
    }

    /// After a join: the value is in the home register.
    fn settle(&mut self, changed: &[usize]) {
        for leaf in changed {
            at_home(&mut self.leaves[*leaf]);
        }
    }

    fn set_assigned(&mut self, changed: &[usize], flags: &[bool]) {
        for leaf in changed {
            self.leaves[*leaf].state.assigned = flags[*leaf];
        }
    }

    fn rolled(&mut self, parts: &Loop<'_>) -> Res<()> {
        let mut effects = scan::block(parts.body);
        // What breaks and continues inside belongs to this loop.
        let continues = effects.continues;
        for e in parts.cond.iter().chain(&parts.step) {
            effects.expr(e);
        }
        let changed = self.changed(&effects);
        let span = self.emit.span;
        self.bring_all_home(&changed)?;
        for leaf in &changed {
            if let Some(home) = self.leaves[*leaf].home {
                let bank = super::bank(&self.leaves[*leaf].ty);
                self.emit.forget_home(bank, home);
            }
        }
        let entry: Vec<bool> = self.leaves.iter().map(|l| l.state.assigned).collect();
        let slot = self.new_slots(2);
        let (top, next, end) = (self.emit.label(), self.emit.label(), self.emit.label());
        let mark = self.emit.cse_mark();
        let begin = self.emit.insts.len() as u32;
        let counter = self.emit.controls;
        self.emit.control(Op::LoopBegin, slot, NONE, 0, None);
        self.emit.place(top);
        self.around.push((slot, span));
        self.skips.push(end);
        self.frame_mut().targets.push(Target {
            is_loop: true,
            slot,
            leaves: changed.clone(),
            exit: None,
            next: None,
        });
        if !parts.test_last {
            self.loop_test(parts.cond, slot, end, &changed)?;
        }
        for _ in 0..parts.times {
            if self.dead {
                break;
            }
            if continues {
                self.skips.push(next);
                self.block(parts.body)?;
                self.skips.pop();
                self.continue_point(slot, next, end, &changed)?;
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
        if !self.dead {
            self.bring_all_home(&changed)?;
            self.emit.span = parts.cond.map_or(span, |c| c.span);
            self.emit.control(Op::Jump, 0, NONE, counter, Some(top));
        }
        self.skips.pop();
        self.around.pop();
        self.emit.span = span;
        self.emit.place(end);
        let skip = self.skip();
        self.emit.control(Op::LoopEnd, slot, NONE, 0, Some(skip));
        self.emit.loops.push((begin, self.emit.insts.len() as u32));
        self.emit.forget_since(mark);
        let target = self.frame_mut().targets.pop();
        self.settle(&changed);
        let exit = target.and_then(|t| t.exit);
        self.dead = exit.is_none();
        self.set_assigned(&changed, &exit.unwrap_or(entry));
        Ok(())
    }

    /// Lanes that said `continue` join those that came to the end of the body.
    fn continue_point(
        &mut self,
        slot: u32,
        next: super::Label,
        end: super::Label,
        changed: &[usize],
    ) -> Res<()> {
        let mut flags = self.frame().targets.last().and_then(|t| t.next.clone());
        if !self.dead {
            self.bring_all_home(changed)?;
            meet(&mut flags, self.leaves.iter().map(|l| l.state.assigned).collect());
        }
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
        self.bring_all_home(changed)?;
        let flags = self.leaves.iter().map(|l| l.state.assigned).collect();
        if let Some(target) = self.frame_mut().targets.last_mut() {
            meet(&mut target.exit, flags);
        }
        self.emit.span = cond.span;
        self.emit.control(Op::LoopTest, slot, reg, 0, Some(end));
        Ok(())
    }

    /// Every iteration written out, the counter being a constant in each.
    fn unrolled(&mut self, parts: &Loop<'_>) -> Res<()> {
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
        // Inside, the counter stays known: only what the body changes is brought home where lanes join. Lanes that
        // break take the counter's value with them, so it is brought home there and at the end.
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
            is_loop: true,
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
            self.skips.push(next);
            self.block(parts.body)?;
            self.skips.pop();
            if continues {
                self.continue_point(slot, next, end, &changed)?;
                // What the body does not change is what it was, also where all lanes said `continue`.
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
    fn trip_count(&mut self, parts: &Loop<'_>) -> Option<u64> {
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
                Some(crate::exec::alu::wrap(
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

    /// Value of an expression of integers that can be known without emitting anything: register bits.
    pub(super) fn known(&self, e: &Expr) -> Option<u64> {
        use crate::exec::alu::{known_binary, known_cast, known_cmp, wrap};
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

    fn switch(&mut self, value: &Expr, arms: &[Arm]) -> Res<()> {
        let span = self.emit.span;
        let reg = self.scalar_reg(value)?;
        let mut effects = Effects::default();
        arms.iter().for_each(|a| effects.block(&a.body));
        let changed = self.changed(&effects);
        self.bring_all_home(&changed)?;
        let entry: Vec<bool> = self.leaves.iter().map(|l| l.state.assigned).collect();
        let slot = self.new_slots(1 + arms.len() as u32);
        let mut labels: Vec<_> = arms.iter().map(|_| self.emit.label()).collect();
        labels.push(self.emit.label());

        let mut table = SwitchInfo { labels: Vec::new(), default: None, arms: arms.len() as u32 };
        for (index, arm) in arms.iter().enumerate() {
            table.labels.extend(arm.labels.iter().map(|l| (*l, index as u32)));
            if arm.is_default {
                table.default = Some(index as u32);
            }
        }
        table.labels.sort_unstable();
        let has_default = table.default.is_some();
        let info = self.switches.len() as u32;
        self.switches.push(table);
        let wide = matches!(class(&value.ty), Class::I64(_));
        // A signed 32-bit value is widened with its sign, an unsigned one without.
        let op = if wide { Op::SwitchL } else { Op::Switch };
        let target = Some(labels[0]);
        self.emit.span = span;
        self.emit.control(op, slot, reg, info, target);
        if let Some(inst) = self.emit.insts.last_mut()
            && matches!(class(&value.ty), Class::I32(false))
        {
            // Marks the value as unsigned; the target is always the next instruction.
            inst.imm = -2;
        }
        self.around.push((slot, span));
        self.frame_mut().targets.push(Target {
            is_loop: false,
            slot,
            leaves: changed.clone(),
            exit: (!has_default).then(|| entry.clone()),
            next: None,
        });
        let mark = self.emit.cse_mark();
        self.dead = true;
        for (index, arm) in arms.iter().enumerate() {
            let mut flags = Some(entry.clone());
            if !self.dead {
                self.bring_all_home(&changed)?;
                meet(&mut flags, self.leaves.iter().map(|l| l.state.assigned).collect());
            }
            self.emit.forget_since(mark);
            self.emit.place(labels[index]);
            self.emit.control(Op::Arm, slot + 1 + index as u32, NONE, 0, Some(labels[index + 1]));
            self.settle(&changed);
            self.dead = false;
            self.set_assigned(&changed, &flags.unwrap_or_default());
            self.skips.push(labels[index + 1]);
            self.block(&arm.body)?;
            self.skips.pop();
        }
        let mut exit = self.frame_mut().targets.pop().and_then(|t| t.exit);
        if !self.dead {
            self.bring_all_home(&changed)?;
            meet(&mut exit, self.leaves.iter().map(|l| l.state.assigned).collect());
        }
        self.emit.forget_since(mark);
        self.around.pop();
        self.emit.place(labels[arms.len()]);
        let skip = self.skip();
        self.emit.control(Op::EndIf, slot, NONE, 0, Some(skip));
        self.settle(&changed);
        self.dead = exit.is_none();
        if let Some(flags) = exit {
            self.set_assigned(&changed, &flags);
        }
        Ok(())
    }

    /// Inlines a call. The result is the value's scalars.
    pub(super) fn inline(
        &mut self,
        func: crate::hir::FuncId,
        args: Vec<(Ty, Vec<Val>)>,
    ) -> Res<Vec<Val>> {
        let function = &self.module.functions[func.0 as usize];
        if self.frames.len() >= super::MAX_DEPTH {
            return Err(self.error(format!("calls are nested too deep at `{}`", function.name)));
        }
        let span = self.emit.span;
        self.inlined += 1;
        if self.inlined > super::MAX_CALLS {
            let kernel = &self.module.functions[self.kernel.0 as usize].name;
            return Err(self.error(format!(
                "`{kernel}` expands more than {} calls, the last one of `{}`: call fewer functions",
                super::MAX_CALLS,
                function.name
            )));
        }
        let mut effects = scan::block(&function.body);
        effects.assigned.clear();
        let outer = self.changed(&effects);
        let (vars, leaves) = (self.vars.len(), self.leaves.len());
        let plain = scan::single_return(&function.body);
        let ret = if plain {
            Return::Value(Vec::new())
        } else {
            let types = match super::flatten(self.module, &function.ret, super::MAX_LEAVES) {
                Some(parts) => parts.into_iter().map(|(ty, _)| ty).collect(),
                None => return Err(self.error("a union cannot be returned by value".into())),
            };
            let var = self.new_leaves(func, None, types);
            let VarKind::Leaves(first, count) = self.vars[var].kind else {
                return Err(self.error("no register for a result".into()));
            };
            let slot = self.new_slots(1);
            let leaves = (first..first + count).collect();
            Return::Slot { slot, leaves, outer: outer.clone() }
        };
        self.frames.push(super::Frame {
            func,
            vars: vec![None; function.locals.len()],
            ret,
            targets: Vec::new(),
        });
        for (index, (ty, values)) in args.into_iter().enumerate() {
            let var = self.declare(crate::hir::LocalId(index as u32))?;
            let place = self.var_place(var, ty.clone());
            self.store(&place, &ty, values)?;
        }
        let result = if plain {
            self.block(&function.body)?;
            match self.frames.pop().map(|f| f.ret) {
                Some(Return::Value(values)) => values,
                _ => Vec::new(),
            }
        } else {
            self.inline_with_returns(function, &outer)?
        };
        let result = if result.is_empty() && function.ret != Ty::Void {
            vec![Val::Undef; super::value::leaf_count(self.module, &function.ret)]
        } else {
            result
        };
        // The callee's variables are gone; their homes stay reserved, and values made from them must not refer to
        // them for longer than the caller needs.
        let types = super::flatten(self.module, &function.ret, super::MAX_LEAVES);
        let mut frozen = Vec::new();
        for (value, (ty, _)) in result.into_iter().zip(types.unwrap_or_default()) {
            if let Val::Place(range) = &value
                && range.var >= vars
            {
                return Err(self.needs_memory(range.var));
            }
            frozen.push(self.freeze(value, &ty)?);
        }
        self.vars.truncate(vars);
        self.leaves.truncate(leaves);
        self.emit.span = span;
        Ok(frozen)
    }

    fn inline_with_returns(
        &mut self,
        function: &crate::hir::Function,
        outer: &[usize],
    ) -> Res<Vec<Val>> {
        self.bring_all_home(outer)?;
        let Return::Slot { slot, leaves, .. } = &self.frame().ret else { return Ok(Vec::new()) };
        let (slot, results) = (*slot, leaves.clone());
        let end = self.emit.label();
        let mark = self.emit.cse_mark();
        let before: Vec<bool> = self.leaves.iter().map(|l| l.state.assigned).collect();
        self.emit.control(Op::FuncBegin, slot, NONE, 0, None);
        self.around.push((slot, function.span));
        self.skips.push(end);
        self.block(&function.body)?;
        if !self.dead {
            self.bring_all_home(outer)?;
        }
        self.skips.pop();
        self.around.pop();
        self.emit.place(end);
        let skip = self.skip();
        self.emit.control(Op::FuncEnd, slot, NONE, 0, Some(skip));
        self.emit.forget_since(mark);
        self.dead = false;
        self.settle(outer);
        self.set_assigned(outer, &before);
        self.settle(&results);
        let values = results.iter().map(|l| self.leaves[*l].state.val.clone()).collect();
        self.frames.pop();
        Ok(values)
    }
}

fn at_home(leaf: &mut Leaf) {
    if let Some(home) = leaf.home {
        leaf.state.val = Val::R(home);
    }
}

/// Keeps what holds on both ways.
fn meet(known: &mut Option<Vec<bool>>, flags: Vec<bool>) {
    match known {
        None => *known = Some(flags),
        Some(known) => {
            for (k, f) in known.iter_mut().zip(flags) {
                *k &= f;
            }
        }
    }
}

/// Parts of a loop statement.
struct Loop<'e> {
    cond: Option<&'e Expr>,
    test_last: bool,
    step: Option<&'e Expr>,
    body: &'e Block,
    /// Copies of the body for each test.
    times: u32,
}

/// Swapped comparison, for operands the other way round.
pub(super) fn mirrored(op: CmpOp) -> (CmpOp, bool) {
    match op {
        CmpOp::Gt => (CmpOp::Lt, true),
        CmpOp::Ge => (CmpOp::Le, true),
        other => (other, false),
    }
}
