//! The stamps of global memory: numbers that grow with time, and what is known of each.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Distinct stamps that a launch can give out for global memory; beyond, races there are no longer
/// looked for, and the report says so.
pub(super) const MAX_SEQ: u32 = 1 << 21;

/// Stamps whose facts are allocated together: a launch rarely takes many.
const TOGETHER: u32 = 1 << 12;

/// The stamps of a launch.
#[derive(Debug)]
pub(crate) struct Stamps {
    pub(super) next: AtomicU32,
    facts: Vec<OnceLock<Vec<Fact>>>,
    /// Counts fences and atomics.
    pub(super) clock: AtomicU32,
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
            next: AtomicU32::new(1),
            facts: (0..count).map(|_| OnceLock::new()).collect(),
            clock: AtomicU32::new(1),
            floor: AtomicU32::new(0),
        }
    }

    #[inline(always)]
    pub(super) fn fact(&self, seq: u32) -> &Fact {
        let some = self.facts[(seq / TOGETHER) as usize]
            .get_or_init(|| (0..TOGETHER).map(|_| Fact::default()).collect());
        &some[(seq % TOGETHER) as usize]
    }

    /// A barrier of the whole grid: what came before is before everything that follows.
    pub fn grid_barrier(&self) {
        self.floor.store(self.next.load(Ordering::Relaxed), Ordering::Relaxed);
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
