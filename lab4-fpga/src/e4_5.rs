//! Exercise 4.5: coefficients that come with the data.
//!
//! The first eight source words are b1 to b8. They are stored in registers, and go through the
//! delay line like all other words. Begin with your exercise 4.3.

use hdl::{Block, BuildErrors, Module, bit, signed, unsigned};
use lab4_fpga::TAPS;
use lab4_fpga::e4_1::sum_of_products;
use lab4_fpga::mult::{ImplStyle, mult16x16};

/// The filter with variable coefficients, one word per clock; latency as in exercise 4.3.
///
/// # Errors
/// The builder's, if the design has a mistake.
pub fn fir1(lsb: u32, style: ImplStyle) -> Result<Block, BuildErrors> {
    let m = Module::new("fir1");
    m.doc(
        "FIR filter of eight taps, one word per clock. The first eight words are its coefficients.",
    );
    m.clock("CLK");
    m.async_reset("RST");
    let start = m.input("START_PROC", bit());
    let data = m.input("SRC_DATA", signed(16));
    // <lab
    let mult = mult16x16(style)?;
    let _ = (lsb, start, data, mult, unsigned(10), TAPS, sum_of_products);
    // lab>
    m.build()
}
