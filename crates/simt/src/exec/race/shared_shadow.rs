//! The race shadow of a block's shared memory: last writer and readers of every granule.

use crate::exec::lanes::{Lanes, each};
use crate::exec::race::Access;
use crate::exec::race::deferred::Deferred;
use crate::exec::shape::{Groups, Runs};
use crate::exec::warp::Warp;
use crate::exec::world::World;

/// Last accesses to each granule of a block's shared memory: a word, or a byte where bytes are
/// accessed.
#[derive(Debug, Default)]
pub(crate) struct SharedShadow {
    writer: Vec<u64>,
    /// First reader of the interval, and another one.
    readers: [Vec<u64>; 2],
    /// Reads that are not in `readers` yet.
    pub(super) deferred: Deferred,
    pub(super) byte: bool,
    pub(super) now: u32,
    /// Stamps before this one lie before the last barrier.
    pub(super) interval: u32,
    /// Stamps before this one lie before the last fence.
    pub fenced: u32,
}

/// Who makes an access.
#[derive(Clone, Copy)]
pub(super) struct Party<'a> {
    pub warp: u32,
    pub pc: usize,
    pub sync_stamp: u32,
    pub told_stamps: &'a [u32; 32],
}

impl Party<'_> {
    #[inline(always)]
    fn of(warp: &Warp) -> Party<'_> {
        Party {
            warp: warp.index,
            pc: warp.pc,
            sync_stamp: warp.sync_stamp,
            told_stamps: &warp.told_stamps,
        }
    }
}

/// An access that is not ordered after others.
pub(super) struct Clash {
    pub lane: usize,
    pub granule: usize,
    /// The last write and a read; 0 is none.
    pub others: [u64; 2],
    /// Granules of the lane that have been noted, this one included.
    pub done: u64,
}

/// An access in shared memory: stamp, atomic or not, thread, instruction.
fn entry(stamp: u32, atomic: bool, thread: u32, pc: usize) -> u64 {
    u64::from(stamp) << 32 | u64::from(atomic) << 31 | u64::from(thread) << 21 | pc as u64
}

fn stamp_of(e: u64) -> u32 {
    (e >> 32) as u32
}

pub(super) fn thread_of(e: u64) -> u32 {
    (e >> 21) as u32 & 1023
}

pub(super) fn is_atomic(e: u64) -> bool {
    e >> 31 & 1 == 1
}

pub(super) fn pc_of(e: u64) -> usize {
    (e & ((1 << 21) - 1)) as usize
}

impl SharedShadow {
    pub fn new(world: &World<'_>) -> SharedShadow {
        if !world.options.races {
            return SharedShadow::default();
        }
        let byte = world.code.sub_word_shared;
        let count = (world.shared_bytes as usize).div_ceil(4) * if byte { 4 } else { 1 };
        SharedShadow {
            writer: vec![0; count],
            readers: [vec![0; count], vec![0; count]],
            deferred: Deferred::new(count),
            byte,
            ..SharedShadow::default()
        }
    }

    pub fn next_block(&mut self) {
        self.barrier();
    }

    pub fn barrier(&mut self) {
        self.deferred.drop_all();
        if self.now == u32::MAX {
            self.writer.fill(0);
            self.readers.iter_mut().for_each(|r| r.fill(0));
            self.deferred.reset();
            self.now = 0;
            self.fenced = 0;
        }
        self.now += 1;
        self.interval = self.now;
    }

    /// `__threadfence_block`: a thread whose atomic comes later may know of what was done before.
    pub fn fence(&mut self) {
        self.settle();
        self.now = self.now.saturating_add(1);
        self.fenced = self.now;
    }

    /// The access `e` comes before what `thread` does now.
    #[inline(always)]
    fn ordered(&self, e: u64, me: Party<'_>, thread: u32) -> bool {
        let stamp = stamp_of(e);
        stamp < self.interval
            || thread_of(e) == thread
            || thread_of(e) / 32 == me.warp && stamp < me.sync_stamp
            || stamp < self.fenced && stamp < me.told_stamps[thread as usize % 32]
    }

