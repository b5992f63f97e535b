//! Step 5.9: the transform on the board: 1024 words in, 1024 magnitudes out.

use hdl::{Block, BuildErrors, Module, bit, signed};
use ipcores::fft::FftCore;
use lab5_fpga_ip::e5_1::{PAIR, mag16};
use lab5_fpga_ip::e5_2::delaysel;

/// Clocks by which `dv` must wait for the magnitudes.
// <lab
pub const SEL: u32 = 0;
// lab>

/// The board's design around the transform `core`.
///
/// A start begins a forward transform with the right shifts `schedule` (a word for `scale_sch`): a
/// pulse of one clock, which is the write enable of both registers as well. The transform takes its
/// samples by itself (`SRC_RD` is `rfd`), unloads as soon as it can (`unload` is `edone`) and is
/// `PROC_WORKING` while it is `busy`. Real and imaginary part of a bin go through `mag16` to
/// `RESULT_DATA`; `dv` goes through `delaysel` to `RESULT_WR`. `LED3` shows `ovflo`.
///
/// # Errors
/// What the builder finds wrong.
pub fn top(core: &FftCore, schedule: i64) -> Result<Block, BuildErrors> {
    let m = Module::new("fpgatop");
    m.doc("1024 words to the magnitudes of their spectrum.");
    m.clock("CLK");
    let start = m.input("START_PROC", bit());
    let data = m.input("SRC_DATA", signed(16));
    let schedule_type =
        core.block.inputs().into_iter().find(|p| p.name == "scale_sch").map(|p| p.ty);
    let schedule = m.lit(schedule, schedule_type.unwrap_or(bit()));
    let (zero, none) = (m.lit(0, signed(16)), m.lit(0, bit()));

    let state = m.states("state", &["IDLE", "RD_DAT", "WR_DAT"]);
    let written = m.reg("written", hdl::unsigned(10)).comment("words written");
    let begin = (start & state.is("IDLE")).named("begin_transform");
    let fft = m.instance("u_fft", &core.block);
    fft.connect("start", begin).connect("unload", fft.out("edone"));
    fft.connect("xn_re", data).connect("xn_im", zero).connect("fwd_inv", none);
    fft.connect("fwd_inv_we", begin).connect("scale_sch", schedule).connect("scale_sch_we", begin);
    // <lab
    // IDLE until the start, RD_DAT until `done`, WR_DAT until 1024 words are written (a start
    // there aborts).
    // Then the magnitude, and the delay of `dv`.
    let _ = (mag16(PAIR), delaysel(SEL));
    let (write, result) = (fft.out("dv"), fft.out("xk_re"));
    m.process("control", || {
        state.case("IDLE", || m.when(start, || state.go("RD_DAT")));
        m.when(write, || written.set(written + 1));
    });
    // lab>
    m.output("SRC_RD", fft.out("rfd"));
    m.output("RESULT_DATA", result);
    m.output("RESULT_WR", write);
    m.output("PROC_WORKING", fft.out("busy"));
    m.output("LED3", fft.out("ovflo"));
    m.build()
}
