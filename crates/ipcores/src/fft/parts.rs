//! Complex arithmetic that all transforms share.

use hdl::{Module, Sig, signed};

use super::Fft;

/// A complex signal.
#[derive(Clone, Copy)]
pub struct Complex<'m> {
    /// Real part.
    pub re: Sig<'m>,
    /// Imaginary part.
    pub im: Sig<'m>,
}

impl<'m> Complex<'m> {
    /// Both parts changed in the same way.
    pub fn map(self, f: impl Fn(Sig<'m>) -> Sig<'m>) -> Complex<'m> {
        Complex { re: f(self.re), im: f(self.im) }
    }

    /// Both parts, `clocks` later, in registers `NAME_re1`, `NAME_im1`, ...
    pub fn delayed(self, m: &'m Module, name: &str, clocks: u32) -> Complex<'m> {
        let late = |part: Sig<'m>, which: &str| {
            let row = m.shift_register(&format!("{name}_{which}"), part, clocks as usize);
            row.last().copied().unwrap_or(part)
        };
        Complex { re: late(self.re, "re"), im: late(self.im, "im") }
    }

    /// Real part above imaginary part, as one word of a memory.
    pub(crate) fn word(self) -> Sig<'m> {
        self.re.concat(self.im)
    }

    /// The inverse of [`Complex::word`] for parts of `bits` bits.
    pub(crate) fn of(word: Sig<'m>, bits: u32) -> Complex<'m> {
        Complex {
            re: word.slice(2 * bits - 1, bits).as_signed(),
            im: word.slice(bits - 1, 0).as_signed(),
        }
    }

    /// Real and imaginary part exchanged where `yes` is 1. A transform between two exchanges is the
    /// inverse transform.
    pub(crate) fn exchanged(self, yes: Sig<'m>) -> Complex<'m> {
        Complex { re: yes.mux(self.im, self.re), im: yes.mux(self.re, self.im) }
    }
}

/// `x` times the phase factor `w`, with all bits ([`Fft::product_bits`] each), three clocks later,
/// by three multipliers instead of four: with `k = w_re (x_re + x_im)` the product is
/// `k - x_im (w_re + w_im)` and `k + x_re (w_im - w_re)`. The registers' names begin with `name`.
pub fn product<'m>(fft: Fft, name: &str, x: Complex<'m>, w: Complex<'m>) -> Complex<'m> {
    let called = |what: &str| format!("{name}_{what}");
    // |w| is 1, so neither sum of its parts reaches 2, which the width holds.
    let sum =
        (x.re.extend(fft.data_bits() + 1) + x.im.extend(fft.data_bits() + 1)).reg(&called("x"));
    let (plus, minus) = ((w.re + w.im).reg(&called("plus")), (w.im - w.re).reg(&called("minus")));
    let (w_re, x_re, x_im) =
        (w.re.reg(&called("w")), x.re.reg(&called("xr")), x.im.reg(&called("xi")));
    let bits = fft.product_bits();
    let part = |p: Sig<'m>, n: u32| p.reg(&called(&format!("p{n}"))).resize(bits);
    let (k, re, im) = (part(sum * w_re, 1), part(x_im * plus, 2), part(x_re * minus, 3));
    Complex { re: (k - re).reg(&called("re")), im: (k + im).reg(&called("im")) }
}

/// The phase factors `exp(-j 2 pi step k / N)` for `k` on `address`, which counts `length` words;
/// at once, from distributed memory: the block RAM of the laboratory's chip is for the data.
pub(crate) fn factors<'m>(
    m: &'m Module,
    fft: Fft,
    name: &str,
    step: u32,
    length: u32,
    address: Sig<'m>,
) -> Complex<'m> {
    let words: Vec<(i64, i64)> = (0..length).map(|k| fft.factor(step * k)).collect();
    let (re, im): (Vec<i64>, Vec<i64>) = words.into_iter().unzip();
    let ty = signed(fft.factor_bits());
    Complex {
        re: m.distributed_rom(&format!("{name}_re"), ty, &re, address),
        im: m.distributed_rom(&format!("{name}_im"), ty, &im, address),
    }
}

/// The end of a stage: shifts the phase factor's fraction and `shift` more places away. Returns the
/// value in the width of the data, and a bit that is 1 where it did not fit.
pub(crate) fn scaled<'m>(fft: Fft, value: Sig<'m>, shift: Sig<'m>) -> (Sig<'m>, Sig<'m>) {
    let (top, fraction) = (value.width() - 1, fft.fraction());
    let kept = match fft.rounds() {
        true => {
            let kept = value.slice(top, fraction - 1).shr_by(shift);
            (kept.extend(kept.width() + 1) + 1) >> 1
        }
        false => value.slice(top, fraction).shr_by(shift),
    };
    let result = kept.truncate(fft.data_bits());
    (result, result.extend(kept.width()).ne(kept))
}

/// Both parts through [`scaled`], and whether one of them did not fit.
pub(crate) fn scaled_complex<'m>(
    fft: Fft,
    value: Complex<'m>,
    shift: Sig<'m>,
) -> (Complex<'m>, Sig<'m>) {
    let (re, re_wrapped) = scaled(fft, value.re, shift);
    let (im, im_wrapped) = scaled(fft, value.im, shift);
    (Complex { re, im }, re_wrapped | im_wrapped)
}
