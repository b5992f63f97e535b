//! The addresses of a request, and what shape they have.

// Lane loops over several arrays read best, and vectorise, as plain index loops.
#![allow(clippy::needless_range_loop)]

use crate::bytecode::{Inst, MemInfo, NONE};
use crate::exec::alu::{FULL, by_lane};
use crate::exec::block::Worker;
use crate::exec::lanes::{Lanes, contiguous};
use crate::exec::recent::Recent;
use crate::exec::shape::{Groups, Pattern, grouped, grouped_wide};
use crate::exec::warp::Warp;

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
        let widen = |i: u32| widen(info, i);
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
            let in_rows = (info.scale as u32) << shift == info.size;
            let goes_on = |i: u32| in_rows && goes_on(info, i);
            let same = index[first];
            let row = || {
                let start = base.wrapping_add(widen(same));
                Pattern::Row(start.wrapping_sub(first as u64 * u64::from(info.size)))
            };
            if mask == FULL {
                // Most that are no rows, or not the same, are seen by the last lane.
                if index[31].wrapping_sub(same) == 31 << shift
                    && goes_on(same)
                    && counts_up(index, shift)
                {
                    return row();
                }
                if index[31] == same && index.iter().fold(0, |off, i| off | i ^ same) == 0 {
                    return Pattern::Same(base.wrapping_add(widen(same)));
                }
                return match grouped(index, shift) {
                    Some((firsts, counts)) if !counts || firsts.iter().all(|i| goes_on(*i)) => {
                        let step = if counts { u64::from(info.size) } else { 0 };
                        let mut starts = [base; 4];
                        for (start, index) in starts.iter_mut().zip(firsts) {
                            *start = start.wrapping_add(widen(index));
                        }
                        Pattern::Groups(Groups { starts, step })
                    }
                    _ => Pattern::Scattered,
                };
            }
            let i0 = same.wrapping_sub((first as u32) << shift);
            let (mut off_row, mut off_same) = (0, 0);
            for l in 0..32 {
                let on = if mask & (1 << l) != 0 { u32::MAX } else { 0 };
                off_row |= (index[l].wrapping_sub((l as u32) << shift) ^ i0) & on;
                off_same |= (index[l] ^ same) & on;
            }
            return match () {
                () if off_same == 0 => Pattern::Same(base.wrapping_add(widen(same))),
                () if off_row == 0 && contiguous(mask) && goes_on(same) => row(),
                () => Pattern::Scattered,
            };
        }
        let out = self.lanes_of(warp, inst, info, windowed);
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
            Pattern::Scattered
        }
    }

    /// The address of each lane of the mask, whatever the shape; `windowed` as for
    /// [`Worker::pattern`].
    pub(crate) fn lanes_of(
        &self,
        warp: &Warp,
        inst: &Inst,
        info: &MemInfo,
        windowed: bool,
    ) -> Lanes {
        let imm = i64::from(inst.imm) as u64;
        let mut out = if windowed {
            [imm; 32]
        } else {
            let base = &warp.regs.b[inst.a as usize];
            let first = base[warp.mask.trailing_zeros() as usize];
            by_lane(|l| if info.uniform { first } else { base[l] }.wrapping_add(imm))
        };
        if inst.b != NONE {
            let index = &warp.regs.a[inst.b as usize];
            for l in 0..32 {
                out[l] = out[l].wrapping_add(widen(info, index[l]));
            }
        }
        out
    }
}

/// Where the words begin that all lanes ask for in a row, at one base and an index, as most
/// requests of good kernels do. `None`: they do not, or it takes [`Worker::pattern`] to see it.
#[inline(always)]
pub(super) fn words(warp: &Warp, inst: &Inst, recent: &Recent<'_>) -> Option<u64> {
    if !recent.words || warp.mask != FULL || inst.b == NONE {
        return None;
    }
    let index = &warp.regs.a[inst.b as usize];
    // Most that are no rows are seen by the last lane.
    let may = index[31].wrapping_sub(index[0]) == 31 && goes_on(recent.info, index[0]);
    if !may || !counts_up(index, 0) {
        return None;
    }
    let base = warp.regs.b[inst.a as usize][0].wrapping_add(i64::from(inst.imm) as u64);
    Some(base.wrapping_add(widen(recent.info, index[0])))
}

/// Each lane's index is by `1 << shift` larger than that of the lane before.
#[inline(always)]
fn counts_up(index: &[u32; 32], shift: u32) -> bool {
    let mut off = 0;
    for l in 0..32 {
        off |= index[l].wrapping_sub((l as u32) << shift) ^ index[0];
    }
    off == 0
}

/// From `index` on lanes can count up without a wrap-round of the index on the way.
#[inline(always)]
fn goes_on(info: &MemInfo, index: u32) -> bool {
    (index as i32) < i32::MAX - 1024 && ((index as i32) >= 0 || info.signed)
}

/// What an index adds to an address.
#[inline(always)]
fn widen(info: &MemInfo, index: u32) -> u64 {
    let wide = if info.signed { i64::from(index as i32) } else { i64::from(index) };
    wide.wrapping_mul(i64::from(info.scale)) as u64
}
