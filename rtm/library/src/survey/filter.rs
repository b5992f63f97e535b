//! Filters of traces in the domain of frequency: zero phase, and finer or coarser time steps.

use std::f64::consts::PI;

use rustfft::algorithm::Radix4;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection, Length};

use super::sinc;
use crate::{Error, Result};

/// The gain of a band-pass filter over frequency: 0 up to the first corner, 1 from the second to
/// the third, 0 from the fourth on, with flanks of half a cosine between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corners(pub [f64; 4]);

impl Corners {
    /// Corner frequencies, Hz, for samples `dt_s` apart.
    ///
    /// # Errors
    /// They do not rise, or lie beyond the Nyquist frequency.
    pub fn check(self, dt_s: f64) -> Result<Corners> {
        let [a, b, c, d] = self.0;
        let nyquist_hz = 0.5 / dt_s;
        if a >= 0.0 && a <= b && b < c && c <= d && d <= nyquist_hz * (1.0 + 1e-9) {
            return Ok(self);
        }
        Err(Error::refused(
            format!("band {a},{b},{c},{d}"),
            format!("no corners of a band-pass filter for dt = {dt_s} s"),
            format!(
                "write four frequencies that rise, from 0 to at most {nyquist_hz} Hz, such as \
                 3,6,60,80"
            ),
        ))
    }

    /// The gain at a frequency.
    pub fn gain(self, hz: f64) -> f64 {
        let [a, b, c, d] = self.0;
        let rise = |share: f64| 0.5 - 0.5 * (PI * share.clamp(0.0, 1.0)).cos();
        match hz {
            f if f < b => rise((f - a) / (b - a)),
            f if f > c => rise((d - f) / (d - c)),
            _ => 1.0,
        }
    }
}

/// A filter for traces of one length.
pub struct Filter {
    forward: Radix4<f32>,
    inverse: Radix4<f32>,
    /// For the frequencies of the padded trace from zero to the highest, with the transform's
    /// scale. All between these two are doubled: they stand for their mirror images, too.
    gains: Vec<Complex<f32>>,
    /// New samples for an old one: 1 or 2.
    finer: usize,
}

impl Filter {
    /// For traces of `ns` samples, `dt_s` apart; `gain` over frequency in Hz. Traces are padded
    /// with as many zeros, so that what the filter smears beyond an end is not seen at the other.
    pub fn new(ns: usize, dt_s: f64, gain: impl Fn(f64) -> f64) -> Filter {
        Filter::with(ns, dt_s, 1, |hz| Complex::new(gain(hz), 0.0))
    }

    /// The same, and every frequency's phase is turned by `phase` radians: `cos(w t)` becomes
    /// `cos(w t + phase)`.
    pub fn turning(ns: usize, dt_s: f64, gain: impl Fn(f64) -> f64, phase: f64) -> Filter {
        Filter::with(ns, dt_s, 1, |hz| Complex::from_polar(gain(hz), phase))
    }

    fn with(ns: usize, dt_s: f64, finer: usize, gain: impl Fn(f64) -> Complex<f64>) -> Filter {
        let len = padded(ns);
        let step_hz = 1.0 / (len as f64 * dt_s);
        let scaled = |k: usize| {
            let sides = if k == 0 || k == len / 2 { 1.0 } else { 2.0 };
            let gain = gain(k as f64 * step_hz) * (sides / len as f64);
            Complex::new(gain.re as f32, gain.im as f32)
        };
        Filter {
            forward: Radix4::new(len, FftDirection::Forward),
            inverse: Radix4::new(finer * len, FftDirection::Inverse),
            gains: (0..=len / 2).map(scaled).collect(),
            finer,
        }
    }

    /// The filtered trace.
    pub fn apply(&self, samples: &[f32]) -> Vec<f32> {
        let bins = transformed(&self.forward, samples.iter().copied());
        let mut wide = vec![Complex::default(); self.inverse.len()];
        for ((to, from), gain) in wide.iter_mut().zip(&bins).zip(&self.gains) {
            *to = from * gain;
        }
        self.inverse.process(&mut wide);
        wide.iter().take(self.finer * samples.len()).map(|v| v.re).collect()
    }
}

/// Length of the transform of a trace of `ns` samples: a power of two, and at least twice as long.
pub(super) fn padded(ns: usize) -> usize {
    (2 * ns).next_power_of_two().max(64)
}

/// The transform of a trace and of zeros behind it.
pub(super) fn transformed(
    transform: &Radix4<f32>,
    samples: impl Iterator<Item = f32>,
) -> Vec<Complex<f32>> {
    let mut bins: Vec<_> = samples.map(Complex::from).collect();
    bins.resize(transform.len(), Complex::default());
    transform.process(&mut bins);
    bins
}

/// Traces from one time step to another, without aliases.
pub struct Resampling {
    /// Samples twice as dense, without what the new step cannot hold.
    dense: Filter,
    /// From these to the new ones.
    sinc: sinc::Resampler,
}

