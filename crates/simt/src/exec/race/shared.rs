//! Races in shared memory: last writer and readers of every granule, for one block at a time.

use std::ops::Range;

use super::shared_shadow::{is_atomic, pc_of, thread_of};
use super::{Access, Note};
use crate::bytecode::MemInfo;
use crate::exec::block::Worker;
use crate::exec::halt::{Halt, Window};
use crate::exec::lanes::Lanes;
use crate::exec::shape::{Groups, Runs};
use crate::exec::warp::Warp;
use crate::fault::FaultKind;
use crate::source::Span;

/// The other side of a race in shared memory.
struct Conflict {
    other: u64,
    access: Access,
}

/// What the last writer `e` did.
fn writer(e: u64) -> Access {
    if is_atomic(e) { Access::Atomic } else { Access::Write }
}

impl Worker<'_> {
    /// Words of shared memory, one per active lane.
    #[inline(always)]
    pub(crate) fn shared_race_groups(
        &mut self,
        warp: &Warp,
        info: &MemInfo,
        groups: &Groups,
        runs: &Runs,
        access: Access,
    ) -> Result<(), Box<Halt>> {
        if self.shadow.note_groups(warp, groups, runs, access) {
            return Ok(());
        }
        self.shared_race_lanes(warp, info, &groups.lanes(), access)
    }

    pub(crate) fn shared_race_lanes(
        &mut self,
        warp: &Warp,
        info: &MemInfo,
        offsets: &Lanes,
        access: Access,
    ) -> Result<(), Box<Halt>> {
        let (unit, count) = match self.shadow.byte {
            true => (1, info.size.into()),
            false => (4, info.size.div_ceil(4).into()),
        };
        if self.shadow.comes_later(warp, offsets, [unit, count], access) {
            return Ok(());
        }
        let (mut mask, mut done) = (warp.mask, 0);
        while let Some(clash) =
            self.shadow.first_clash(warp, offsets, [unit, count], access, mask, done)
        {
            let granule = clash.granule as u64 * unit..(clash.granule as u64 + 1) * unit;
            self.shared_clash(warp, info, offsets, clash.lane, granule, clash.others, access)?;
            (mask, done) = (mask & (u32::MAX << clash.lane), clash.done);
        }
        Ok(())
    }

    /// The bytes `granule`, which lane `lane` touches, are written (the first of the two) or read
    /// by others in the same interval: a race, unless all store the same value.
    #[cold]
    #[allow(clippy::too_many_arguments)]
    fn shared_clash(
        &mut self,
        warp: &Warp,
        info: &MemInfo,
        offsets: &Lanes,
        lane: usize,
        granule: Range<u64>,
        [wrote, read]: [u64; 2],
        access: Access,
    ) -> Result<(), Box<Halt>> {
        let wrote = (wrote != 0).then(|| Conflict { other: wrote, access: writer(wrote) });
        let read = (read != 0).then_some(Conflict { other: read, access: Access::Read });
        let wrote = wrote.filter(|c| {
            let both = access == Access::Write && c.access == Access::Write;
            let here = |at: u64| Some((self.shared[(at / 4) as usize] >> (8 * (at % 4))) as u8);
            !(both && self.stores_same(warp, info, offsets, lane as u32, granule, here))
        });
        let Some(conflict) = wrote.or(read) else { return Ok(()) };
        if self.known(FaultKind::RaceShared, warp) {
            return Ok(());
        }
        let halt = self.shared_race(warp, info, offsets, lane, &conflict, access);
        self.find(warp, halt)
    }

    #[cold]
    fn shared_race(
        &self,
        warp: &Warp,
        info: &MemInfo,
        offsets: &Lanes,
        lane: usize,
        conflict: &Conflict,
        access: Access,
    ) -> Box<Halt> {
        let span = self.world.code.spans[pc_of(conflict.other)];
        let note = Note {
            block: self.block,
            thread: thread_of(conflict.other),
            span: self.memory_span(pc_of(conflict.other)).unwrap_or(span),
            access: conflict.access,
        };
        self.race_fault(warp, info, offsets, lane, Some(&note), access, Window::Shared)
    }

    /// Text of the access at `pc`, which may be more exact than that of the instruction.
    fn memory_span(&self, pc: usize) -> Option<Span> {
        let code = self.world.code;
        let inst = code.insts.get(pc)?;
        if inst.op == crate::bytecode::Op::Call {
            return Some(code.calls[inst.c as usize].span);
        }
        code.mems.get(inst.c as usize).map(|m| m.span)
    }

    /// Accesses of the warp up to now come before those after.
    pub(crate) fn warp_synchronised(&mut self, warp: &mut Warp) {
        if !self.world.options.races {
            return;
        }
        self.shadow.now = self.shadow.now.saturating_add(1);
        warp.sync_stamp = self.shadow.now;
        warp.sync_seq = self.global_shadow.last + 1;
        self.global_shadow.renew();
    }
}
