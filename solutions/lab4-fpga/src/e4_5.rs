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
    //~ let mult = mult16x16(style)?;
    //~ let _ = (lsb, start, data, mult, unsigned(10), TAPS, sum_of_products);
    let mult = mult16x16(style)?;
    let state = m.states("state", &["IDLE", "RUN", "DRAIN"]);
    let read = m.reg("read", bit()).comment("asks for the next source word");
    let busy = m.reg("working", bit());
    let words_in = m.reg("cnt_read", unsigned(10)).comment("words taken");
    let words_out = m.reg("cnt_write", unsigned(10)).comment("words stored");

    let taking = state.is("RUN").named("taking");
    let x = m.shift_register_if("x", data, TAPS, taking);
    let coefficient = |i: usize| {
        let mine = taking & words_in.q().eq(i as i64);
        data.reg_if(&format!("c{}", i + 1), mine)
    };
    let c: [_; TAPS] = std::array::from_fn(coefficient);
    let total = sum_of_products(&m, &x, &c, &mult);
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
