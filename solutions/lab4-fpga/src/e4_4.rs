//! Exercise 4.4: multiplication in logic cells. The filter is that of exercise 4.3; only what its
//! multipliers are made of is new. Build it, read the report, and answer the questions in
//! `answers/e4_4.toml`.

use lab4_fpga::mult::ImplStyle;

/// What the multipliers of the filter are made of.
// <lab
//~ pub const STYLE: ImplStyle = ImplStyle::Block;
pub const STYLE: ImplStyle = ImplStyle::PipeLut;
// lab>

/// A product with a constant is a sum of shifted copies: the terms `(1, k)`, which adds 2^k, and
/// `(-1, k)`, which subtracts it, that together make `b`, and as few of them as possible. 7 is
/// `[(-1, 0), (1, 3)]`, and 0 has none.
pub fn digits(b: i64) -> Vec<(i64, u32)> {
    // <lab
    let (mut rest, mut terms) = (b, Vec::new());
    for k in 0.. {
        if rest == 0 {
            break;
        }
        if rest % 2 != 0 {
            // Two bits tell: 01 is a one by itself, 11 the lowest of a run of ones, which ends one
            // place above it.
            let digit = 2 - rest.rem_euclid(4);
            terms.push((digit, k));
            rest -= digit;
        }
        rest /= 2;
    }
    terms
    //~ // From bit 0 up: what do the lowest two bits of what is left say?
    //~ let _ = b;
    //~ Vec::new()
    // lab>
}
