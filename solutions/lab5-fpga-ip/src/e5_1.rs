//! Step 5.1: the magnitude of a complex number without a root.

use hdl::{Block, BuildErrors, Module, Sig, signed, unsigned};
use ipcores::magnitude::{PAIRS, Pair};

// <lab
/// The pair that the transform's top uses, and why: the largest error is the least of the four in
/// dB, and both factors come from one subtraction, 16 A - A.
pub const PAIR: Pair = PAIRS[3];
//~ /// The pair that the transform's top uses. (Why this one?)
//~ pub const PAIR: Pair = PAIRS[0];
// lab>

/// Clocks from `in_i`, `in_q` to their `mag_out`.
// <lab
pub const LATENCY: u32 = 4;
//~ pub const LATENCY: u32 = 0;
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
    m.doc(&format!(
        "|I + jQ| by {} of the larger and the smaller part, four clocks later.",
        pair.name
    ));
    // |-32768| needs the 16th bit: unsigned.
    let (abs_i, abs_q) = (i.abs().reg("abs_i"), q.abs().reg("abs_q"));
    let (larger, smaller) = (abs_i.max(abs_q).reg("larger"), abs_i.min(abs_q).reg("smaller"));
    let (a, b) = (larger.extend(22), smaller.extend(22));
    fn times(x: Sig<'_>, factor: u32) -> Sig<'_> {
        match factor {
            3 => (x << 1) + x,
            7 => (x << 3) - x,
            14 => (x << 4) - (x << 1),
            15 => (x << 4) - x,
            30 => (x << 5) - (x << 1),
            power => x << power.trailing_zeros(),
        }
    }
    let sum = (times(a, pair.alpha) + times(b, pair.beta)).named("weighted");
    let short = (sum >> pair.shift).truncate(17).reg("short");
    let limited = short.gt(32767).mux(m.lit(32767, unsigned(17)), short);
    m.output("mag_out", limited.truncate(16).as_signed().reg("limited"));
    //~ // Magnitudes, larger and smaller, shift and add, limit: a register behind each.
    //~ let _: (Pair, Sig) = (pair, q.extend(unsigned(17).width));
    //~ m.output("mag_out", i);
    // lab>
    m.build()
}
