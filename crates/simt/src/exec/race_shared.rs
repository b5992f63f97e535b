//! Races in shared memory: last writer and readers of every granule, for one block at a time.

use std::ops::Range;

use super::block::{Warp, Worker};
use super::fault::{Raise, Space};
use super::lanes::{Lanes, each};
use super::race::{Access, Note};
use super::world::World;
use crate::bytecode::MemInfo;
use crate::fault::FaultKind;
use crate::source::Span;

/// Last accesses to each granule of a block's shared memory: a word, or a byte where bytes are
/// accessed.
#[derive(Debug, Default)]
pub(crate) struct SharedShadow {
    writer: Vec<u64>,
    /// First reader of the interval, and another one.
    readers: [Vec<u64>; 2],
    byte: bool,
    now: u32,
    /// Stamps before this one lie before the last barrier.
    interval: u32,
    /// Stamps before this one lie before the last fence.
    pub fenced: u32,
}

/// An access that is not ordered after others.
struct Clash {
    lane: usize,
    granule: usize,
    /// The last write and a read; 0 is none.
    others: [u64; 2],
    /// Granules of the lane that have been noted, this one included.
    done: u64,
}

/// An access in shared memory: stamp, atomic or not, thread, instruction.
fn entry(stamp: u32, atomic: bool, thread: u32, pc: usize) -> u64 {
    u64::from(stamp) << 32 | u64::from(atomic) << 31 | u64::from(thread) << 21 | pc as u64
}

fn stamp_of(e: u64) -> u32 {
    (e >> 32) as u32
}

fn thread_of(e: u64) -> u32 {
    (e >> 21) as u32 & 1023
}

fn is_atomic(e: u64) -> bool {
    e >> 31 & 1 == 1
}

fn pc_of(e: u64) -> usize {
    (e & ((1 << 21) - 1)) as usize
}

impl SharedShadow {
    pub fn new(world: &World<'_>) -> SharedShadow {
        if !world.options.races {
            return SharedShadow::default();
        }
        let byte = world.code.sub_word_shared;
        let count = (world.shared_bytes as usize).div_ceil(4) * if byte { 4 } else { 1 };
        let readers = [vec![0; count], vec![0; count]];
        SharedShadow { writer: vec![0; count], readers, byte, now: 0, interval: 0, fenced: 0 }
    }

    pub fn next_block(&mut self) {
        self.barrier();
    }

    pub fn barrier(&mut self) {
        if self.now == u32::MAX {
            self.writer.fill(0);
            self.readers.iter_mut().for_each(|r| r.fill(0));
            self.now = 0;
            self.fenced = 0;
        }
        self.now += 1;
        self.interval = self.now;
    }

    /// `__threadfence_block`: a thread whose atomic comes later may know of what was done before.
    pub fn fence(&mut self) {
        self.now = self.now.saturating_add(1);
        self.fenced = self.now;
    }

    /// The access `e` comes before what `thread` of `warp` does now.
    #[inline(always)]
    fn ordered(&self, e: u64, warp: &Warp, thread: u32) -> bool {
        let stamp = stamp_of(e);
        stamp < self.interval
            || thread_of(e) == thread
            || thread_of(e) / 32 == warp.index && stamp < warp.sync_stamp
            || stamp < self.fenced && stamp < warp.told_stamps[thread as usize % 32]
    }

    /// Notes a read of granule `g`; the writer if it is not ordered before.
    #[inline(always)]
    fn read(&mut self, g: usize, warp: &Warp, thread: u32, pc: usize) -> Option<u64> {
        let w = self.writer[g];
        if stamp_of(w) >= self.interval && !self.ordered(w, warp, thread) {
            return Some(w);
        }
        let new = entry(self.now, false, thread, pc);
        let first = self.readers[0][g];
        if stamp_of(first) < self.interval || self.ordered(first, warp, thread) {
            self.readers[0][g] = new;
        } else {
            // Keep a reader of another warp if there is one.
            let second = self.readers[1][g];
            if stamp_of(second) < self.interval
                || thread_of(second) / 32 == thread_of(first) / 32
                || thread_of(second) == thread
            {
                self.readers[1][g] = new;
            }
        }
        None
    }

    /// The plain writer of granule `g` that is not ordered before a read that a compare-and-swap
    /// checks.
    fn peek(&self, g: usize, warp: &Warp, thread: u32) -> Option<u64> {
        let w = self.writer[g];
        let before = stamp_of(w) < self.interval || self.ordered(w, warp, thread);
        (!before && !is_atomic(w)).then_some(w)
    }

