//! Calls of functions that call themselves.

use super::block::{SHARED_POISON, Worker};
use super::halt::Halt;
use super::warp::{Call, Warp};
use crate::bytecode::{Bank, Inst, LOCAL_BASE};
use crate::fault::FaultKind;

/// Calls within calls: a GPU's stack of 1 KiB, unless the host asks for more, holds fewer.
const MAX_CALLS: usize = 1000;

impl Worker<'_> {
    /// Before the first instruction of a routine: all of the warp's state is kept.
    pub(super) fn enter(
        &mut self,
        warp: &mut Warp,
        inst: &Inst,
        pc: usize,
    ) -> Result<(), Box<Halt>> {
        let code = self.world.code;
        let routine = &code.routines[inst.c as usize];
        if warp.calls.len() >= MAX_CALLS {
            warp.pc = pc;
            let lane = warp.mask.trailing_zeros().min(31);
            let message = format!(
                "{} calls `{}` where {MAX_CALLS} such calls are open: does the recursion ever end?",
                self.who(warp.index, lane),
                routine.name
            );
            let span = code.spans[pc];
            return Err(self.raise(
                warp,
                FaultKind::StepLimit,
                warp.mask,
                span,
                "calls here",
                message,
            ));
        }
        let words = warp.local.len();
        warp.calls.push(Call {
            pc,
            mask: warp.mask,
            regs: warp.regs.clone(),
            slots: warp.slots.clone(),
            marks: warp.marks.clone(),
            words,
        });
        let wanted = words.next_multiple_of(4) + routine.frame as usize / 4;
        warp.local.resize(wanted, [SHARED_POISON; 32]);
        warp.local_init.resize(wanted, [0; 32]);
        Ok(())
    }

    /// Goes back: all is as it was, but for the results. Gives the place of the call.
    pub(super) fn leave(&mut self, warp: &mut Warp) -> Option<usize> {
        let mut call = warp.calls.pop()?;
        let routine = &self.world.code.routines[self.world.code.insts[call.pc].c as usize];
        for (bank, reg) in &routine.results {
            let k = *reg as usize;
            match bank {
                Bank::A => call.regs.a[k] = warp.regs.a[k],
                Bank::B => call.regs.b[k] = warp.regs.b[k],
            }
            if warp.marks.any {
                *call.marks.row(*bank, *reg) = warp.marks.of(*bank, *reg);
            }
        }
        call.marks.any |= warp.marks.any;
        (warp.regs, warp.slots, warp.marks) = (call.regs, call.slots, call.marks);
        warp.local.truncate(call.words);
        warp.local_init.truncate(call.words);
        warp.set_mask(call.mask & warp.alive);
        Some(call.pc)
    }

    /// First address of the memory of the call at hand.
    pub(super) fn frame_address(&self, warp: &Warp) -> u64 {
        let words = warp.calls.last().map_or(0, |call| call.words.next_multiple_of(4));
        LOCAL_BASE + 4 * words as u64
    }
}
