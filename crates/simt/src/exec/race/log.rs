//! What is logged of tested reads and the stores that they meet.

use std::collections::{BTreeSet, HashMap};

/// Words that are logged at most; reads of others are no tested ones.
pub(super) const MAX_WORDS: usize = 1 << 22;

/// What is logged of a launch.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(super) words: HashMap<u64, Word>,
    /// What each test says of each value.
    pub(super) said: HashMap<(u32, u64), Option<bool>>,
    /// Reads and stores, by memory access, that met and may do so.
    pub met: BTreeSet<(u32, u32)>,
}

#[derive(Debug, Default)]
pub(super) struct Word {
    pub reads: Vec<Read>,
    pub stores: Vec<Store>,
}

/// Reads by one instruction; readers as in the shadow's entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub mem: u32,
    pub entry: u32,
}

/// Stores by one instruction that change the word in the same way; writers as readers above.
#[derive(Clone, Copy, Debug)]
pub(super) struct Store {
    /// `None`: an atomic.
    pub mem: Option<u32>,
    /// Before and after; `None` if more than the word is written at once, or by an atomic.
    pub values: Option<[u64; 2]>,
    pub entry: u32,
}
