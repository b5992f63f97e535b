//! The race shadow of one allocation: who touched each of its granules last.
//!
//! A granule is a word, or a byte in a buffer of smaller elements. Sixteen granules share a *cell*
//! of four bytes for as long as one formula says which thread touched which, as in the rows of
//! neighbouring lanes that good kernels make. A cell that fits no formula is split, once and for
//! all, into an *entry* of four bytes for each granule. Entries are allocated as cells are split,
//! some hundred cells at a time.
//!
//! Cells and entries begin with a stamp of 21 bits. An entry continues with the thread (10 bits)
//! and a flag: of a writer "atomic", of readers "several", in which case the thread says which
//! ([`LANES`], [`WARPS`], [`BLOCKS`]). A cell continues with a code of 11 bits:
//! `64 << s | t >> (4 - s)` for threads from `t` on with `1 << s` granules each, where `t` is a
//! multiple of the threads in a cell, `1 << (4 - s)`; a warp below 32 for several lanes of it; or
//! one of two codes for more than that.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

use bytemuck::allocation::zeroed_vec;

/// Granules of a cell.
pub(crate) const GRANULES: usize = 16;
/// Cells whose entries are allocated together.
const TOGETHER: usize = 256;
/// Class of a readers' entry, in the low bits of the thread: several lanes of one warp, several
/// warps, several blocks.
pub(crate) const LANES: u32 = 0;
pub(crate) const WARPS: u32 = 1;
pub(crate) const BLOCKS: u32 = 2;
/// Codes of a cell for the last two; those of the first are the warps.
const WARPS_CODE: u32 = 32;
const BLOCKS_CODE: u32 = 33;
/// A cell whose granules have entries. No stamp is 0.
const SPLIT: u32 = 1;
/// Ranges of bytes that are reported of one allocation; those after are left out.
const MAX_RANGES: usize = 1024;

/// Last writers and readers of an allocation.
#[derive(Debug)]
pub(crate) struct AllocShadow {
    pub writers: Table,
    pub readers: Table,
    /// Bytes of a granule: 1 or 4.
    pub unit: u64,
    /// Its base-2 logarithm.
    shift: u32,
    /// Nobody is expected to write here, so that readers are not noted one by one. Where one reads
    /// and one writes all the same, the launch must be run again with an exact shadow.
    pub loose: bool,
    /// Of a loose shadow: somebody has read.
    read: AtomicBool,
    /// The same by granule, a bit each, where it is asked for.
    seen: Vec<AtomicU32>,
}

impl AllocShadow {
    /// For an allocation of `words` words. `touched`: it is asked for what was read.
    pub fn new(words: usize, unit: u64, loose: bool, touched: bool) -> AllocShadow {
        let granules = words * (4 / unit) as usize;
        let readers = Table::new(if loose { 0 } else { granules });
        let bits = if loose && touched { granules } else { 0 };
        AllocShadow {
            writers: Table::new(granules),
            readers,
            unit,
            shift: unit.trailing_zeros(),
            loose,
            read: AtomicBool::new(false),
            seen: zeroed_vec(bits.div_ceil(32)),
        }
    }

    /// Of a loose shadow: notes that `granules` were read; false if somebody writes here.
    ///
    /// Of two cores, one that reads and one that writes, one sees the other: each makes its mark
    /// before it looks for the other one's.
    #[inline(always)]
    pub fn read_only(&self, granules: Range<usize>) -> bool {
        if !self.read.load(Ordering::SeqCst) {
            self.read.store(true, Ordering::SeqCst);
        }
        if !self.seen.is_empty() {
            self.see(granules);
        }
        !self.writers.is_used()
    }

    /// Of a loose shadow: somebody has read.
    pub fn is_read(&self) -> bool {
        self.read.load(Ordering::SeqCst)
    }

    /// Notes that `granules` were read.
    #[inline(never)]
    fn see(&self, granules: Range<usize>) {
        let mut first = granules.start;
        while first < granules.end {
            let end = granules.end.min(first / 32 * 32 + 32);
            let bits = u32::MAX >> (32 - (end - first)) << (first % 32);
            let seen = &self.seen[first / 32];
            if seen.load(Ordering::Relaxed) & bits != bits {
                seen.fetch_or(bits, Ordering::Relaxed);
            }
            first = end;
        }
    }

    /// Whole granules in so many bytes.
    #[inline(always)]
    pub fn granules(&self, bytes: u64) -> usize {
        (bytes >> self.shift) as usize
    }

