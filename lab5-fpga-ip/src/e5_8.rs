//! Step 5.8: the radix-4 burst transform: the same frame, a dragonfly in place of the butterfly.

use hdl::{BuildErrors, Module, Sig, unsigned};
use ipcores::fft::{Addresses, Complex, Engine, Fft, FftCore, burst, product};

/// Which values the dragonfly `number` (0 to N/4 - 1) of `stage` joins: positions that differ in
/// digit `stage` only (a digit is two bits). The number of the phase factor is the part of the
/// position below that digit, moved to the top.
pub fn addresses<'m>(m: &'m Module, fft: Fft, stage: Sig<'m>, number: Sig<'m>) -> Addresses<'m> {
    let bits = fft.log2();
    // <lab
    // Open a gap of two bits at digit `stage` of `number`: 0, 1, 2, 3 in it are the four
    // values.
    let _ = stage;
    let position = number.extend(m.lit(0, unsigned(bits)).width());
    Addresses { positions: vec![position; 4], factor: number }
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
    // Three products, then the sums above, then a register.
    let t = product(fft, "t", x[1], w[0]).map(|part| part.extend(bits)).delayed(m, "late", 1);
    let _ = (add(t, t), subtract(t, t));
    vec![t; 4]
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
