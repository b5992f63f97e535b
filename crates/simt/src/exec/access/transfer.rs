//! Values on their way between registers and the words of a memory.

use crate::bytecode::{Bank, Inst, Kind, MemInfo};
use crate::exec::lanes::{Lanes, each};
use crate::exec::warp::Warp;
use crate::exec::world::{memory_bits, register_bits};

/// Reads the components of each lane's value into registers. `word(lane, index)` gives a word of
/// the space.
#[inline(always)]
pub(super) fn gather(
    warp: &mut Warp,
    inst: &Inst,
    info: &MemInfo,
    offsets: &Lanes,
    mask: u32,
    word: impl Fn(usize, usize) -> u32,
) {
    let one = [inst.d];
    let regs = if info.regs.is_empty() { &one[..] } else { &info.regs };
    let step = u64::from(info.kind.size());
    for (k, reg) in regs.iter().enumerate() {
        let at = step * k as u64;
        match info.kind {
            Kind::W32 => {
                let out = &mut warp.regs.a[*reg as usize];
                for l in each(mask) {
                    out[l] = word(l, ((offsets[l] + at) / 4) as usize);
                }
            }
            Kind::W64 => {
                let out = &mut warp.regs.b[*reg as usize];
                for l in each(mask) {
                    let i = ((offsets[l] + at) / 4) as usize;
                    out[l] = u64::from(word(l, i + 1)) << 32 | u64::from(word(l, i));
                }
            }
            kind => {
                let out = &mut warp.regs.a[*reg as usize];
                for l in each(mask) {
                    let byte = offsets[l] + at;
                    let bits = word(l, (byte / 4) as usize) >> (8 * (byte % 4));
                    out[l] = register_bits(kind, u64::from(bits)) as u32;
                }
            }
        }
    }
}

/// Writes the components, lanes in order, so that the last one wins.
/// `put(lane, index, value, mask)` replaces bits.
#[inline(always)]
pub(super) fn scatter(
    warp: &Warp,
    inst: &Inst,
    info: &MemInfo,
    offsets: &Lanes,
    mask: u32,
    mut put: impl FnMut(usize, usize, u32, u32),
) {
    let one = [inst.d];
    let regs = if info.regs.is_empty() { &one[..] } else { &info.regs };
    let step = u64::from(info.kind.size());
    for (k, reg) in regs.iter().enumerate() {
        let at = step * k as u64;
        match info.kind.bank() {
            Bank::B => {
                for l in each(mask) {
                    let i = ((offsets[l] + at) / 4) as usize;
                    let value = warp.regs.b[*reg as usize][l];
                    put(l, i, value as u32, u32::MAX);
                    put(l, i + 1, (value >> 32) as u32, u32::MAX);
                }
            }
            Bank::A => {
                let bits = if step == 4 { u32::MAX } else { (1 << (8 * step)) - 1 };
                for l in each(mask) {
                    let byte = offsets[l] + at;
                    let shift = 8 * (byte % 4);
                    let value = memory_bits(info.kind, warp.regs.a[*reg as usize][l]);
                    put(l, (byte / 4) as usize, value << shift, bits << shift);
                }
            }
        }
    }
}
