//! The design around a filter for the board: 1024 words through any of the architectures.

use hdl::{Block, BuildErrors, Module, bit, signed};

/// Wires the filter `core` to the communication block: the result word is the bits `lsb + 15` down
/// to `lsb` of `dout` (lab 5 takes 32 down to 17). It reads 1024 words as fast as `rfd` allows and
/// is done when the 1024th result is stored; so the samples of a run stay in the core when the next
/// one begins. A core [with a clear](super::Fir::with_clear) is cleared by the start pulse.
///
/// # Errors
/// If `core` has not the ports of a filter, or `dout` has no such bits.
pub fn top(core: &Block, lsb: u32) -> Result<Block, BuildErrors> {
    let m = Module::new("fpgatop");
    m.doc("1024 words through a filter with the ports ND, RFD and RDY.");
    m.clock("CLK");
    let start = m.input("START_PROC", bit());
    let data = m.input("SRC_DATA", signed(16));

    let reading = m.reg("reading", bit()).comment("words are still to be read");
    let working = m.reg("working", bit());
    let state = m.states("state", &["IDLE", "RD_DAT"]);
    let src_rd = m.wire("read_word", bit());
    let u = m.instance("u_fir", core).connect("din", data).connect("nd", src_rd);
    if core.inputs().iter().any(|port| port.name == "sclr") {
        u.connect("sclr", start);
    }
    let result_wr = (u.out("rdy") & working).named("write_word");
    src_rd.drive(u.out("rfd") & reading);
    // Of 1024: the count of the last one is 1023.
    let words_read = m.counter("words_read", 1023, src_rd);
    let words_written = m.counter("words_written", 1023, result_wr);

    m.process("control", || {
        state.case("IDLE", || {
            m.when(start, || {
                reading.set(1);
                working.set(1);
                state.go("RD_DAT");
            });
        });
        state.case("RD_DAT", || {
            m.when(src_rd.q() & words_read.eq(1023), || reading.set(0));
            m.when(result_wr & words_written.eq(1023), || {
                working.set(0);
                state.go("IDLE");
            });
        });
    });
    m.output("SRC_RD", src_rd);
    m.output("RESULT_DATA", u.out("dout").slice(lsb + 15, lsb));
    m.output("RESULT_WR", result_wr);
    m.output("PROC_WORKING", working);
    m.build()
}