    /// Notes a read of granule `g`; the writer if it is not ordered before.
    #[inline(always)]
    pub(super) fn read(&mut self, g: usize, me: Party<'_>, thread: u32) -> Option<u64> {
        let w = self.writer[g];
        if stamp_of(w) >= self.interval && !self.ordered(w, me, thread) {
            return Some(w);
        }
        let new = entry(self.now, false, thread, me.pc);
        let first = self.readers[0][g];
        if stamp_of(first) < self.interval || self.ordered(first, me, thread) {
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

    /// Notes that threads from `first` on read one of the `n` words from `g` on each; false if one
    /// of them was touched by another thread since the last barrier.
    #[inline(always)]
    pub(super) fn read_run(&mut self, g: usize, n: usize, me: Party<'_>, first: u32) -> bool {
        let new = entry(self.now, false, first, me.pc);
        let (old, readers) = (self.interval, &mut self.readers[0][g..g + n]);
        let done = own(&self.writer[g..g + n], old, first) && own(readers, old, first);
        if done {
            for (k, r) in readers.iter_mut().enumerate() {
                *r = new + ((k as u64) << 21);
            }
        }
        done
    }

    /// Notes that threads from `first` on write one of the `n` words from `g` on each; false if one
    /// of them was touched by another thread since the last barrier.
    #[inline(always)]
    fn write_run(&mut self, g: usize, n: usize, me: Party<'_>, first: u32) -> bool {
        let [read, wrote] = self.touched(g, n);
        self.writes(g, n);
        let new = entry(self.now, false, first, me.pc);
        let (old, writers) = (self.interval, &mut self.writer[g..g + n]);
        let done = (!wrote || own(writers, old, first))
            && (!read || self.readers.iter().all(|r| own(&r[g..g + n], old, first)));
        if done {
            for (k, w) in writers.iter_mut().enumerate() {
                *w = new + ((k as u64) << 21);
            }
        }
        done
    }

    /// Notes a request for words in one go; false if it must be noted lane by lane. What is noted
    /// twice by the same thread does no harm.
    #[inline(always)]
    pub(super) fn note_groups(
        &mut self,
        warp: &Warp,
        groups: &Groups,
        runs: &Runs,
        access: Access,
    ) -> bool {
        if access == Access::Read && self.defer(warp, groups, runs) {
            return true;
        }
        if self.byte || groups.step == 0 {
            return false;
        }
        let me = Party::of(warp);
        let mut rows = runs
            .iter()
            .map(|run| ((run.start / 4) as usize, run.count, 32 * warp.index + run.lane as u32));
        match access {
            Access::Read => rows.all(|(g, n, thread)| {
                self.reads(g, n);
                self.read_run(g, n, me, thread)
            }),
            Access::Write => {
                let apart = runs.len() == 1 || groups.units(4, [4]) == [32];
                apart && rows.all(|(g, n, thread)| self.write_run(g, n, me, thread))
            }
            Access::Atomic | Access::Peek => false,
        }
    }

    /// Before the lanes of a request are noted one by one; true if that is put off.
    pub(super) fn comes_later(
        &mut self,
        warp: &Warp,
        offsets: &Lanes,
        shape: [u64; 2],
        access: Access,
    ) -> bool {
        if access == Access::Read && self.defer_lanes(warp, offsets, shape) {
            return true;
        }
        let [unit, count] = shape.map(|n| n as usize);
        for g in each(warp.mask).map(|l| offsets[l] as usize / unit) {
            match access {
                Access::Read => self.reads(g, count),
                Access::Write | Access::Atomic => self.writes(g, count),
                Access::Peek => {}
            }
        }
        false
    }

    /// The plain writer of granule `g` that is not ordered before a read that a compare-and-swap
    /// checks.
    fn peek(&self, g: usize, me: Party<'_>, thread: u32) -> Option<u64> {
        let w = self.writer[g];
        let before = stamp_of(w) < self.interval || self.ordered(w, me, thread);
        (!before && !is_atomic(w)).then_some(w)
    }

    /// Notes a write; the accesses that are not ordered before: the last write, and a read. 0 is
    /// none.
    #[inline(always)]
    fn write(&mut self, g: usize, me: Party<'_>, thread: u32, atomic: bool) -> [u64; 2] {
        let mut found = [0, 0];
        let w = self.writer[g];
        if stamp_of(w) >= self.interval && !(atomic && is_atomic(w)) && !self.ordered(w, me, thread)
        {
            found[0] = w;
        }
        for readers in &self.readers {
            let r = readers[g];
            if stamp_of(r) >= self.interval && !self.ordered(r, me, thread) {
                found[1] = r;
            }
        }
        self.writer[g] = entry(self.now, atomic, thread, me.pc);
        found
    }

    /// Notes the accesses of the lanes of `mask`, up to the first that is not ordered after another
    /// one. Of the first lane `done` granules have been noted before.
    pub(super) fn first_clash(
        &mut self,
        warp: &Warp,
        offsets: &Lanes,
        shape: [u64; 2],
        access: Access,
        mask: u32,
        done: u64,
    ) -> Option<Clash> {
        let me = Party::of(warp);
        match access {
            Access::Read => self.noted(me, offsets, shape, mask, done, |s, g, thread| {
                [s.read(g, me, thread).unwrap_or(0), 0]
            }),
            Access::Peek => self.noted(me, offsets, shape, mask, done, |s, g, thread| {
                [s.peek(g, me, thread).unwrap_or(0), 0]
            }),
            Access::Write => self.noted(me, offsets, shape, mask, done, |s, g, thread| {
                s.write(g, me, thread, false)
            }),
            Access::Atomic => self
                .noted(me, offsets, shape, mask, done, |s, g, thread| s.write(g, me, thread, true)),
        }
    }

    /// [`SharedShadow::first_clash`] for one kind of access.
    #[inline(always)]
    fn noted(
        &mut self,
        me: Party<'_>,
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
                let others = note(self, granule, 32 * me.warp + lane as u32);
                if others != [0, 0] {
                    return Some(Clash { lane, granule, others, done: k + 1 });
                }
            }
            done = 0;
        }
        None
    }
}

