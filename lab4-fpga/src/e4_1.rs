//! Exercise 4.1: `fir1`, the first version of the filter, made from the example `fpgatop`.
//!
//! ```text
//! y[n] = b1 x[n] + b2 x[n-1] + ... + b8 x[n-7]
//! ```
//!
//! Eight registers hold the last samples, eight `mult16x16` make the products, and a tree of adders
//! sums them up. The state machine takes three clocks per word, as that of the example.

use hdl::{Block, BuildErrors, Module, Sig, bit, signed, unsigned};
use lab4_fpga::TAPS;
use lab4_fpga::mult::{ImplStyle, mult16x16};

/// The sum of the eight products `x[i] * b[i]`, 35 bits wide: one instance of `mult` for each (name
/// them `u_mult1` to `u_mult8`), then pairs of 33 bits, quads of 34 and the total of 35. Extend
/// before you add: a sum wraps.
pub fn sum_of_products<'m>(m: &'m Module, x: &[Sig<'m>], b: &[Sig<'m>], mult: &Block) -> Sig<'m> {
    // <lab
    let _ = (x, b, mult);
    m.lit(0, signed(35))
    // lab>
}

/// The filter with constant coefficients in multiplier blocks. The result word is the 16 bits of
/// the total from bit `lsb` upwards; word n of the result belongs to word n of the source.
///
/// # Errors
/// The builder's, if the design has a mistake.
pub fn fir1(coefficients: &[i64; TAPS], lsb: u32) -> Result<Block, BuildErrors> {
    let m = Module::new("fir1");
    m.doc("FIR filter of eight taps, three clocks per word.");
    m.clock("CLK");
    m.async_reset("RST");
    let start = m.input("START_PROC", bit());
    let data = m.input("SRC_DATA", signed(16));
    let mult = mult16x16(ImplStyle::Block)?;
    // <lab
    // Begin with what is in src/fpgatop.rs.
    // Outputs: RESULT_DATA, SRC_RD, RESULT_WR, PROC_WORKING.
    let _ = (coefficients, lsb, start, data, mult, unsigned(10));
    // lab>
    m.build()
}
