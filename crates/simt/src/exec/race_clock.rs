//! Time in global memory: stamps, and which accesses come before which.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::block::{Warp, Worker};
use super::shadow::{BLOCKS, Cell, LANES, WARPS, Who};

/// Distinct stamps that a launch can give out for global memory; beyond, races there are no longer
/// looked for, and the report says so.
const MAX_SEQ: u32 = 1 << 21;

/// Stamps whose facts are allocated together: a launch rarely takes many.
const TOGETHER: u32 = 1 << 12;

/// The stamps of a launch.
#[derive(Debug)]
pub(crate) struct Stamps {
    next: AtomicU32,
    facts: Vec<OnceLock<Vec<Fact>>>,
    /// Counts fences and atomics.
    clock: AtomicU32,
    /// Stamps below this one lie before a barrier of the whole grid.
    floor: AtomicU32,
}

/// Which block a stamp belongs to, and when that block fenced it.
#[derive(Debug, Default)]
struct Fact {
    block: AtomicU32,
    fenced: AtomicU32,
}

impl Stamps {
    /// A barrier of the whole grid: what came before is before everything that follows.
    pub fn grid_barrier(&self) {
        self.floor.store(self.next.load(Ordering::Relaxed), Ordering::Relaxed);
    }
    pub fn new(races: bool) -> Stamps {
        let count = if races { MAX_SEQ / TOGETHER } else { 0 };
        Stamps {
            next: AtomicU32::new(1),
            facts: (0..count).map(|_| OnceLock::new()).collect(),
            clock: AtomicU32::new(1),
            floor: AtomicU32::new(0),
        }
    }

    #[inline(always)]
    fn fact(&self, seq: u32) -> &Fact {
        let some = self.facts[(seq / TOGETHER) as usize]
            .get_or_init(|| (0..TOGETHER).map(|_| Fact::default()).collect());
        &some[(seq % TOGETHER) as usize]
    }

    /// Accesses have gone without a stamp: races among them were not looked for.
    pub fn used_up(&self) -> bool {
        self.next.load(Ordering::Relaxed) > MAX_SEQ
    }
}

/// A block's view of the stamps.
#[derive(Debug, Default)]
pub(crate) struct GlobalClock {
    /// Stamp of accesses now; 0: take a new one first.
    pub current: u32,
    /// Last stamp taken.
    pub last: u32,
    /// First stamp of the barrier interval; `u32::MAX`: none yet.
    pub interval: u32,
    /// When the block last did an atomic.
    pub atomic_time: u32,
    /// Stamps of this block that no fence has covered.
    unfenced: Vec<u32>,
    /// Block number + 1.
    block: u32,
}

impl GlobalClock {
    pub fn next_block(&mut self, index: u64) {
        self.barrier();
        self.atomic_time = 0;
        self.unfenced.clear();
        self.block = index as u32 + 1;
    }

    pub fn barrier(&mut self) {
        self.current = 0;
        self.interval = u32::MAX;
    }
}

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
        if stamps.used_up() {
            return 0;
        }
        let seq = stamps.next.fetch_add(1, Ordering::Relaxed);
        if seq >= MAX_SEQ {
            return 0;
        }
        let clock = &mut self.global_shadow;
        stamps.fact(seq).block.store(clock.block, Ordering::Release);
        clock.current = seq;
        clock.last = seq;
        clock.interval = clock.interval.min(seq);
        clock.unfenced.push(seq);
        seq
    }

    /// The time, by the clock of fences and atomics.
    pub(crate) fn tick(&self) -> u32 {
        self.world.stamps.clock.fetch_add(1, Ordering::Relaxed)
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
        self.global_shadow.current = 0;
    }

    /// The stamp is one of this block's.
    #[inline(always)]
    pub(super) fn is_mine(&self, seq: u32) -> bool {
        let clock = &self.global_shadow;
        seq == clock.current
            || self.world.stamps.fact(seq).block.load(Ordering::Acquire) == clock.block
    }

    /// The stamp lies before a barrier of the whole grid.
    pub(super) fn before_grid_barrier(&self, seq: u32) -> bool {
        seq < self.world.stamps.floor.load(Ordering::Relaxed)
    }

    /// What another block did at stamp `seq` was fenced before this block did its last atomic, or
    /// a barrier of the whole grid lies between.
    #[inline(always)]
    pub(super) fn fenced_before(&self, seq: u32) -> bool {
        let fenced = self.world.stamps.fact(seq).fenced.load(Ordering::Acquire);
        fenced != 0 && self.global_shadow.atomic_time > fenced || self.before_grid_barrier(seq)
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
            _ => self.before_grid_barrier(seq),
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
            return if self.before_grid_barrier(old) { single } else { r };
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

    /// Cell `old` after the read `new` of this warp; `None` if no formula fits both. A loose shadow
    /// takes a cell for one granule.
    #[inline(always)]
    pub(super) fn joined_cell(
        &self,
        old: Cell,
        new: Cell,
        warp: &Warp,
        loose: bool,
    ) -> Option<Cell> {
        if old == Cell::UNTOUCHED || old == new {
            return Some(new);
        }
        if old.who() == Who::Blocks {
            return Some(if self.before_grid_barrier(old.stamp()) { new } else { old });
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
        let several = loose || old.who() == Who::Lanes(warp.index) || old.differs_everywhere(new);
        several.then(|| Cell::lanes(new.stamp(), warp.index))
    }
}
