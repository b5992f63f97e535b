//! The shape of a request: one address for all lanes, a row of neighbours, groups of lanes that
//! each are one of the two, as in blocks of 8 or 16 threads in x, or anything else.

// Lane loops over several arrays read best, and vectorise, as plain index loops.
#![allow(clippy::needless_range_loop)]

use super::alu::{FULL, by_lane};
use super::lanes::{Lanes, wavefronts};

/// Shape of a request.
pub(crate) enum Pattern {
    /// All active lanes at one address.
    Same(u64),
    /// Lane `l` at this address plus `l` times the size; the active lanes are contiguous.
    Row(u64),
    /// Groups of eight lanes, each of them the one or the other; all lanes are active.
    Groups(Groups),
    /// Anything else: [`Worker::lanes_of`] has the addresses.
    ///
    /// [`Worker::lanes_of`]: super::block::Worker::lanes_of
    Scattered,
}

/// Lanes of a group.
pub(crate) const GROUP: usize = 8;

/// Addresses of groups of [`GROUP`] lanes: lane `l` is at `starts[l / 8] + step * (l % 8)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Groups {
    pub starts: [u64; 4],
    /// 0, or the size of an element.
    pub step: u64,
}

/// Lanes that make one row or are at one address: the first, their number, its address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub lane: usize,
    pub count: usize,
    pub start: u64,
}

/// At most one run for each group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runs {
    list: [Run; 4],
    len: usize,
}

impl std::ops::Deref for Runs {
    type Target = [Run];

    #[inline(always)]
    fn deref(&self) -> &[Run] {
        &self.list[..self.len]
    }
}

impl Groups {
    /// All lanes at one address.
    #[inline(always)]
    pub fn same(at: u64) -> Groups {
        Groups { starts: [at; 4], step: 0 }
    }

    /// Lane `l` at `start + l * size`.
    #[inline(always)]
    pub fn row(start: u64, size: u32) -> Groups {
        let step = u64::from(size);
        let first = |g: u64| start.wrapping_add(g * GROUP as u64 * step);
        Groups { starts: [first(0), first(1), first(2), first(3)], step }
    }

    /// Each lane's address.
    pub fn lanes(&self) -> Lanes {
        by_lane(|l| self.starts[l / GROUP].wrapping_add(self.step * (l % GROUP) as u64))
    }

    /// Of elements of `size` bytes: the first byte and the end of what group `g` touches. The end
    /// may wrap round.
    #[inline(always)]
    pub fn extent(&self, g: usize, size: u64) -> (u64, u64) {
        let start = self.starts[g];
        (start, start.wrapping_add(self.step * (GROUP as u64 - 1) + size))
    }

    /// The runs that the lanes of `mask` make. If not all lanes are active, they are contiguous and
    /// the groups are one row, or at one address.
    #[inline(always)]
    pub fn runs(&self, mask: u32) -> Runs {
        let mut runs =
            Runs { list: [Run { lane: 0, count: 32, start: self.starts[0] }; 4], len: 1 };
        if mask != FULL {
            let lane = mask.trailing_zeros() as usize;
            let start = self.starts[0].wrapping_add(self.step * lane as u64);
            runs.list[0] = Run { lane, count: mask.count_ones() as usize, start };
        } else if !self.is_one() {
            runs.len = 0;
            let mut g = 0;
            while g < 4 {
                let first = g;
                g += 1;
                while g < 4 && self.starts[g] == self.next(g - 1) {
                    g += 1;
                }
                let (lane, count) = (GROUP * first, GROUP * (g - first));
                runs.list[runs.len] = Run { lane, count, start: self.starts[first] };
                runs.len += 1;
            }
        }
        runs
    }

    /// Where group `g + 1` begins if it goes on where group `g` ends.
    #[inline(always)]
    fn next(&self, g: usize) -> u64 {
        self.starts[g].wrapping_add(self.step * GROUP as u64)
    }

    /// All groups are one row, or at one address.
    #[inline(always)]
    pub fn is_one(&self) -> bool {
        (1..4).all(|g| self.starts[g] == self.next(g - 1))
    }

    /// How many different units of some bytes are touched by elements of `size` bytes, for each of
    /// the `units`.
    #[inline(always)]
    pub fn units<const N: usize>(&self, size: u64, units: [u64; N]) -> [u64; N] {
        let mut sorted = *self;
        for (low, high) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
            let (x, y) = (sorted.starts[low], sorted.starts[high]);
            (sorted.starts[low], sorted.starts[high]) = (x.min(y), x.max(y));
        }
        let mut counts = [0; N];
        for (count, unit) in counts.iter_mut().zip(units) {
            let mut done = 0;
            for g in 0..4 {
                let (start, end) = sorted.extent(g, size);
                let (from, to) = ((start / unit).max(done), (end - 1) / unit + 1);
                *count += to.saturating_sub(from);
                done = done.max(to);
            }
        }
        counts
    }
}

/// The groups' first values and whether their lanes count up by `1 << shift`, if each group does or
/// stays the same.
#[inline(never)]
pub(super) fn grouped(values: &[u32; 32], shift: u32) -> Option<([u32; 4], bool)> {
    let (mut off_row, mut off_same) = (0, 0);
    for g in 0..4 {
        let first = values[GROUP * g];
        for k in 0..GROUP {
            let value = values[GROUP * g + k];
            off_row |= value.wrapping_sub((k as u32) << shift) ^ first;
            off_same |= value ^ first;
        }
    }
    let firsts = [values[0], values[8], values[16], values[24]];
    (off_row == 0 || off_same == 0).then_some((firsts, off_same != 0))
}

/// The same of addresses that count up by `step`.
#[inline(never)]
pub(super) fn grouped_wide(values: &Lanes, step: u64) -> Option<Groups> {
    let (mut off_row, mut off_same) = (0, 0);
    for g in 0..4 {
        let first = values[GROUP * g];
        for k in 0..GROUP {
            let value = values[GROUP * g + k];
            off_row |= value.wrapping_sub(k as u64 * step) ^ first;
            off_same |= value ^ first;
        }
    }
    let starts = [values[0], values[8], values[16], values[24]];
    let step = if off_same == 0 { 0 } else { step };
    (off_row == 0 || off_same == 0).then_some(Groups { starts, step })
}

/// Addresses of a row whose first active lane stands at `addr`.
pub(crate) fn row_lanes(addr: u64, mask: u32, size: u32) -> Lanes {
    let first = u64::from(mask.trailing_zeros());
    let start = addr.wrapping_sub(first * u64::from(size));
    by_lane(|l| start.wrapping_add(l as u64 * u64::from(size)))
}

/// [`wavefronts`] of words asked for by all lanes in groups.
pub(crate) fn group_passes(groups: &Groups) -> u64 {
    let width = if groups.step == 0 { 1 } else { GROUP as u64 };
    // The words of each bank, counted in levels: bit `b` of `levels[n]` is bank `b` with more than
    // `n` of them.
    let mut levels = [0u32; 4];
    for (g, start) in groups.starts.iter().enumerate() {
        let earlier = &groups.starts[..g];
        if earlier.contains(start) {
            continue;
        }
        if earlier.iter().any(|other| start.abs_diff(*other) < 4 * width) {
            return wavefronts(&groups.lanes(), FULL, 4, false);
        }
        let mut banks = ((1u32 << width) - 1).rotate_left((start / 4 % 32) as u32);
        for level in &mut levels {
            (*level, banks) = (*level | banks, *level & banks);
        }
    }
    levels.iter().filter(|level| **level != 0).count() as u64
}
