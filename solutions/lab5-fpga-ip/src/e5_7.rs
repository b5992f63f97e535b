//! Step 5.7: the radix-2 burst transform. The frame is given (`ipcores::fft::burst`): control,
//! memories, phase factors, scaling. What is missing is which values a butterfly joins, and the
//! butterfly.

use hdl::{BuildErrors, Module, Sig, unsigned};
use ipcores::fft::{Addresses, Complex, Engine, Fft, FftCore, burst, product};

/// Which values the butterfly `number` (0 to N/2 - 1) of `stage` (0 to log2 N - 1) joins: positions
/// that differ in bit `stage` only. The other bits of a position are those of `number`. The number
/// of the phase factor is the part of the position below that bit, moved to the top:
/// `(position mod 2^stage) * N / 2^(stage + 1)`.
pub fn addresses<'m>(m: &'m Module, fft: Fft, stage: Sig<'m>, number: Sig<'m>) -> Addresses<'m> {
    let bits = fft.log2();
    // <lab
    let wide = number.extend(bits);
    let distance = m.lit(1, unsigned(bits)).shl_by(stage).reg("distance");
    let below = (distance - 1).named("below");
    let part = (wide & below).named("part");
    let upper = (((wide & !below) << 1) | part).named("upper");
    let lower = (upper | distance).named("lower");
    let to_top = m.lit(i64::from(bits - 1), stage.ty()) - stage;
    let factor = part.shl_by(to_top.reg("to_top")).truncate(bits - 1).named("factor");
    Addresses { positions: vec![upper, lower], factor }
    //~ // Open a gap at bit `stage` of `number`: 0 in it is the upper value, 1 the lower one.
    //~ let _ = (stage, unsigned(bits));
    //~ let position = number.extend(m.lit(0, unsigned(bits)).width());
    //~ Addresses { positions: vec![position, position], factor: number }
    // lab>
}

/// The butterfly: the value `x[1]` times its phase factor `w[0]` is added to `x[0]` and subtracted
/// from it. `product` takes three clocks, so `x[0]` has to wait as long; the register behind the
/// sums is the fourth. `x[0]` has no bits behind the point yet: it needs `fft.fraction()` of them.
pub fn butterfly<'m>(
    m: &'m Module,
    fft: Fft,
    x: &[Complex<'m>],
    w: &[Complex<'m>],
) -> Vec<Complex<'m>> {
    let bits = fft.product_bits() + 1;
    // <lab
    let t = product(fft, "t", x[1], w[0]).map(|part| part.extend(bits));
    let a = x[0].delayed(m, "a", 3).map(|part| part.extend(bits) << fft.fraction());
    let sum = Complex { re: a.re + t.re, im: a.im + t.im };
    let difference = Complex { re: a.re - t.re, im: a.im - t.im };
    vec![sum.delayed(m, "sum", 1), difference.delayed(m, "difference", 1)]
    //~ // t = x[1] * w[0]; x[0] + t and x[0] - t.
    //~ let t = product(fft, "t", x[1], w[0]).map(|part| part.extend(bits)).delayed(m, "late", 1);
    //~ let _ = x[0];
    //~ vec![t, t]
    // lab>
}

/// The engine that the frame is built around.
pub const ENGINE: Engine = Engine { name: "fft_radix2", radix: 2, addresses, butterfly };

/// The radix-2 burst transform.
///
/// # Errors
/// What the builder finds wrong.
pub fn radix2(fft: Fft) -> Result<FftCore, BuildErrors> {
    burst(fft, &ENGINE)
}
