//! The filter with one multiplier: all products of a sample one after the other.

use hdl::{BuildErrors, Module, bit, signed, unsigned};

use super::{Fir, FirCore};
use crate::ceil_log2;

/// One multiplier and one adder: a clock per tap. Samples wait in a small memory that is used in a
/// circle.
///
/// # Errors
/// None for checked parameters.
pub fn mac(fir: &Fir) -> Result<FirCore, BuildErrors> {
    let m = Module::new("fir_mac");
    m.doc("FIR filter with one multiplier: a clock per tap.");
    let (din, nd) = fir.inputs(&m);
    let (taps, address) = (fir.taps(), ceil_log2(fir.taps()));

    let busy = m.reg("busy", bit());
    let tap = m.reg("tap", unsigned(address)).comment("the product on its way");
    let last = tap.q().eq(i64::from(taps - 1)).named("last");
    let rfd = (!busy.q() | last).named("ready");
    let take = (nd & rfd).named("take");
    busy.set(take | (busy & !last));
    tap.enable(busy).set(last.mux(0, tap + 1));

    let newest = m.reg("newest", unsigned(address)).comment("where the newest sample lies");
    newest.enable(take).set(newest + 1);
    let samples = m.ram("samples", 1 << address, signed(fir.data_bits()));
    samples.write(take, newest + 1, din);
    let mut words = fir.coefficients().to_vec();
    words.resize(1 << address, 0);
    let h = m.rom("coefficients", signed(fir.coefficient_bits()), &words, tap);

    let sample = m.reg("sample", signed(fir.data_bits()));
    sample.set(samples.read_async(newest - tap));
    if fir.has_clear() {
        // A memory cannot be cleared at once: samples from before the clear are not let out of it.
        let taken =
            m.reg("taken", unsigned(ceil_log2(taps + 1))).comment("samples since the clear");
        taken.enable(take & taken.q().ne(i64::from(taps))).set(taken + 1);
        sample.clear(tap.q().extend(taken.q().width()).ge(taken));
    }
    let product = (sample * h.reg("coefficient")).reg("product");
    let flag = |name: &str, now: hdl::Sig<'_>| {
        let late = m.reg(&format!("{name}_1"), bit());
        late.set(now);
        late.q().reg(&format!("{name}_2"))
    };
    let first = flag("first", tap.q().eq(0));
    let ends = flag("ends", busy & last);
    let works = flag("works", busy.q());
    let sum = m.reg("sum", signed(fir.width()));
    sum.enable(works).set(first.mux(0, sum.q()) + product.extend(fir.width()));
    let rdy = ends.reg("done");
    fir.outputs(&m, rfd, rdy, sum);
    Ok(FirCore { block: m.build()?, period: taps, latency: taps + 3 })
}
