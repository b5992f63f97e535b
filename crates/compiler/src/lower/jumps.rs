//! `goto`: its labels are the end, or the beginning, of statements around it.

use super::loops::{Begun, meet};
use super::scan;
use super::{Lower, Res, Target, TargetKind};
use crate::bytecode::{NONE, Op};
use crate::hir::Block;

impl Lower<'_> {
    /// Statements that a `goto` leaves at their end.
    pub(super) fn labelled(&mut self, label: u32, body: &Block) -> Res<()> {
        let changed = self.changed(&scan::block(body));
        self.bring_all_home(&changed)?;
        let span = self.emit.span;
        let slot = self.new_slots(1);
        let end = self.emit.label();
        let mark = self.emit.cse_mark();
        self.emit.control(Op::FuncBegin, slot, NONE, 0, None);
        self.around.push((slot, span));
        self.skips.push(end);
        let kind = TargetKind::Label(label);
        let leaves = changed.clone();
        self.frame_mut().targets.push(Target { kind, slot, leaves, exit: None, next: None });
        self.block(body)?;
        let mut flags = self.frame_mut().targets.pop().and_then(|t| t.exit);
        if !self.dead {
            self.bring_all_home(&changed)?;
            meet(&mut flags, self.leaves.iter().map(|l| l.state.assigned).collect());
        }
        self.skips.pop();
        self.around.pop();
        self.emit.span = span;
        self.emit.place(end);
        let skip = self.skip();
        self.emit.control(Op::FuncEnd, slot, NONE, 0, Some(skip));
        self.emit.forget_since(mark);
        self.settle(&changed);
        self.dead = flags.is_none();
        if let Some(flags) = flags {
            self.set_assigned(&changed, &flags);
        }
        Ok(())
    }

    /// Statements that a `goto` begins anew: a loop that its end leaves.
    pub(super) fn repeated(&mut self, label: u32, body: &Block) -> Res<()> {
        let changed = self.changed(&scan::block(body));
        let begun = self.begin_loop(TargetKind::Again(label), &changed)?;
        let Begun { slot, next, end, span, .. } = begun;
        let target = self.frame().targets.len() - 1;
        let round = self.emit.cse_mark();
        self.skips.push(next);
        self.block(body)?;
        if !self.dead {
            self.leave(target, false)?;
        }
        self.skips.pop();
        self.continue_point(slot, next, end, &changed, round)?;
        self.end_loop(&begun, span, &changed)
    }
}
