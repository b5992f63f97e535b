//! What a memory instruction met last, and what its rows have done there.

use super::tally::Extent;
use super::world::{AllocState, World};
use crate::bytecode::{Kind, MemInfo};
use crate::memory::Allocation;

/// Lanes times bytes of a row of words.
pub(super) const ROW: u64 = 128;

/// The allocation that a memory access met last, at first an empty one. Most accesses of good
/// kernels are rows of words there: each lane of a full warp one word, in a row. What those count
/// is summed up here, until the access meets another allocation or the launch ends.
#[derive(Clone, Copy)]
pub(crate) struct Recent<'w> {
    pub info: &'w MemInfo,
    pub alloc: usize,
    pub base: u64,
    pub size: u64,
    pub met: Option<(&'w Allocation, &'w AllocState)>,
    /// Requests may be rows of words: they have one base, and an index that counts words.
    pub words: bool,
    /// A row of words may begin at offsets below.
    pub room: u64,
    /// A page that is saved already; `usize::MAX`: none.
    pub page: usize,
    pub rows: Rows,
    /// They are stores.
    pub writes: bool,
}

/// Rows of words of one access to one allocation.
#[derive(Clone, Copy, Default)]
pub(crate) struct Rows {
    pub count: u64,
    /// Those that do not begin with a sector.
    pub crooked: u64,
    pub extent: Extent,
}

impl<'w> Recent<'w> {
    pub fn new(info: &'w MemInfo) -> Recent<'w> {
        let one = info.kind == Kind::W32 && info.size == 4 && info.regs.is_empty();
        Recent {
            info,
            alloc: 0,
            base: 0,
            size: 0,
            met: None,
            words: one && info.scale == 4 && info.uniform,
            room: 0,
            page: usize::MAX,
            rows: Rows::default(),
            writes: false,
        }
    }

    /// The access has met allocation number `alloc`.
    pub fn meet(&mut self, world: &'w World<'w>, alloc: usize) {
        let (a, state) = (&*world.allocs[alloc], &world.states[alloc]);
        *self = Recent {
            alloc,
            base: a.base,
            size: a.size,
            met: Some((a, state)),
            room: if state.constant { 0 } else { a.size.saturating_sub(ROW - 1) },
            page: usize::MAX,
            rows: Rows::default(),
            ..*self
        };
    }
}

impl Rows {
    #[inline(always)]
    pub fn add(&mut self, offset: u64) {
        self.count += 1;
        // Allocations begin with a sector.
        self.crooked += u64::from(!offset.is_multiple_of(32));
        self.extent.add(offset, offset + ROW);
    }
}
