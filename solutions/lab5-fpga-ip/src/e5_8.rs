//! Step 5.8: the radix-4 burst transform: the same frame, a dragonfly in place of the butterfly.

use hdl::{BuildErrors, Module, Sig, unsigned};
use ipcores::fft::{Addresses, Complex, Engine, Fft, FftCore, burst, product};

/// Which values the dragonfly `number` (0 to N/4 - 1) of `stage` joins: positions that differ in
/// digit `stage` only (a digit is two bits). The number of the phase factor is the part of the
/// position below that digit, moved to the top.
pub fn addresses<'m>(m: &'m Module, fft: Fft, stage: Sig<'m>, number: Sig<'m>) -> Addresses<'m> {
    let bits = fft.log2();
    // <lab
    let wide = number.extend(bits);
    let twice = stage.concat(m.lit(0, unsigned(1)));
    let distance = m.lit(1, unsigned(bits)).shl_by(twice).reg("distance");
    let below = (distance - 1).named("below");
    let part = (wide & below).named("part");
    let first = (((wide & !below) << 2) | part).named("position0");
    let second = (first | distance).named("position1");
    let third = (first | (distance << 1)).named("position2");
    let fourth = (second | (distance << 1)).named("position3");
    let to_top = m.lit(i64::from(bits - 2), twice.ty()) - twice;
    let factor = part.shl_by(to_top.reg("to_top")).truncate(bits - 2).named("factor");
    Addresses { positions: vec![first, second, third, fourth], factor }
    //~ // Open a gap of two bits at digit `stage` of `number`: 0, 1, 2, 3 in it are the four
    //~ // values.
    //~ let _ = stage;
    //~ let position = number.extend(m.lit(0, unsigned(bits)).width());
    //~ Addresses { positions: vec![position; 4], factor: number }
    // lab>
}

/// The dragonfly: a transform of four values, of which all but the first are multiplied by their
/// phase factors before.
///
/// ```text
/// y0 = (x0 + t2) + (t1 + t3)          y1 = (x0 - t2) - j (t1 - t3)
/// y2 = (x0 + t2) - (t1 + t3)          y3 = (x0 - t2) + j (t1 - t3)
/// ```
/// -j times a value is `re = its im`, `im = - its re`: no multiplier.
pub fn butterfly<'m>(
    m: &'m Module,
    fft: Fft,
    x: &[Complex<'m>],
    w: &[Complex<'m>],
) -> Vec<Complex<'m>> {
    let bits = fft.product_bits() + 2;
    // <lab
    let term =
        |k: usize| product(fft, &format!("t{k}"), x[k], w[k - 1]).map(|part| part.extend(bits));
    let a = x[0].delayed(m, "a", 3).map(|part| part.extend(bits) << fft.fraction());
    let (t1, t2, t3) = (term(1), term(2), term(3));
    let (even, odd) = (add(a, t2), subtract(a, t2));
    let (sum, d) = (add(t1, t3), subtract(t1, t3));
    let turned = Complex { re: d.im, im: -d.re };
    let all = [add(even, sum), add(odd, turned), subtract(even, sum), subtract(odd, turned)];
    all.iter().enumerate().map(|(i, y)| y.delayed(m, &format!("sum{i}"), 1)).collect()
    //~ // Three products, then the sums above, then a register.
    //~ let t = product(fft, "t", x[1], w[0]).map(|part| part.extend(bits)).delayed(m, "late", 1);
    //~ let _ = (add(t, t), subtract(t, t));
    //~ vec![t; 4]
    // lab>
}

fn add<'m>(a: Complex<'m>, b: Complex<'m>) -> Complex<'m> {
    Complex { re: a.re + b.re, im: a.im + b.im }
}

fn subtract<'m>(a: Complex<'m>, b: Complex<'m>) -> Complex<'m> {
    Complex { re: a.re - b.re, im: a.im - b.im }
}

/// The engine that the frame is built around.
pub const ENGINE: Engine = Engine { name: "fft_radix4", radix: 4, addresses, butterfly };

/// The radix-4 burst transform.
///
/// # Errors
/// What the builder finds wrong.
pub fn radix4(fft: Fft) -> Result<FftCore, BuildErrors> {
    burst(fft, &ENGINE)
}
