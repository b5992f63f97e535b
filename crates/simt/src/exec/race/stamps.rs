//! The stamps of global memory: numbers that grow with time, and what is known of each.

use std::cell::Cell;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Distinct stamps that a launch can give out for global memory; beyond, races there are no longer
/// looked for, and the report says so.
const MAX_SEQ: u32 = 1 << 21;

/// Stamps whose facts are allocated together: a launch rarely takes many.
const TOGETHER: u32 = 1 << 12;

/// Stamps that a worker takes at a time where others are at work, too.
const AT_A_TIME: u32 = 64;

/// What cores change by turns, in lines of their caches where nothing else lies: others would wait
/// for that, too.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Apart<T>(pub T);

/// The stamps of a launch.
#[derive(Debug)]
pub(crate) struct Stamps {
    next: Apart<AtomicU32>,
    /// Somebody got none: races among accesses without a stamp are not looked for.
    refused: AtomicBool,
    facts: Vec<OnceLock<Vec<Fact>>>,
    /// Counts fences and atomics.
    pub(super) clock: Apart<AtomicU32>,
    /// Stamps below this one lie before a barrier of the whole grid.
    pub(super) floor: AtomicU32,
}

/// Which block a stamp belongs to, and when that block fenced it.
#[derive(Debug, Default)]
pub(super) struct Fact {
    pub(super) block: AtomicU32,
    pub(super) fenced: AtomicU32,
    /// Of atomics alone.
    pub(super) atomics: AtomicBool,
}

impl Stamps {
    pub fn new(races: bool) -> Stamps {
        let count = if races { MAX_SEQ / TOGETHER } else { 0 };
        Stamps {
            next: Apart(AtomicU32::new(1)),
            refused: AtomicBool::new(false),
            facts: (0..count).map(|_| OnceLock::new()).collect(),
            clock: Apart(AtomicU32::new(1)),
            floor: AtomicU32::new(0),
        }
    }

    #[inline(always)]
    pub(super) fn fact(&self, seq: u32) -> &Fact {
        let some = self.facts[(seq / TOGETHER) as usize]
            .get_or_init(|| (0..TOGETHER).map(|_| Fact::default()).collect());
        &some[(seq % TOGETHER) as usize]
    }

    /// Some of the next stamps, for a worker that is alone or not; none if there are none left.
    pub(super) fn take(&self, alone: bool) -> Range<u32> {
        let count = if alone { 1 } else { AT_A_TIME };
        if self.used_up() {
            return 0..0;
        }
        let first = self.next.0.fetch_add(count, Ordering::Relaxed);
        if first >= MAX_SEQ {
            self.refused.store(true, Ordering::Relaxed);
            return 0..0;
        }
        first..MAX_SEQ.min(first + count)
    }

    /// A barrier of the whole grid: what came before is before everything that follows.
    pub fn grid_barrier(&self) {
        self.floor.store(self.next.0.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Accesses have gone without a stamp: races among them were not looked for.
    pub fn used_up(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }
}

/// A block's view of the stamps.
#[derive(Debug, Default)]
pub(crate) struct GlobalClock {
    /// Stamp of accesses now; 0: take a new one first.
    pub current: u32,
    /// The same of atomics, where they have stamps of their own: in a launch whose blocks wait for
    /// each other, which says nothing of what they did before by looking at a word.
    pub current_atomics: u32,
    /// Last stamp taken.
    pub last: u32,
    /// First stamp of the barrier interval; `u32::MAX`: none yet.
    pub interval: u32,
    /// When the block last did an atomic.
    pub atomic_time: u32,
    /// What any block did at stamps below this one comes before what this block does now.
    pub(super) floor: Cell<u32>,
    /// Stamps that the worker has taken and not used yet.
    pub(super) taken: Range<u32>,
    /// Stamps of this block that no fence has covered.
    pub(super) unfenced: Vec<u32>,
    /// Block number + 1.
    pub(super) block: u32,
}

impl GlobalClock {
    pub fn next_block(&mut self, index: u64) {
        self.barrier();
        self.atomic_time = 0;
        self.floor.set(0);
        self.unfenced.clear();
        self.block = index as u32 + 1;
    }

    /// Stamps were taken that the worker did not need.
    pub fn has_more(&self) -> bool {
        !self.taken.is_empty()
    }

    /// What follows has new stamps.
    pub fn renew(&mut self) {
        self.current = 0;
        self.current_atomics = 0;
    }

    pub fn barrier(&mut self) {
        self.renew();
        self.interval = u32::MAX;
    }
}
