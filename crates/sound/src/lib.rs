//! Sound for the labs: WAV files, a piece of music for those who bring none, filter design, spectra
//! and their pictures, and the filters that a student's are compared with.
//!
//! A crate of its own, because filter design and Fourier transforms take long to compile: a lab
//! that uses them is built without them again and again.
#![forbid(unsafe_code)]

use std::f64::consts::TAU;
use std::sync::Arc;

use rand::RngExt;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

pub mod design;
mod filter;
mod overlap_save;
pub mod plots;
pub mod report;
pub mod spectrum;
pub mod synth;
pub mod wav;

pub use filter::filter64;
pub use overlap_save::audiofir_fft;
pub use transforms::{ComplexToReal, FftError, RealToComplex};

/// Transforms of `len` real samples to `len / 2 + 1` complex values, and back (times `len`).
pub fn real_fft(len: usize) -> (Arc<dyn RealToComplex<f32>>, Arc<dyn ComplexToReal<f32>>) {
    transforms::Precision::real(len)
}

/// Samples per second of all sound in this lab.
pub const RATE: u32 = 44_100;

/// One sample of both channels: left, right.
pub type Frame = [f64; 2];

/// One channel of the frames: 0 is left, 1 is right.
pub fn channel(frames: &[Frame], c: usize) -> Vec<f64> {
    frames.iter().map(|frame| frame[c]).collect()
}

/// Root of the mean square over both channels; 0 for no frames.
pub fn rms(frames: &[Frame]) -> f64 {
    let sum: f64 = frames.iter().flatten().map(|v| v * v).sum();
    (sum / (2 * frames.len()).max(1) as f64).sqrt()
}

/// `len` independent normal random numbers of mean 0 and variance 1 (Box and Muller 1958). Another
/// `stream` of the same seed is independent of this one.
pub fn white(len: usize, seed: u64, stream: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    let mut normal = || {
        // 1 - u lies in 0 < .. <= 1, where the logarithm is finite.
        let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
        radius * (TAU * rng.random::<f64>()).cos()
    };
    (0..len).map(|_| normal()).collect()
}

/// `sin(pi x) / (pi x)`, 1 at 0.
pub fn sinc(x: f64) -> f64 {
    let angle = std::f64::consts::PI * x;
    if x == 0.0 { 1.0 } else { angle.sin() / angle }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_noise_has_mean_0_variance_1_and_independent_streams() {
        let (a, b) = (white(20_000, 3, 0), white(20_000, 3, 1));
        let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
        let product =
            |x: &[f64], y: &[f64]| mean(&x.iter().zip(y).map(|(x, y)| x * y).collect::<Vec<_>>());
        assert!(mean(&a).abs() < 0.03, "{}", mean(&a));
        assert!((product(&a, &a) - 1.0).abs() < 0.04);
        assert!(product(&a, &b).abs() < 0.03);
        assert_eq!(a, white(20_000, 3, 0));
    }
}