    /// Notes a write; the accesses that are not ordered before: the last write, and a read. 0 is
    /// none.
    #[inline(always)]
    fn write(&mut self, g: usize, warp: &Warp, thread: u32, pc: usize, atomic: bool) -> [u64; 2] {
        let mut found = [0, 0];
        let w = self.writer[g];
        if stamp_of(w) >= self.interval
            && !(atomic && is_atomic(w))
            && !self.ordered(w, warp, thread)
        {
            found[0] = w;
        }
        for readers in &self.readers {
            let r = readers[g];
            if stamp_of(r) >= self.interval && !self.ordered(r, warp, thread) {
                found[1] = r;
            }
        }
        self.writer[g] = entry(self.now, atomic, thread, pc);
        found
    }

    /// Notes the accesses of the lanes of `mask`, up to the first that is not ordered after another
    /// one. Of the first lane `done` granules have been noted before.
    fn first_clash(
        &mut self,
        warp: &Warp,
        offsets: &Lanes,
        shape: [u64; 2],
        access: Access,
        mask: u32,
        done: u64,
    ) -> Option<Clash> {
        let pc = warp.pc;
        match access {
            Access::Read => self.noted(warp, offsets, shape, mask, done, |s, g, thread| {
                [s.read(g, warp, thread, pc).unwrap_or(0), 0]
            }),
            Access::Peek => self.noted(warp, offsets, shape, mask, done, |s, g, thread| {
                [s.peek(g, warp, thread).unwrap_or(0), 0]
            }),
            Access::Write => self.noted(warp, offsets, shape, mask, done, |s, g, thread| {
                s.write(g, warp, thread, pc, false)
            }),
            Access::Atomic => self.noted(warp, offsets, shape, mask, done, |s, g, thread| {
                s.write(g, warp, thread, pc, true)
            }),
        }
    }

    /// [`SharedShadow::first_clash`] for one kind of access.
    #[inline(always)]
    fn noted(
        &mut self,
        warp: &Warp,
        offsets: &Lanes,
        [unit, count]: [u64; 2],
        mask: u32,
        mut done: u64,
        note: impl Fn(&mut SharedShadow, usize, u32) -> [u64; 2],
    ) -> Option<Clash> {
        for lane in each(mask) {
            let first = offsets[lane] / unit;
            for k in done..count {
                let granule = (first + k) as usize;
                let others = note(self, granule, 32 * warp.index + lane as u32);
                if others != [0, 0] {
                    return Some(Clash { lane, granule, others, done: k + 1 });
                }
            }
            done = 0;
        }
        None
    }
}

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
    /// Consecutive words of shared memory, one per active lane.
    #[inline(always)]
    pub(crate) fn shared_race_row(
        &mut self,
        warp: &Warp,
        info: &MemInfo,
        from: u64,
        access: Access,
    ) -> Result<(), Box<Raise>> {
        let shadow = &mut self.shadow;
        let write = access == Access::Write;
        if !shadow.byte && access != Access::Peek {
            let first = warp.mask.trailing_zeros();
            let (g, n) = ((from / 4) as usize, warp.active as usize);
            let old = shadow.interval;
            let thread = 32 * warp.index + first;
            let new = entry(shadow.now, false, thread, warp.pc);
            let writers = &mut shadow.writer[g..g + n];
            let readers = &mut shadow.readers[0][g..g + n];
            let quiet = writers.iter().all(|w| stamp_of(*w) < old);
            if quiet && !write {
                if readers.iter().all(|r| stamp_of(*r) < old) {
                    for (k, r) in readers.iter_mut().enumerate() {
                        *r = new + ((k as u64) << 21);
                    }
                    return Ok(());
                }
            } else if quiet && readers.iter().all(|r| stamp_of(*r) < old) {
                for (k, w) in writers.iter_mut().enumerate() {
                    *w = new + ((k as u64) << 21);
                }
                return Ok(());
            }
        }
        let start = from.wrapping_sub(4 * u64::from(warp.mask.trailing_zeros()));
        let lanes = std::array::from_fn(|l| start.wrapping_add(4 * l as u64));
        self.shared_race_lanes(warp, info, &lanes, access)
    }

    pub(crate) fn shared_race_lanes(
        &mut self,
        warp: &Warp,
        info: &MemInfo,
        offsets: &Lanes,
        access: Access,
    ) -> Result<(), Box<Raise>> {
        let (unit, count) = match self.shadow.byte {
            true => (1, info.size.into()),
            false => (4, info.size.div_ceil(4).into()),
        };
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
    ) -> Result<(), Box<Raise>> {
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
        let raise = self.shared_race(warp, info, offsets, lane, &conflict, access);
        self.find(warp, raise)
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
    ) -> Box<Raise> {
        let span = self.world.code.spans[pc_of(conflict.other)];
        let note = Note {
            block: self.block,
            thread: thread_of(conflict.other),
            span: self.memory_span(pc_of(conflict.other)).unwrap_or(span),
            access: conflict.access,
        };
        self.race_fault(warp, info, offsets, lane, Some(&note), access, Space::Shared)
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
        self.global_shadow.current = 0;
    }
}
