//! Step 5.1: the magnitude of a complex number without a root.

use hdl::{Block, BuildErrors, Module, Sig, signed, unsigned};
use ipcores::magnitude::{PAIRS, Pair};

// <lab
/// The pair that the transform's top uses. (Why this one?)
pub const PAIR: Pair = PAIRS[0];
// lab>

/// Clocks from `in_i`, `in_q` to their `mag_out`.
// <lab
pub const LATENCY: u32 = 0;
// lab>

/// The entity `mag16`: inputs `in_i`, `in_q` (16 bits, signed), output `mag_out` (16 bits, signed),
/// one result per clock: `(alpha max + beta min) / 2^shift` of |I| and |Q|, cut off once in the
/// end, and 32767 where that is more.
///
/// Four stages, a register behind each: magnitudes, larger and smaller one, shifts and sums, limit.
/// No multiplier.
///
/// # Errors
/// What the builder finds wrong.
pub fn mag16(pair: Pair) -> Result<Block, BuildErrors> {
    let m = Module::new("mag16");
    let i = m.input("in_i", signed(16));
    let q = m.input("in_q", signed(16));
    // <lab
    // Magnitudes, larger and smaller, shift and add, limit: a register behind each.
    let _: (Pair, Sig) = (pair, q.extend(unsigned(17).width));
    m.output("mag_out", i);
    // lab>
    m.build()
}
