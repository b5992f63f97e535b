//! Statements and control flow.

use super::loops::{Loop, meet};
use super::scan::{self, Effects};
use super::value::{Class, Val, class};
use super::{Leaf, Lower, MAX_INSTS, Res, Return, Snapshot, Target, TargetKind, VarKind};
use crate::bytecode::{Bank, Inst, NONE, Op, Reg, SwitchInfo};
use crate::hir::{Arm, Block, CmpOp, Expr, ExprKind, Stmt, StmtKind, Ty, Unroll};
use crate::order;

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
        if stmt.stops() {
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
                // Of a union the first member gets a value.
                let init = match &init.kind {
                    ExprKind::Aggregate(parts) if self.is_words(&init.ty) && parts.len() == 1 => {
                        &parts[0]
                    }
                    _ => init,
                };
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
                if let Some(known) = self.emit.constant_of(Bank::A, reg) {
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
                    && !self.debug
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
                let targets = &self.frame().targets;
                let loop_or_switch =
                    |t: &Target| matches!(t.kind, TargetKind::Loop | TargetKind::Switch);
                let target = targets.iter().rposition(loop_or_switch).unwrap_or(0);
                self.leave(target, false)
            }
            StmtKind::Continue => {
                let targets = &self.frame().targets;
                let target = targets.iter().rposition(|t| t.kind == TargetKind::Loop).unwrap_or(0);
                self.leave(target, true)
            }
            StmtKind::Return(value) => self.ret(value.as_ref()),
            StmtKind::Labelled { label, again: false, body } => self.labelled(*label, body),
            StmtKind::Labelled { label, body, .. } => self.repeated(*label, body),
            StmtKind::Goto(label) => {
                let kinds = [TargetKind::Label(*label), TargetKind::Again(*label)];
                let targets = &self.frame().targets;
                let target = targets.iter().rposition(|t| kinds.contains(&t.kind)).unwrap_or(0);
                self.leave(target, targets[target].kind == kinds[1])
            }
        }
    }

    pub(super) fn init_op(&mut self, op: Op, slot: u32, name: u32) {
        self.emit.push(Inst { op, d: slot, a: NONE, b: NONE, c: name, imm: 0 });
    }

    /// Lanes that leave take their values home. For all others, who come to what follows by another
    /// way, the values are where they were.
    pub(super) fn leave(&mut self, target: usize, next: bool) -> Res<()> {
        let others = self.snapshot();
        let leaves = self.frame().targets[target].leaves.clone();
        self.bring_all_home(&leaves)?;
        let flags: Vec<bool> = self.leaves.iter().map(|l| l.state.assigned).collect();
        let target = &mut self.frame_mut().targets[target];
        meet(if next { &mut target.next } else { &mut target.exit }, flags);
        let slot = target.slot + u32::from(next);
        let skip = self.skip();
        self.emit.control(Op::Leave, slot, NONE, 0, Some(skip));
        self.restore(&others);
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
                // As in `leave`.
                let others = self.snapshot();
                // All first, so that a result which is two components at once is seen to be so.
                for (leaf, value) in leaves.iter().zip(values) {
                    self.set_leaf(*leaf, value)?;
                }
                self.bring_all_home(&leaves)?;
                self.bring_all_home(&outer)?;
                let skip = self.skip();
                self.emit.control(Op::Leave, slot, NONE, 0, Some(skip));
                self.restore(&others);
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
        let cond = self.bring_home_around(changed, Bank::A, cond)?;
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
    pub(super) fn settle(&mut self, changed: &[usize]) {
        for leaf in changed {
            at_home(&mut self.leaves[*leaf]);
        }
    }

    pub(super) fn set_assigned(&mut self, changed: &[usize], flags: &[bool]) {
        for leaf in changed {
            self.leaves[*leaf].state.assigned = flags[*leaf];
        }
    }

    fn switch(&mut self, value: &Expr, arms: &[Arm]) -> Res<()> {
        let span = self.emit.span;
        let reg = self.scalar_reg(value)?;
        let mut effects = Effects::default();
        arms.iter().for_each(|a| effects.block(&a.body));
        let changed = self.changed(&effects);
        let wide = matches!(class(&value.ty), Class::I64(_));
        let bank = if wide { Bank::B } else { Bank::A };
        let reg = self.bring_home_around(&changed, bank, reg)?;
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
        order::sort(&mut table.labels);
        let has_default = table.default.is_some();
        let info = self.switches.len() as u32;
        self.switches.push(table);
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
            kind: TargetKind::Switch,
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
}

fn at_home(leaf: &mut Leaf) {
    if let Some(home) = leaf.home {
        leaf.state.val = Val::R(home);
    }
}

/// Swapped comparison, for operands the other way round.
pub(super) fn mirrored(op: CmpOp) -> (CmpOp, bool) {
    match op {
        CmpOp::Gt => (CmpOp::Lt, true),
        CmpOp::Ge => (CmpOp::Le, true),
        other => (other, false),
    }
}
