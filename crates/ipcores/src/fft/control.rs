//! Load, compute, unload: the control of the transforms that do one after the other.

use hdl::{Module, Sig, bit, signed, unsigned};

use super::parts::Complex;
use super::{Fft, schedule_word};
use crate::ceil_log2;

/// What the control says in each clock.
pub(crate) struct Control<'m> {
    /// The sample `x` with number `index` is to be stored.
    pub(crate) loading: Sig<'m>,
    /// X(index) is to be read; it must be on show one clock later.
    pub(crate) unloading: Sig<'m>,
    pub(crate) index: Sig<'m>,
    pub(crate) x: Complex<'m>,
    /// The engine begins a step of `stage`.
    pub(crate) issue: Sig<'m>,
    pub(crate) stage: Sig<'m>,
    pub(crate) step: Sig<'m>,
    /// Right shift of the present stage.
    pub(crate) shift: Sig<'m>,
    overflow: hdl::Wire<'m>,
    ovflo: Sig<'m>,
    inverse: Sig<'m>,
    computing: Sig<'m>,
    edone: Sig<'m>,
}

/// Inputs that all transforms have; schedule and direction are kept in registers.
pub(crate) struct Inputs<'m> {
    pub(crate) start: Sig<'m>,
    pub(crate) unload: Sig<'m>,
    pub(crate) x: Complex<'m>,
    pub(crate) inverse: Sig<'m>,
    pub(crate) schedule: Sig<'m>,
}

impl<'m> Inputs<'m> {
    pub(crate) fn new(m: &'m Module, fft: Fft, radix: u32, stages: u32) -> Inputs<'m> {
        let (start, unload) = (m.input("start", bit()), m.input("unload", bit()));
        let x = Complex {
            re: m.input("xn_re", signed(fft.data_bits())),
            im: m.input("xn_im", signed(fft.data_bits())),
        };
        let (fwd_inv, fwd_inv_we) = (m.input("fwd_inv", bit()), m.input("fwd_inv_we", bit()));
        let scale_sch = m.input("scale_sch", unsigned(2 * stages));
        let scale_sch_we = m.input("scale_sch_we", bit());
        let inverse = fwd_inv.reg_if("inverse", fwd_inv_we);
        let schedule =
            m.reg("schedule", scale_sch.ty()).comment("right shifts, first stage lowest");
        schedule.init(schedule_word(&fft.safe_schedule(radix))).enable(scale_sch_we).set(scale_sch);
        let x = x.exchanged(inverse);
        Inputs { start, unload, x, inverse, schedule: schedule.q() }
    }
}

impl<'m> Control<'m> {
    /// A stage begins `steps` steps, one per clock, and then waits `flush` clocks for their
    /// results.
    pub(crate) fn new(
        m: &'m Module,
        fft: Fft,
        (radix, stages): (u32, u32),
        steps: u32,
        flush: u32,
    ) -> Control<'m> {
        let inputs = Inputs::new(m, fft, radix, stages);
        let state = m.states("state", &["IDLE", "LOADS", "COMPUTES", "WAITS", "UNLOADS"]);
        let index = m.reg("index", unsigned(fft.log2())).comment("sample or bin");
        let stage = m.reg("stage", unsigned(ceil_log2(stages).max(1)));
        let clock = m.reg("step", unsigned(ceil_log2(steps + flush))).comment("clock of the stage");
        let shifts = m.reg("shifts", unsigned(2 * stages)).comment("present stage lowest");
        let end_of_stage = clock.q().eq(i64::from(steps + flush - 1)).named("end_of_stage");
        let last_index = index.q().eq(i64::from(fft.points() - 1)).named("last_index");
        let begin = (inputs.start & (state.is("IDLE") | state.is("WAITS"))).named("begin_load");
        let last_stage = stage.q().eq(i64::from(stages - 1));
        let edone = (state.is("COMPUTES") & end_of_stage & last_stage).named("ends");
        m.process("control", || {
            state.case("IDLE", || m.when(begin, || state.go("LOADS")));
            state.case("LOADS", || {
                index.set(index + 1);
                m.when(last_index, || {
                    shifts.set(inputs.schedule);
                    state.go("COMPUTES");
                });
            });
            state.case("COMPUTES", || {
                m.when_else(
                    end_of_stage,
                    || {
                        clock.set(0);
                        stage.set(stage + 1);
                        shifts.set(shifts.q() >> 2);
                    },
                    || clock.set(clock + 1),
                );
                m.when(edone, || {
                    stage.set(0);
                    m.when_else(inputs.unload, || state.go("UNLOADS"), || state.go("WAITS"));
                });
            });
            state.case("WAITS", || {
                m.when_else(
                    inputs.unload,
                    || state.go("UNLOADS"),
                    || m.when(begin, || state.go("LOADS")),
                );
            });
            state.case("UNLOADS", || {
                index.set(index + 1);
                m.when(last_index, || state.go("IDLE"));
            });
        });
        let overflow = m.wire("overflow_now", bit());
        let ovflo = m.reg("overflowed", bit());
        ovflo.set(!begin & (ovflo | overflow));
        let computing = state.is("COMPUTES").named("computing");
        Control {
            loading: state.is("LOADS").named("loading"),
            unloading: state.is("UNLOADS").named("unloading"),
            index: index.q(),
            x: inputs.x,
            issue: (computing & clock.q().lt(i64::from(steps))).named("issue"),
            stage: stage.q(),
            step: clock.q().truncate(ceil_log2(steps)),
            shift: shifts.q().slice(1, 0),
            overflow,
            ovflo: ovflo.q(),
            inverse: inputs.inverse,
            computing,
            edone,
        }
    }

    /// Declares the outputs. `y` is the bin that was asked for one clock ago; `overflow` is 1 where
    /// a value just did not fit.
    pub(crate) fn outputs(&self, m: &'m Module, y: Complex<'m>, overflow: Sig<'m>) {
        self.overflow.drive(overflow);
        m.output("rfd", self.loading);
        m.output("xn_index", self.index);
        m.output("busy", self.computing);
        m.output("edone", self.edone);
        m.output("done", self.edone.reg("ended"));
        m.output("dv", self.unloading.reg("unloaded"));
        m.output("xk_index", self.index.reg("bin"));
        let y = y.exchanged(self.inverse);
        m.output("xk_re", y.re);
        m.output("xk_im", y.im);
        m.output("ovflo", self.ovflo);
    }
}
