//! Exercise 4.3: one word per clock.
//!
//! While the state is RUN a word comes in with every clock, and while the pipeline has something in
//! it a result goes out with every clock. A chain of single bits, as long as the pipeline, says
//! when its end holds a result:
//!
//! ```text
//! clock        0      1      2      3      4
//! START_PROC   1
//! SRC_DATA     w0     w0     w1     w2     w3
//! x1                         w0     w1     w2
//! products                          of w0  of w1     (multiplier blocks: one clock)
//! RESULT_WR                         1      1
//! ```

use hdl::{Block, BuildErrors, Module, bit, signed, unsigned};
use lab4_fpga::TAPS;
use lab4_fpga::e4_1::sum_of_products;
use lab4_fpga::mult::{ImplStyle, mult16x16};

/// Clocks that a run takes beyond the 1024 of its words: from START_PROC to the first RESULT_WR.
pub fn latency(style: ImplStyle) -> u32 {
    // <lab
    style.latency()
    // lab>
}

/// The filter with constant coefficients, one word per clock. The result word is the 16 bits of the
/// total from bit `lsb` upwards; word n of the result belongs to word n of the source, in either
/// style.
///
/// # Errors
/// The builder's, if the design has a mistake.
pub fn fir1(coefficients: &[i64; TAPS], lsb: u32, style: ImplStyle) -> Result<Block, BuildErrors> {
    let m = Module::new("fir1");
    m.doc("FIR filter of eight taps, one word per clock.");
    m.clock("CLK");
    m.async_reset("RST");
    let start = m.input("START_PROC", bit());
    let data = m.input("SRC_DATA", signed(16));
    let mult = mult16x16(style)?;
    // <lab
    let _ = (coefficients, lsb, start, data, mult, unsigned(10), sum_of_products);
    // lab>
    m.build()
}