    /// Bytes read and bytes written, as far as the shadow is exact.
    pub fn touched(&self) -> [Vec<Range<u64>>; 2] {
        let read = match self.loose {
            false => self.readers.touched(self.unit),
            true => {
                let mut read = Ranges::of(self.unit);
                for (word, bits) in self.seen.iter().enumerate() {
                    let mut left = bits.load(Ordering::Relaxed);
                    while left != 0 {
                        let first = left.trailing_zeros();
                        let count = (left >> first).trailing_ones();
                        read.add(32 * word + first as usize, count as usize);
                        left &= u32::MAX.checked_shl(first + count).unwrap_or(0);
                    }
                }
                read.list
            }
        };
        [read, self.writers.touched(self.unit)]
    }
}

/// Ranges of bytes, made of granules in order.
struct Ranges {
    /// Bytes of a granule.
    unit: u64,
    list: Vec<Range<u64>>,
}

impl Ranges {
    fn of(unit: u64) -> Ranges {
        Ranges { unit, list: Vec::new() }
    }

    /// `count` granules more; those beyond [`MAX_RANGES`] are left out.
    fn add(&mut self, first: usize, count: usize) {
        let (start, end) = (first as u64 * self.unit, (first + count) as u64 * self.unit);
        let room = self.list.len() < MAX_RANGES;
        match self.list.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ if room => self.list.push(start..end),
            _ => {}
        }
    }
}

/// A cell that is not split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell(pub u32);

/// Who touched the granules of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// Consecutive threads of one warp, each the same number of granules.
    Row(u32),
    /// Several lanes of this warp.
    Lanes(u32),
    Warps,
    Blocks,
}

impl Cell {
    pub const UNTOUCHED: Cell = Cell(0);

    /// Granules `0..16` belong to the threads from `first` on, `1 << shift` to each; `first` is a
    /// multiple of their number.
    #[inline(always)]
    pub fn row(stamp: u32, first: u32, shift: u32) -> Cell {
        Cell(stamp << 11 | (1024 + first) >> (4 - shift))
    }

    /// Rows of a granule for each of 32 threads from `first` on, a multiple of 32.
    #[inline(always)]
    pub fn two_rows(stamp: u32, first: u32) -> [Cell; 2] {
        [Cell::row(stamp, first, 0), Cell::row(stamp, first + GRANULES as u32, 0)]
    }

    #[inline(always)]
    pub fn lanes(stamp: u32, warp: u32) -> Cell {
        Cell(stamp << 11 | warp)
    }

    #[inline(always)]
    pub fn warps(stamp: u32) -> Cell {
        Cell(stamp << 11 | WARPS_CODE)
    }

    #[inline(always)]
    pub fn blocks(stamp: u32) -> Cell {
        Cell(stamp << 11 | BLOCKS_CODE)
    }

    #[inline(always)]
    pub fn stamp(self) -> u32 {
        self.0 >> 11
    }

    /// The cell without its stamp.
    #[inline(always)]
    pub fn code(self) -> u32 {
        self.0 & 2047
    }

    #[inline(always)]
    pub fn who(self) -> Who {
        match self.code() {
            WARPS_CODE => Who::Warps,
            BLOCKS_CODE => Who::Blocks,
            code @ 0..32 => Who::Lanes(code),
            code => Who::Row(code),
        }
    }

    /// Base-2 logarithm of the granules of each thread of a row.
    #[inline(always)]
    fn shift(self) -> u32 {
        25 - self.code().leading_zeros()
    }

    /// The first thread of a row.
    #[inline(always)]
    fn first(self) -> u32 {
        (self.code() << (4 - self.shift())) - 1024
    }

    /// The warp that all who touched the cell belong to.
    #[inline(always)]
    pub fn warp(self) -> Option<u32> {
        match self.who() {
            Who::Row(_) => Some(self.first() / 32),
            Who::Lanes(warp) => Some(warp),
            Who::Warps | Who::Blocks => None,
        }
    }

    /// True if no granule has the same thread in both of these rows.
    #[inline(always)]
    pub fn differs_everywhere(self, other: Cell) -> bool {
        self.shift() == other.shift() && self.code() != other.code()
    }

    /// The entry of granule `k`.
    #[inline(always)]
    pub fn entry(self, k: usize) -> u32 {
        if self == Cell::UNTOUCHED {
            return 0;
        }
        let (thread, several) = match self.who() {
            Who::Row(_) => (self.first() + (k as u32 >> self.shift()), 0),
            Who::Lanes(warp) => (32 * warp + LANES, 1),
            Who::Warps => (WARPS, 1),
            Who::Blocks => (BLOCKS, 1),
        };
        self.stamp() << 11 | thread << 1 | several
    }
}

