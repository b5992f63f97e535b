//! Time in global memory: stamps, and which accesses come before which.

use std::sync::atomic::Ordering;

use super::shadow::{BLOCKS, Cell, LANES, WARPS, Who};
use crate::exec::block::Worker;
use crate::exec::warp::Warp;

impl Worker<'_> {
    /// The stamp of global accesses now; 0 if there are none left.
    #[inline(always)]
    pub(super) fn stamp(&mut self) -> u32 {
        if self.global_shadow.current != 0 {
            return self.global_shadow.current;
        }
        self.new_stamp()
    }

    #[cold]
    fn new_stamp(&mut self) -> u32 {
        let stamps = &self.world.stamps;
        let clock = &mut self.global_shadow;
        if clock.taken.is_empty() {
            clock.taken = stamps.take(!self.world.parallel);
        }
        let Some(seq) = clock.taken.next() else { return 0 };
        stamps.fact(seq).block.store(clock.block, Ordering::Release);
        clock.current = seq;
        clock.last = seq;
        clock.interval = clock.interval.min(seq);
        clock.unfenced.push(seq);
        seq
    }

    /// The stamp of atomics now, where they have their own.
    pub(super) fn stamp_of_atomics(&mut self) -> u32 {
        if !self.world.turns {
            return self.stamp();
        }
        if self.global_shadow.current_atomics == 0 {
            let current = self.global_shadow.current;
            let seq = self.new_stamp();
            self.global_shadow.current = current;
            self.global_shadow.current_atomics = seq;
            if seq != 0 {
                self.world.stamps.fact(seq).atomics.store(true, Ordering::Release);
            }
        }
        self.global_shadow.current_atomics
    }

    /// The time, by the clock of fences and atomics.
    pub(crate) fn tick(&self) -> u32 {
        self.world.stamps.clock.0.fetch_add(1, Ordering::Relaxed)
    }

    /// `__threadfence`: what the block did before can be seen by others.
    pub(crate) fn fenced(&mut self, _warp: &Warp) {
        if !self.world.options.races {
            return;
        }
        self.shadow.fence();
        let now = self.tick();
        let stamps = &self.world.stamps;
        for seq in self.global_shadow.unfenced.drain(..) {
            stamps.fact(seq).fenced.store(now, Ordering::Release);
        }
        self.global_shadow.renew();
    }

    /// The stamp is one of this block's.
    #[inline(always)]
    pub(super) fn is_mine(&self, seq: u32) -> bool {
        let clock = &self.global_shadow;
        seq == clock.current
            || self.world.stamps.fact(seq).block.load(Ordering::Acquire) == clock.block
    }

    /// What any block did up to stamp `seq` comes before what this one does now.
    #[inline(always)]
    pub(super) fn after_all(&self, seq: u32) -> bool {
        seq < self.world.stamps.floor.load(Ordering::Relaxed)
            || self.world.turns && self.after_own_barrier(seq)
    }

    /// The same by a barrier of the whole grid that the program makes itself, of fences and
    /// atomics.
    #[cold]
    fn after_own_barrier(&self, seq: u32) -> bool {
        let stamps = &self.world.stamps;
        let clock = &self.global_shadow;
        if stamps.fact(seq).atomics.load(Ordering::Acquire) {
            return false;
        }
        // It only grows, so no stamp is looked at twice.
        let mut floor = clock.floor.get().max(1);
        while floor <= seq {
            let over = match self.is_mine(floor) {
                true => floor < clock.interval,
                false => {
                    self.seen_fenced(floor) || stamps.fact(floor).atomics.load(Ordering::Acquire)
                }
            };
            if !over {
                break;
            }
            floor += 1;
        }
        clock.floor.set(floor);
        seq < floor
    }

    /// What another block did at stamp `seq` was fenced before this block did its last atomic.
    fn seen_fenced(&self, seq: u32) -> bool {
        let fenced = self.world.stamps.fact(seq).fenced.load(Ordering::Acquire);
        fenced != 0 && self.global_shadow.atomic_time > fenced
    }

    /// What another block did at stamp `seq` was fenced before this block did its last atomic, or
    /// a barrier of the whole grid lies between.
    #[inline(always)]
    pub(super) fn fenced_before(&self, seq: u32) -> bool {
        self.seen_fenced(seq) || seq < self.world.stamps.floor.load(Ordering::Relaxed)
    }

    /// What this block did at stamp `seq` was fenced before the thread `me` of `warp` did its last
    /// atomic, as between threads that take a lock in turn.
    #[inline(always)]
    fn told_of(&self, seq: u32, warp: &Warp, me: u32) -> bool {
        let fenced = self.world.stamps.fact(seq).fenced.load(Ordering::Acquire);
        fenced != 0 && warp.atomic_times[me as usize % 32] > fenced
    }

    /// Stamp `seq` of `thread` comes before what `me` of `warp` does now.
    #[inline(always)]
    pub(super) fn before(&self, seq: u32, thread: u32, warp: &Warp, me: u32) -> bool {
        if seq == 0 {
            return true;
        }
        if self.is_mine(seq) {
            return thread == me
                || seq < self.global_shadow.interval
                || thread / 32 == warp.index && seq < warp.sync_seq
                || self.told_of(seq, warp, me);
        }
        self.fenced_before(seq)
    }

    /// The readers of entry `r` all come before what `me` does now.
    #[inline(always)]
    pub(super) fn readers_before(&self, r: u32, warp: &Warp, me: u32) -> bool {
        if r == 0 {
            return true;
        }
        let (seq, thread) = (r >> 11, r >> 1 & 1023);
        if r & 1 == 0 {
            return self.before(seq, thread, warp, me);
        }
        let interval = self.global_shadow.interval;
        match thread & 31 {
            _ if !self.is_mine(seq) => self.fenced_before(seq),
            LANES if thread / 32 == warp.index && seq < warp.sync_seq => true,
            LANES | WARPS => seq < interval || self.told_of(seq, warp, me),
            _ => self.after_all(seq),
        }
    }

    /// The readers' entry after `me` has read, too.
    #[inline(always)]
    pub(super) fn joined_readers(&self, r: u32, seq: u32, warp: &Warp, me: u32) -> u32 {
        let single = seq << 11 | me << 1;
        if r == 0 || r == single {
            return single;
        }
        let (old, thread) = (r >> 11, r >> 1 & 1023);
        let several = r & 1 == 1;
        if several && thread & 31 == BLOCKS {
            return if self.after_all(old) { single } else { r };
        }
        if !self.is_mine(old) {
            let over = self.fenced_before(old);
            return if over { single } else { seq << 11 | BLOCKS << 1 | 1 };
        }
        if old < self.global_shadow.interval || self.told_of(old, warp, me) {
            return single;
        }
        let same_warp = thread / 32 == warp.index && !(several && thread & 31 == WARPS);
        if same_warp && (old < warp.sync_seq || !several && thread == me) {
            return single;
        }
        if same_warp {
            seq << 11 | ((32 * warp.index) | LANES) << 1 | 1
        } else {
            seq << 11 | WARPS << 1 | 1
        }
    }

    /// Cell `old` after the read `new` of this warp; `None` if no formula fits both.
    #[inline(always)]
    pub(super) fn joined_cell(&self, old: Cell, new: Cell, warp: &Warp) -> Option<Cell> {
        if old == Cell::UNTOUCHED || old == new {
            return Some(new);
        }
        if old.who() == Who::Blocks {
            return Some(if self.after_all(old.stamp()) { new } else { old });
        }
        if !self.is_mine(old.stamp()) {
            let over = self.fenced_before(old.stamp());
            return Some(if over { new } else { Cell::blocks(new.stamp()) });
        }
        if old.stamp() < self.global_shadow.interval {
            return Some(new);
        }
        if old.warp() != Some(warp.index) {
            return Some(Cell::warps(new.stamp()));
        }
        if old.stamp() < warp.sync_seq || old.code() == new.code() {
            return Some(new);
        }
        let several = old.who() == Who::Lanes(warp.index) || old.differs_everywhere(new);
        several.then(|| Cell::lanes(new.stamp(), warp.index))
    }
}
