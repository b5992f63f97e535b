//! What every bit of a spectrum must be, in plain integers.

use super::Fft;

/// A transform's result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spectrum {
    /// Real and imaginary part of X(0), X(1), ...
    pub bins: Vec<(i64, i64)>,
    /// A value did not fit and wrapped.
    pub overflow: bool,
}

impl Fft {
    /// The transform of `x` (N values within the width of the data) stage by stage. `schedule` has
    /// a right shift of 0 to 3 for each stage; missing ones are 0.
    pub fn model(self, radix: u32, schedule: &[u32], x: &[(i64, i64)], inverse: bool) -> Spectrum {
        let (n, radix) = (self.points() as usize, radix as usize);
        let swap = |(re, im): (i64, i64)| if inverse { (im, re) } else { (re, im) };
        let mut overflow = false;
        let mut values: Vec<(i64, i64)> =
            (0..n).map(|p| swap(x.get(reversed(p, n, radix)).copied().unwrap_or((0, 0)))).collect();
        let (mut distance, mut stage) = (1, 0);
        while distance < n {
            let shift = schedule.get(stage).copied().unwrap_or(0) & 3;
            for first in (0..n).filter(|p| p / distance % radix == 0) {
                let turn = first % distance * (n / (radix * distance));
                let terms: Vec<(i64, i64)> = (0..radix)
                    .map(|m| times(values[first + m * distance], self.factor((m * turn) as u32)))
                    .collect();
                for q in 0..radix {
                    let sum = terms.iter().enumerate().fold((0, 0), |(re, im), (m, &t)| {
                        let (tr, ti) = quarter_turns(t, m * q * (4 / radix));
                        (re + tr, im + ti)
                    });
                    let (re, wrapped_re) = self.scale(sum.0, shift);
                    let (im, wrapped_im) = self.scale(sum.1, shift);
                    overflow |= wrapped_re || wrapped_im;
                    values[first + q * distance] = (re, im);
                }
            }
            distance *= radix;
            stage += 1;
        }
        Spectrum { bins: values.into_iter().map(swap).collect(), overflow }
    }

    /// Shifts the phase factor's fraction and `shift` more places away, and wraps to the width of
    /// the data; true if that changed it.
    fn scale(self, value: i64, shift: u32) -> (i64, bool) {
        let places = self.fraction() + shift;
        let kept = match self.rounding {
            true => ((value >> (places - 1)) + 1) >> 1,
            false => value >> places,
        };
        let unused = 64 - self.data_bits;
        let wrapped = (kept << unused) >> unused;
        (wrapped, wrapped != kept)
    }
}

/// `p` with its digits to the base `radix` in reverse order; `n` is a power of `radix`.
fn reversed(mut p: usize, n: usize, radix: usize) -> usize {
    let (mut result, mut left) = (0, n);
    while left > 1 {
        result = result * radix + p % radix;
        p /= radix;
        left /= radix;
    }
    result
}

fn times((a, b): (i64, i64), (c, d): (i64, i64)) -> (i64, i64) {
    (a * c - b * d, a * d + b * c)
}

/// `value` times `(-j)^turns`.
fn quarter_turns((re, im): (i64, i64), turns: usize) -> (i64, i64) {
    match turns % 4 {
        0 => (re, im),
        1 => (im, -re),
        2 => (-re, -im),
        _ => (-im, re),
    }
}

/// Number and magnitude of the largest of the bins 0 to N/2.
pub fn peak(bins: &[(i64, i64)]) -> (usize, f64) {
    let half = bins.iter().take(bins.len() / 2 + 1).enumerate();
    half.map(|(k, &(re, im))| (k, (re as f64).hypot(im as f64)))
        .fold((0, -1.0), |best, now| if now.1 > best.1 { now } else { best })
}

/// Ratio of signal to error in dB against the exact spectrum (which is divided by `scale` first);
/// infinite without any error.
pub fn signal_to_noise(bins: &[(i64, i64)], exact: &[(f64, f64)], scale: f64) -> f64 {
    let (mut signal, mut noise) = (0.0, 0.0);
    for (&(re, im), &(er, ei)) in bins.iter().zip(exact) {
        let (er, ei) = (er / scale, ei / scale);
        signal += er * er + ei * ei;
        noise += (re as f64 - er).powi(2) + (im as f64 - ei).powi(2);
    }
    10.0 * (signal / noise).log10()
}
