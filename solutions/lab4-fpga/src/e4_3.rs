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
    //~ style.latency()
    2 + style.latency()
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
    //~ let _ = (coefficients, lsb, start, data, mult, unsigned(10), sum_of_products);
    let state = m.states("state", &["IDLE", "RUN", "DRAIN"]);
    let read = m.reg("read", bit()).comment("asks for the next source word");
    let busy = m.reg("working", bit());
    let words_in = m.reg("cnt_read", unsigned(10)).comment("words taken");
    let words_out = m.reg("cnt_write", unsigned(10)).comment("words stored");

    let taking = state.is("RUN").named("taking");
    let x = m.shift_register_if("x", data, TAPS, taking);
    let b = coefficients.map(|c| m.lit(c, signed(16)));
    let total = sum_of_products(&m, &x, &b, &mult);
    let valid = m.shift_register("valid", taking, 1 + style.latency() as usize);
    let write = valid[valid.len() - 1];

    m.process("flow", || {
        m.when(write, || words_out.set(words_out + 1));
        state.case("IDLE", || {
            m.when(start, || {
                busy.set(1);
                words_in.set(0);
                words_out.set(0);
                read.set(1);
                state.go("RUN");
            });
        });
        state.case("RUN", || {
            words_in.set(words_in + 1);
            m.when(words_in.q().eq(1023), || {
                read.set(0);
                state.go("DRAIN");
            });
        });
        state.case("DRAIN", || {
            m.when(write & words_out.q().eq(1023), || {
                busy.set(0);
                state.go("IDLE");
            });
        });
    });
    m.output("RESULT_DATA", total.slice(lsb + 15, lsb));
    m.output("SRC_RD", read);
    m.output("RESULT_WR", write);
    m.output("PROC_WORKING", busy);
    // lab>
    m.build()
}
