//! The shape of a request: one address for all lanes, a row of neighbours, groups of lanes that each
//! are one of the two, as in blocks of 8 or 16 threads in x, or anything else.

// Lane loops over several arrays read best, and vectorise, as plain index loops.
#![allow(clippy::needless_range_loop)]

use crate::bytecode::{Inst, MemInfo, NONE};
use crate::exec::alu::FULL;
use crate::exec::block::{Warp, Worker};
use crate::exec::lanes::{Lanes, contiguous};

/// Shape of a request.
#[allow(clippy::large_enum_variant)] // lives for one request, on the stack
pub(crate) enum Pattern {
    /// All active lanes at one address.
    Same(u64),
    /// Lane `l` at this address plus `l` times the size; the active lanes are contiguous.
    Row(u64),
    /// Groups of eight lanes, each of them the one or the other; all lanes are active.
    Groups(Groups),
    /// Anything else.
    Scattered(Lanes),
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
        Groups { starts: [0, 8, 16, 24].map(|l| start.wrapping_add(l * step)), step }
    }

    /// Each lane's address.
    pub fn lanes(&self) -> Lanes {
        let at = |l: usize| self.starts[l / GROUP].wrapping_add(self.step * (l % GROUP) as u64);
        std::array::from_fn(at)
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

    /// How many different units of `unit` bytes are touched by elements of `size` bytes.
    pub fn units(&self, size: u64, unit: u64) -> u64 {
        let mut parts = [0, 1, 2, 3].map(|g| {
            let (start, end) = self.extent(g, size);
            (start / unit, (end - 1) / unit + 1)
        });
        parts.sort_unstable();
        let (mut count, mut done) = (0, 0);
        for (start, end) in parts {
            let from = start.max(done);
            count += end.saturating_sub(from);
            done = done.max(end);
        }
        count
    }
}

/// The groups' first values and whether their lanes count up by `1 << shift`, if each group does or
/// stays the same.
#[inline(never)]
fn grouped(values: &[u32; 32], shift: u32) -> Option<([u32; 4], bool)> {
    let (mut off_row, mut off_same) = (0, 0);
    for g in 0..4 {
        let first = values[GROUP * g];
        for k in 0..GROUP {
            let value = values[GROUP * g + k];
            off_row |= value.wrapping_sub((k as u32) << shift) ^ first;
            off_same |= value ^ first;
        }
    }
    let firsts = [0, 8, 16, 24].map(|l| values[l]);
    (off_row == 0 || off_same == 0).then_some((firsts, off_same != 0))
}

/// The same of addresses that count up by `step`.
#[inline(never)]
fn grouped_wide(values: &Lanes, step: u64) -> Option<Groups> {
    let (mut off_row, mut off_same) = (0, 0);
    for g in 0..4 {
        let first = values[GROUP * g];
        for k in 0..GROUP {
            let value = values[GROUP * g + k];
            off_row |= value.wrapping_sub(k as u64 * step) ^ first;
            off_same |= value ^ first;
        }
    }
    let starts = [0, 8, 16, 24].map(|l| values[l]);
    let step = if off_same == 0 { 0 } else { step };
    (off_row == 0 || off_same == 0).then_some(Groups { starts, step })
}

impl Pattern {
    /// Each lane's address, for elements of `size` bytes.
    #[inline(always)]
    pub fn lanes(self, size: u32) -> Lanes {
        match self {
            Pattern::Same(at) => [at; 32],
            Pattern::Row(start) => {
                std::array::from_fn(|l| start.wrapping_add(l as u64 * u64::from(size)))
            }
            Pattern::Groups(groups) => groups.lanes(),
            Pattern::Scattered(lanes) => lanes,
        }
    }
}

/// Addresses of a row whose first active lane stands at `addr`.
pub(crate) fn row_lanes(addr: u64, mask: u32, size: u32) -> Lanes {
    let first = u64::from(mask.trailing_zeros());
    let start = addr.wrapping_sub(first * u64::from(size));
    Pattern::Row(start).lanes(size)
}

