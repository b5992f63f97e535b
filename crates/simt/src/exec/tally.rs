//! What a worker counts: runs of instructions, requests, and what of each allocation was touched.

use super::alu::by_lane;
use super::lanes::{Lanes, distinct, each};

/// How often a control instruction ran, and the run behind it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hit {
    pub exec: u64,
    pub lanes: u64,
    pub run: u64,
    pub run_lanes: u64,
}

/// The bytes from the first to the last that a launch touched, as offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub first: u64,
    pub end: u64,
}

impl Default for Extent {
    fn default() -> Extent {
        Extent { first: u64::MAX, end: 0 }
    }
}

impl Extent {
    #[inline(always)]
    pub fn add(&mut self, first: u64, end: u64) {
        self.first = self.first.min(first);
        self.end = self.end.max(end);
    }

    /// Bytes.
    pub fn len(&self) -> u64 {
        self.end.saturating_sub(self.first)
    }
}

/// What a model of the caches needs to know of global loads.
#[derive(Clone, Debug)]
pub(crate) struct Loads {
    /// Quarters of passes through the L1 cache: 4 for each line of a scattered load, 1 for each
    /// sector of a row, 4 at least.
    pub l1_quarters: u64,
    /// Sectors of scattered loads.
    pub sectors: u64,
    /// Pieces of 64 bytes that they bring, as far as the line is not the lane's last one.
    pub pieces: u64,
    /// By memory access: the lines that its lanes met last, and in which block.
    last: Vec<(u64, Lanes)>,
}

impl Loads {
    pub fn new(accesses: usize) -> Loads {
        Loads { l1_quarters: 0, sectors: 0, pieces: 0, last: vec![(u64::MAX, [0; 32]); accesses] }
    }

    /// Notes a load by access `mem` in block `block` whose lanes do not form a row.
    pub fn scattered(&mut self, block: u64, mem: u32, lanes: &Lanes, mask: u32, sectors: u64) {
        let lines = by_lane(|l| lanes[l] / 128);
        let (before, last) = &mut self.last[mem as usize];
        if std::mem::replace(before, block) != block {
            *last = [u64::MAX; 32];
        }
        let mut new = 0;
        for l in each(mask) {
            new |= u32::from(lines[l] != last[l]) << l;
            last[l] = lines[l];
        }
        self.sectors += sectors;
        self.l1_quarters += sectors.max(4 * distinct(&lines, mask));
        if new != 0 {
            self.pieces += distinct(&by_lane(|l| lanes[l] / 64), new);
        }
    }
}

/// What of an allocation was touched.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extents {
    pub read: Extent,
    pub written: Extent,
    pub atomic: Extent,
}

impl Extents {
    #[inline(always)]
    pub fn of(&mut self, write: bool) -> &mut Extent {
        if write { &mut self.written } else { &mut self.read }
    }
}