impl Resampling {
    /// From `ns` samples `dt_s` apart to `ns_out` samples `dt_out_s` apart, the first of them
    /// `late_s` after the first old one. To a longer step, frequencies from 0.8 of the new Nyquist
    /// frequency on are faded out.
    ///
    /// Band-limited interpolation by [`sinc`] is right to 1e-3 up to half of the Nyquist frequency:
    /// so the traces are first made twice as dense, which is exact.
    pub fn new(ns: usize, dt_s: f64, late_s: f64, ns_out: usize, dt_out_s: f64) -> Resampling {
        let nyquist_hz = 0.5 / dt_out_s;
        let coarser = dt_out_s > dt_s * (1.0 + 1e-9);
        let fade = Corners([0.0, 0.0, 0.8 * nyquist_hz, nyquist_hz]);
        let gain = |hz: f64| Complex::new(if coarser { fade.gain(hz) } else { 1.0 }, 0.0);
        Resampling {
            dense: Filter::with(ns, dt_s, 2, gain),
            sinc: sinc::Resampler::new(0.5 * dt_s, late_s, ns_out, dt_out_s),
        }
    }

    /// One trace.
    pub fn apply(&self, samples: &[f32]) -> Vec<f32> {
        self.sinc.apply(&self.dense.apply(samples))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sine(hz: f64, dt_s: f64, ns: usize) -> Vec<f32> {
        (0..ns).map(|k| (2.0 * PI * hz * k as f64 * dt_s + 0.4).sin() as f32).collect()
    }

    /// Largest difference in the middle, where the ends do not matter.
    fn apart(a: &[f32], b: impl Fn(usize) -> f64) -> f64 {
        let (n, middle) = (a.len(), a.len() / 4..a.len() * 3 / 4);
        assert!(n > 100);
        middle.map(|k| (f64::from(a[k]) - b(k)).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn a_band_pass_has_its_gain_and_no_phase() {
        let (dt_s, ns) = (0.002, 4000);
        let filter = Filter::new(ns, dt_s, |hz| Corners([5.0, 15.0, 60.0, 80.0]).gain(hz));
        // Below, in the middle of a flank, inside, above.
        for (hz, gain) in [(3.0, 0.0), (10.0, 0.5), (30.0, 1.0), (70.0, 0.5), (90.0, 0.0)] {
            let old = sine(hz, dt_s, ns);
            let off = apart(&filter.apply(&old), |k| gain * f64::from(old[k]));
            assert!(off < 2e-3, "{hz} Hz: {off}");
        }
        let mut spike = vec![0.0; 401];
        spike[200] = 1.0;
        let filter = Filter::new(401, dt_s, |hz| Corners([5.0, 15.0, 60.0, 80.0]).gain(hz));
        let new = filter.apply(&spike);
        let off = apart(&new, |k| f64::from(new[400 - k]));
        assert!(off < 1e-6 && new[200] > 0.1, "{off}");
    }

    #[test]
    fn half_a_derivative_twice_is_a_derivative() {
        let (dt_s, ns) = (0.002, 4000);
        let filter = Filter::turning(ns, dt_s, |hz| (hz / 20.0).sqrt(), 0.25 * PI);
        let old = sine(30.0, dt_s, ns);
        let new = filter.apply(&filter.apply(&old));
        let w = 2.0 * PI * 30.0;
        let want = |k: usize| 1.5 * (w * k as f64 * dt_s + 0.4).cos();
        assert!(apart(&new, want) < 5e-3, "{}", apart(&new, want));
    }

    #[test]
    fn wrong_corners_are_refused() {
        for corners in [[5.0, 4.0, 60.0, 80.0], [1.0, 2.0, 60.0, 251.0], [-1.0, 2.0, 3.0, 4.0]] {
            let text = Corners(corners).check(0.002).unwrap_err().to_string();
            assert!(text.contains("250 Hz") && text.contains("fix"), "{text}");
        }
        assert!(Corners([0.0, 0.0, 60.0, 250.0]).check(0.002).is_ok());
    }

    /// To finer, coarser and odd steps; what the new step cannot hold is gone.
    #[test]
    fn sines_keep_their_values_at_other_steps() {
        let (dt_s, ns) = (0.002, 2000);
        for (dt_out_s, hz) in [(0.001, 200.0), (0.004, 95.0), (0.003, 120.0), (0.0025, 10.0)] {
            let ns_out = ((ns - 1) as f64 * dt_s / dt_out_s) as usize + 1;
            let resampling = Resampling::new(ns, dt_s, 0.0, ns_out, dt_out_s);
            let new = resampling.apply(&sine(hz, dt_s, ns));
            let off = apart(&new, |k| (2.0 * PI * hz * k as f64 * dt_out_s + 0.4).sin());
            assert!(off < 3e-3, "{dt_out_s} s, {hz} Hz: {off}");
        }
        let high = Resampling::new(ns, dt_s, 0.0, 1000, 0.004).apply(&sine(150.0, dt_s, ns));
        assert!(apart(&high, |_| 0.0) < 2e-3);
        let late = Resampling::new(ns, dt_s, 0.0131, 1900, dt_s).apply(&sine(40.0, dt_s, ns));
        let off = apart(&late, |k| (2.0 * PI * 40.0 * (0.0131 + k as f64 * dt_s) + 0.4).sin());
        assert!(off < 3e-3, "{off}");
    }
}