impl Worker<'_> {
    /// Shape of a request whose address is `base + index * scale + imm`; the mask is not empty.
    /// `windowed`: an offset into shared or local memory, without a base.
    #[inline(always)]
    pub(crate) fn pattern(
        &self,
        warp: &Warp,
        inst: &Inst,
        info: &MemInfo,
        windowed: bool,
    ) -> Pattern {
        let mask = warp.mask;
        let first = mask.trailing_zeros() as usize;
        let imm = i64::from(inst.imm) as u64;
        let scale = i64::from(info.scale);
        let widen = |i: u32| {
            let wide = if info.signed { i64::from(i as i32) } else { i64::from(i) };
            wide.wrapping_mul(scale) as u64
        };
        if info.uniform || windowed {
            let base = if windowed { 0 } else { warp.regs.b[inst.a as usize][first] };
            let base = base.wrapping_add(imm);
            if inst.b == NONE {
                return Pattern::Same(base);
            }
            let index = &warp.regs.a[inst.b as usize];
            // Step of the index from lane to lane in a row.
            let shift = match info.scale {
                1 => info.size.trailing_zeros(),
                _ => 0,
            };
            let i0 = index[first].wrapping_sub((first as u32) << shift);
            let same = index[first];
            let (mut off_row, mut off_same) = (0, 0);
            if mask == FULL {
                for l in 0..32 {
                    off_row |= index[l].wrapping_sub((l as u32) << shift) ^ i0;
                }
                // A row of 32 is no single address.
                off_same = u32::from(off_row == 0);
                if off_row != 0 {
                    for l in 0..32 {
                        off_same |= index[l] ^ same;
                    }
                }
            } else {
                for l in 0..32 {
                    let on = if mask & (1 << l) != 0 { u32::MAX } else { 0 };
                    off_row |= (index[l].wrapping_sub((l as u32) << shift) ^ i0) & on;
                    off_same |= (index[l] ^ same) & on;
                }
            }
            if off_same == 0 {
                return Pattern::Same(base.wrapping_add(widen(same)));
            }
            let in_rows = (info.scale as u32) << shift == info.size;
            // The index must not wrap round on the way.
            let goes_on = |i: u32| (i as i32) < i32::MAX - 1024 && ((i as i32) >= 0 || info.signed);
            if off_row == 0
                && in_rows
                && (mask == FULL || contiguous(mask))
                && goes_on(index[first])
            {
                let start = base.wrapping_add(widen(index[first]));
                return Pattern::Row(start.wrapping_sub(first as u64 * u64::from(info.size)));
            }
            if mask == FULL
                && let Some((firsts, counts)) = grouped(index, shift)
                && (!counts || in_rows && firsts.iter().all(|i| goes_on(*i)))
            {
                let step = if counts { u64::from(info.size) } else { 0 };
                let starts = firsts.map(|i| base.wrapping_add(widen(i)));
                return Pattern::Groups(Groups { starts, step });
            }
            let mut out = [0; 32];
            for l in 0..32 {
                out[l] = base.wrapping_add(widen(index[l]));
            }
            return Pattern::Scattered(out);
        }
        let mut out = warp.regs.b[inst.a as usize];
        if inst.b == NONE {
            for o in &mut out {
                *o = o.wrapping_add(imm);
            }
        } else {
            let index = &warp.regs.a[inst.b as usize];
            for l in 0..32 {
                out[l] = out[l].wrapping_add(imm).wrapping_add(widen(index[l]));
            }
        }
        let size = u64::from(info.size);
        let start = out[first].wrapping_sub(first as u64 * size);
        let (mut off_row, mut off_same) = (0, 0);
        for l in 0..32 {
            let on = if mask & (1 << l) != 0 { u64::MAX } else { 0 };
            off_row |= (out[l].wrapping_sub(l as u64 * size) ^ start) & on;
            off_same |= (out[l] ^ out[first]) & on;
        }
        if off_same == 0 {
            Pattern::Same(out[first])
        } else if off_row == 0 && contiguous(mask) {
            Pattern::Row(start)
        } else if mask == FULL
            && let Some(groups) = grouped_wide(&out, size)
        {
            Pattern::Groups(groups)
        } else {
            Pattern::Scattered(out)
        }
    }

    /// Each lane's address, whatever the shape; `windowed` as for [`Worker::pattern`].
    pub(crate) fn lanes_of(
        &self,
        warp: &Warp,
        inst: &Inst,
        info: &MemInfo,
        windowed: bool,
    ) -> Lanes {
        self.pattern(warp, inst, info, windowed).lanes(info.size)
    }
}