/// Each of the entries is from before the stamp `old`, or of the thread that it belongs to: they go
/// up from `first`.
#[inline(always)]
fn own(entries: &[u64], old: u32, first: u32) -> bool {
    let mut entries = entries.iter().zip(first..);
    entries.all(|(e, thread)| stamp_of(*e) < old || thread_of(*e) == thread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::alu::FULL;

    /// Pseudo-random numbers below `n`.
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(12_345);
            (self.0 >> 33) % n
        }
    }

    const WORDS: usize = 200;

    fn shadow(byte: bool) -> SharedShadow {
        let count = if byte { 4 * WORDS } else { WORDS };
        let mut shadow = SharedShadow {
            writer: vec![0; count],
            readers: [vec![0; count], vec![0; count]],
            deferred: Deferred::new(count),
            byte,
            ..SharedShadow::default()
        };
        shadow.next_block();
        shadow
    }

    /// Every lane noted at once, in turn: what is found.
    fn at_once(
        shadow: &mut SharedShadow,
        warp: &Warp,
        offsets: &Lanes,
        shape: [u64; 2],
        access: Access,
    ) -> Vec<(usize, usize, [u64; 2])> {
        let (mut mask, mut done) = (warp.mask, 0);
        let mut found = Vec::new();
        while let Some(c) = shadow.first_clash(warp, offsets, shape, access, mask, done) {
            found.push((c.lane, c.granule, c.others));
            (mask, done) = (mask & (u32::MAX << c.lane), c.done);
        }
        found
    }

    /// Reads that are put off, and requests that are noted in one go, lead to the same findings as
    /// lane by lane, and leave the same trace.
    #[test]
    fn what_is_put_off_is_what_was_noted_at_once() {
        let mut random = Random(1);
        let (mut clashes, mut late, mut loops) = (0, 0, 0);
        for case in 0..400 {
            let byte = case % 4 == 0;
            let unit = if byte { 1 } else { 4 };
            let (mut plain, mut quick) = (shadow(byte), shadow(byte));
            let mut warps: Vec<Warp> =
                (0..3).map(|i| Warp { index: i, ..Warp::default() }).collect();
            // Of a loop of reads: how many are left, the warp, where the next one begins.
            let (mut loop_of, mut looping, mut at) = (0, 0, 0);
            for step in 0..60 {
                if loop_of == 0 && random.below(20) == 0 {
                    (loop_of, looping) = (1 + random.below(8), random.below(3) as usize);
                    at = 4 * random.below(WORDS as u64 - 32 - 8);
                } else {
                    loop_of = loop_of.saturating_sub(1);
                    at += 4;
                }
                let w = &mut warps[if loop_of > 0 { looping } else { random.below(3) as usize }];
                w.pc = step;
                w.set_mask(match random.below(4) {
                    _ if loop_of > 0 => FULL,
                    0 => (1 << (1 + random.below(31))) - 1,
                    1 => 0x00ff_fe00,
                    _ => FULL,
                });
                let access = match random.below(20) {
                    _ if loop_of > 0 => Access::Read,
                    0 => {
                        plain.barrier();
                        quick.barrier();
                        continue;
                    }
                    1 => {
                        plain.now += 1;
                        quick.now += 1;
                        w.sync_stamp = plain.now;
                        continue;
                    }
                    2 if random.below(4) == 0 => {
                        plain.fence();
                        quick.fence();
                        continue;
                    }
                    3 => Access::Peek,
                    4 => Access::Atomic,
                    5..9 => Access::Write,
                    _ => Access::Read,
                };
                if access == Access::Atomic {
                    w.told_stamps = [plain.fenced; 32];
                }
                let start = |random: &mut Random| 4 * random.below(WORDS as u64 - 32);
                let (groups, offsets, size) = match random.below(4) {
                    _ if loop_of > 0 => {
                        let groups = Groups::row(at, 4);
                        (Some(groups), groups.lanes(), 4)
                    }
                    0 => {
                        let groups = Groups::row(start(&mut random), 4);
                        (Some(groups), groups.lanes(), 4)
                    }
                    1 if access == Access::Read => {
                        let groups = Groups::same(start(&mut random));
                        (Some(groups), groups.lanes(), 4)
                    }
                    2 if w.mask == FULL => {
                        let starts = [0; 4].map(|_| start(&mut random));
                        let step = if access == Access::Read { 4 * random.below(2) } else { 4 };
                        let groups = Groups { starts, step };
                        (Some(groups), groups.lanes(), 4)
                    }
                    _ => {
                        let size = [1, 4, 8][random.below(3) as usize];
                        let size = if byte { size } else { size.max(4) };
                        (None, [0; 32].map(|_| start(&mut random) / size * size), size)
                    }
                };
                let shape = if byte { [1, size] } else { [4, size / 4] };
                let want = at_once(&mut plain, w, &offsets, shape, access);
                clashes += want.len();
                let done = groups.is_some_and(|groups| {
                    let runs = groups.runs(w.mask);
                    quick.note_groups(w, &groups, &runs, access)
                }) || quick.comes_later(w, &offsets, shape, access);
                late += usize::from(done);
                let last = quick.deferred.reads.last();
                loops += usize::from(last.is_some_and(|read| read.times > 2));
                let found = match done {
                    true => Vec::new(),
                    false => at_once(&mut quick, w, &offsets, shape, access),
                };
                assert_eq!(found, want, "case {case}, step {step}: {access:?} {offsets:?} {unit}");
            }
            quick.settle();
            let since = |entries: &[u64]| -> Vec<u64> {
                let here = |e: &u64| if stamp_of(*e) >= plain.interval { *e } else { 0 };
                entries.iter().map(here).collect()
            };
            assert_eq!(since(&quick.writer), since(&plain.writer), "case {case}");
            for (a, b) in quick.readers.iter().zip(&plain.readers) {
                assert_eq!(since(a), since(b), "case {case}");
            }
        }
        assert!(clashes > 1000 && late > 1000 && loops > 20, "{clashes} {late} {loops}");
    }
}
