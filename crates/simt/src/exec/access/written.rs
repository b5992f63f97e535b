//! Whether the bytes of a request were ever written.

use crate::exec::lanes::{Lanes, each};

/// Initialised bits of `size` bytes at `offset`, lowest byte first, word by word: calls
/// `f(word, bits)`.
pub(crate) fn bytes_of(offset: u64, size: u32, mut f: impl FnMut(usize, u32)) {
    let word = (offset / 4) as usize;
    if size >= 4 {
        for k in 0..(size / 4) as usize {
            f(word + k, 15);
        }
    } else {
        f(word, ((1 << size) - 1) << (offset % 4));
    }
}

/// Lanes that would read a byte never written. `written(lane, word)`: a bit for each byte of a
/// word.
#[inline(always)]
pub(crate) fn unwritten(
    offsets: &Lanes,
    mask: u32,
    size: u32,
    written: impl Fn(usize, usize) -> u32,
) -> u32 {
    let mut missing = 0;
    for l in each(mask) {
        bytes_of(offsets[l], size, |w, bits| {
            missing |= u32::from(written(l, w) & bits != bits) << l;
        });
    }
    missing
}
