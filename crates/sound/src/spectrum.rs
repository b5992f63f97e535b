//! Spectra: of filters, of signals, and over time.

use std::f64::consts::TAU;
use std::sync::Arc;

use transforms::num_complex::Complex;
use transforms::{Precision, RealToComplex};

use crate::{Frame, RATE, channel};

/// Samples of one piece of a signal whose spectrum is taken: 93 ms.
const PIECE: usize = 4096;

/// Magnitude of a filter's response at one frequency, from the definition
/// `|sum h[k] exp(-2 pi i f k / fs)|`.
pub fn gain(h: &[f64], hz: f64) -> f64 {
    let turn = TAU * hz / f64::from(RATE);
    let sum = h.iter().enumerate().map(|(k, h)| Complex::from_polar(*h, -turn * k as f64));
    sum.sum::<Complex<f64>>().norm()
}

/// `(Hz, magnitude)` of a filter's response on an even grid from 0 to 22,050 Hz, 0.67 Hz apart.
pub fn response(h: &[f64]) -> Vec<(f64, f64)> {
    let points = 65_536;
    let mut padded = h.to_vec();
    padded.resize(points, 0.0);
    let mut transform = Transform::new(points);
    let bins = transform.run(&mut padded);
    bins.iter().enumerate().map(|(k, z)| (hertz(k, points), z.norm())).collect()
}

/// `(Hz, mean power)` of one channel: the mean over pieces of 4096 samples that overlap by half,
/// under a Hann window (Welch 1967). A sine of amplitude 1 has power 0.25 at its frequency. Empty
/// for fewer than 4096 samples.
pub fn power(x: &[f64]) -> Vec<(f64, f64)> {
    let pieces = pieces(x);
    let count = pieces.len() as f64;
    let mut mean = vec![0.0; if pieces.is_empty() { 0 } else { PIECE / 2 + 1 }];
    for piece in &pieces {
        for (sum, power) in mean.iter_mut().zip(piece) {
            *sum += power / count;
        }
    }
    mean.into_iter().enumerate().map(|(k, p)| (hertz(k, PIECE), p)).collect()
}

/// The spectra of the pieces themselves, in decibels, one after the other.
pub fn spectrogram(x: &[f64]) -> Vec<Vec<f64>> {
    let decibels = |power: f64| 10.0 * (power + 1e-20).log10();
    pieces(x).into_iter().map(|piece| piece.into_iter().map(decibels).collect()).collect()
}

/// Share of the energy of both channels above a frequency, 0 to 1; 0 for silence. A signal shorter
/// than 4096 samples is taken as if silence followed.
pub fn share_above(frames: &[Frame], hz: f64) -> f64 {
    let (mut high, mut all) = (0.0, 0.0);
    for c in 0..2 {
        let mut x = channel(frames, c);
        x.resize(x.len().max(PIECE), 0.0);
        for (f, p) in power(&x) {
            all += p;
            high += if f > hz { p } else { 0.0 };
        }
    }
    if all > 0.0 { high / all } else { 0.0 }
}

fn hertz(bin: usize, points: usize) -> f64 {
    bin as f64 * f64::from(RATE) / points as f64
}

/// Power of each piece by frequency.
fn pieces(x: &[f64]) -> Vec<Vec<f64>> {
    let hann: Vec<f64> =
        (0..PIECE).map(|k| 0.5 - 0.5 * (TAU * k as f64 / PIECE as f64).cos()).collect();
    let scale = 1.0 / hann.iter().sum::<f64>();
    let mut transform = Transform::new(PIECE);
    let starts = (0..).map(|p| p * PIECE / 2).take_while(|start| start + PIECE <= x.len());
    starts
        .map(|start| {
            let windowed = x[start..start + PIECE].iter().zip(&hann).map(|(x, w)| x * w * scale);
            let mut windowed: Vec<f64> = windowed.collect();
            transform.run(&mut windowed).iter().map(Complex::norm_sqr).collect()
        })
        .collect()
}

/// Transforms of one length: planning one costs more than running it.
struct Transform {
    fft: Arc<dyn RealToComplex<f64>>,
    bins: Vec<Complex<f64>>,
}

impl Transform {
    fn new(points: usize) -> Transform {
        let fft = f64::real(points).0;
        let bins = fft.make_output_vec();
        Transform { fft, bins }
    }

    /// The bins of `x`, which is spoilt.
    fn run(&mut self, x: &mut [f64]) -> &[Complex<f64>] {
        // The lengths are those of the plan, so it cannot fail.
        let _ = self.fft.process(x, &mut self.bins);
        &self.bins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sine_is_where_it_belongs() {
        let hz = 100.0 * f64::from(RATE) / PIECE as f64;
        let x: Vec<f64> =
            (0..3 * PIECE).map(|k| (TAU * hz * k as f64 / f64::from(RATE)).sin()).collect();
        let spectrum = power(&x);
        let top = spectrum.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        assert!((top.0 - hz).abs() < 1e-9 && (top.1 - 0.25).abs() < 1e-6, "{top:?}");
        assert_eq!(spectrogram(&x).len(), 5);
        let frames: Vec<Frame> = x.iter().map(|v| [*v, 0.0]).collect();
        assert!(share_above(&frames, hz - 50.0) > 0.999);
        assert!(share_above(&frames, hz + 50.0) < 1e-3);
        assert_eq!(share_above(&[], 1.0), 0.0);
    }

    #[test]
    fn the_response_agrees_with_its_definition() {
        let h = [0.5, -0.25, 0.125, 1.0];
        for (hz, magnitude) in response(&h).into_iter().step_by(4001) {
            assert!((gain(&h, hz) - magnitude).abs() < 1e-12);
        }
    }
}