/// Where cell `c` begins in its pair, in bits.
#[inline(always)]
fn half(c: usize) -> usize {
    c % 2 * 32
}

/// Cells, and the entries of those that are split.
#[derive(Debug)]
pub(crate) struct Table {
    /// Number of cells; even.
    cells: usize,
    /// Two of them each, the first in the lower half: the words of a whole warp. None until one is
    /// touched: many buffers are only read, or only written.
    pairs: OnceLock<Vec<AtomicU64>>,
    /// One is touched, or will be at once.
    used: AtomicBool,
    /// Of a split cell: which sixteen entries are its own.
    places: OnceLock<Vec<AtomicU32>>,
    entries: Vec<OnceLock<Vec<AtomicU32>>>,
    /// Cells split so far.
    split: Mutex<u32>,
}

impl Table {
    fn new(granules: usize) -> Table {
        let cells = 2 * granules.div_ceil(2 * GRANULES);
        Table {
            cells,
            pairs: OnceLock::new(),
            used: AtomicBool::new(false),
            places: OnceLock::new(),
            entries: (0..cells.div_ceil(TOGETHER)).map(|_| OnceLock::new()).collect(),
            split: Mutex::new(0),
        }
    }

    /// A cell is touched, or will be at once.
    #[inline(always)]
    fn is_used(&self) -> bool {
        self.used.load(Ordering::SeqCst)
    }

    /// What cell `c` is in, for a change.
    #[inline(always)]
    fn pair(&self, c: usize) -> &AtomicU64 {
        if !self.is_used() {
            self.used.store(true, Ordering::SeqCst);
        }
        &self.pairs.get_or_init(|| zeroed_vec(self.cells / 2))[c / 2]
    }

    /// The pair that cell `c` is in.
    #[inline(always)]
    fn both(&self, c: usize) -> u64 {
        match self.is_used() {
            true => self.pair(c).load(Ordering::SeqCst),
            false => 0,
        }
    }

    /// Cell `c` as it is now; `None` if it is split.
    #[inline(always)]
    pub fn cell(&self, c: usize) -> Option<Cell> {
        match (self.both(c) >> half(c)) as u32 {
            SPLIT => None,
            cell => Some(Cell(cell)),
        }
    }

    /// Cell `c`, whose number is even, and the next one are as yet untouched.
    #[inline(always)]
    pub fn is_fresh(&self, c: usize) -> bool {
        self.both(c) == 0
    }

    /// Sets cell `c`, whose number is even, and the next one, if they are untouched; else nothing
    /// happens.
    #[inline(always)]
    pub fn touch_first(&self, c: usize, new: [Cell; 2], shared: bool) -> bool {
        let pair = self.pair(c);
        let new = u64::from(new[0].0) | u64::from(new[1].0) << half(1);
        if pair.load(Ordering::Relaxed) != 0 {
            return false;
        }
        if shared {
            return pair.compare_exchange(0, new, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        }
        pair.store(new, Ordering::Relaxed);
        true
    }

    /// Replaces cell `c`, which was `old`; false if another core was faster. `shared`: other cores
    /// are at work here.
    #[inline(always)]
    pub fn replace(&self, c: usize, old: Cell, new: Cell, shared: bool) -> bool {
        let pair = self.pair(c);
        let others = !(u64::from(u32::MAX) << half(c));
        let with_new = |all: u64| all & others | u64::from(new.0) << half(c);
        if shared {
            let replaced = pair.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |all| {
                ((all >> half(c)) as u32 == old.0).then(|| with_new(all))
            });
            return replaced.is_ok();
        }
        pair.store(with_new(pair.load(Ordering::Relaxed)), Ordering::Relaxed);
        true
    }

    fn places(&self) -> &[AtomicU32] {
        self.places.get_or_init(|| zeroed_vec(self.cells))
    }

    /// Entries of cell `c`, which is split.
    #[inline(always)]
    pub fn entries(&self, c: usize) -> &[AtomicU32] {
        let place = self.places()[c].load(Ordering::Relaxed) as usize;
        let most = self.cells.min(TOGETHER) * GRANULES;
        let some = self.entries[place / TOGETHER].get_or_init(|| zeroed_vec(most));
        let first = place % TOGETHER * GRANULES;
        &some[first..first + GRANULES]
    }

    /// Entries of cell `c`, which is split now if it was not.
    #[inline(always)]
    pub fn split(&self, c: usize) -> &[AtomicU32] {
        if self.cell(c).is_some() {
            self.split_now(c);
        }
        self.entries(c)
    }

    #[cold]
    fn split_now(&self, c: usize) {
        let mut used = self.split.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut place = None;
        while let Some(cell) = self.cell(c) {
            let place = *place.get_or_insert_with(|| {
                *used += 1;
                *used - 1
            });
            self.places()[c].store(place, Ordering::Relaxed);
            for (k, entry) in self.entries(c).iter().enumerate() {
                entry.store(cell.entry(k), Ordering::Relaxed);
            }
            // Others may have replaced the cell meanwhile; who finds it split finds the entries,
            // too.
            self.replace(c, cell, Cell(SPLIT), true);
        }
    }

    /// The ranges of bytes that were touched, for granules of `unit` bytes.
    fn touched(&self, unit: u64) -> Vec<Range<u64>> {
        let mut touched = Ranges::of(unit);
        let cells = if self.is_used() { self.cells } else { 0 };
        for c in 0..cells {
            match self.cell(c) {
                Some(Cell::UNTOUCHED) => {}
                Some(_) => touched.add(c * GRANULES, GRANULES),
                None => {
                    for (k, entry) in self.entries(c).iter().enumerate() {
                        if entry.load(Ordering::Relaxed) != 0 {
                            touched.add(c * GRANULES + k, 1);
                        }
                    }
                }
            }
        }
        touched.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_gives_each_granule_its_thread() {
        for shift in 0..=4 {
            let lanes = GRANULES as u32 >> shift;
            for first in (0..1024).step_by(lanes as usize) {
                let cell = Cell::row(77, first, shift);
                assert!(matches!(cell.who(), Who::Row(_)) && cell.warp() == Some(first / 32));
                for k in 0..GRANULES {
                    let thread = first + (k as u32 >> shift);
                    assert_eq!(cell.entry(k), 77 << 11 | thread << 1, "{shift} {first} {k}");
                }
            }
        }
    }

    #[test]
    fn classes_keep_their_warp_and_stamp() {
        for (cell, who, thread) in [
            (Cell::lanes(5, 31), Who::Lanes(31), 31 * 32 + LANES),
            (Cell::warps(5), Who::Warps, WARPS),
            (Cell::blocks(5), Who::Blocks, BLOCKS),
        ] {
            assert_eq!((cell.who(), cell.stamp()), (who, 5));
            assert_eq!(cell.entry(9), 5 << 11 | thread << 1 | 1);
        }
    }

    #[test]
    fn the_cells_of_a_pair_are_touched_together_and_change_alone() {
        for shared in [false, true] {
            let table = Table::new(100);
            assert!(table.is_fresh(2) && table.cell(2) == Some(Cell::UNTOUCHED));
            let rows = Cell::two_rows(9, 64);
            assert!(table.touch_first(2, rows, shared));
            assert_eq!([2, 3].map(|c| table.cell(c)), rows.map(Some));
            assert_eq!(rows.map(|row| row.entry(1)), [65, 81].map(|thread| 9 << 11 | thread << 1));
            assert!(!table.is_fresh(2) && table.is_fresh(0) && table.is_fresh(4));
            // Neither both nor one of them are untouched now.
            assert!(!table.touch_first(2, Cell::two_rows(10, 0), shared));
            let new = Cell::lanes(11, 3);
            assert!(table.replace(3, rows[1], new, shared));
            assert_eq!([2, 3].map(|c| table.cell(c)), [rows[0], new].map(Some));
            assert!(table.replace(1, Cell::UNTOUCHED, new, shared));
            assert!(!table.touch_first(0, rows, shared));
            assert_eq!([0, 1].map(|c| table.cell(c)), [Cell::UNTOUCHED, new].map(Some));
        }
        let table = Table::new(100);
        assert!(table.replace(0, Cell::UNTOUCHED, Cell::warps(2), true));
        assert!(!table.replace(0, Cell::UNTOUCHED, Cell::warps(3), true), "it was not so");
        assert_eq!(table.cell(0), Some(Cell::warps(2)));
    }

    #[test]
    fn split_cells_go_on_where_they_were() {
        let table = Table::new(100);
        let row = Cell::row(3, 32, 0);
        assert!(table.replace(5, Cell::UNTOUCHED, row, true));
        for c in [2, 5] {
            let entries: Vec<u32> =
                table.split(c).iter().map(|e| e.load(Ordering::Relaxed)).collect();
            let want = if c == 5 { row } else { Cell::UNTOUCHED };
            assert_eq!(entries, (0..GRANULES).map(|k| want.entry(k)).collect::<Vec<u32>>());
            assert_eq!(table.cell(c), None);
        }
        let touched = table.touched(4);
        assert_eq!((touched.len(), touched[0].clone()), (1, 5 * 64..6 * 64));
    }
}
