//! Signals to feed to a board: what the labs' plots begin with. Samples are numbered from 0.

/// `height` at samples 0, `every`, 2 `every`, .., zero between, `n` samples in all.
pub fn pulses(n: usize, every: usize, height: f64) -> Vec<f64> {
    (0..n).map(|i| if i % every.max(1) == 0 { height } else { 0.0 }).collect()
}

/// `height` at the samples of `on`, zero elsewhere, `n` samples in all.
pub fn step(n: usize, on: std::ops::Range<usize>, height: f64) -> Vec<f64> {
    (0..n).map(|i| if on.contains(&i) { height } else { 0.0 }).collect()
}

/// `amplitude` sin(2 pi i / `period`), `n` samples.
pub fn sine(n: usize, amplitude: f64, period: f64) -> Vec<f64> {
    (0..n).map(|i| amplitude * (std::f64::consts::TAU * i as f64 / period).sin()).collect()
}

/// The sum over `tones` of amplitude * cos(2 pi frequency i), frequencies in cycles per sample, `n`
/// samples.
pub fn cosines(n: usize, tones: &[(f64, f64)]) -> Vec<f64> {
    let at = |i: usize| -> f64 {
        let one = |(a, f): &(f64, f64)| a * (std::f64::consts::TAU * f * i as f64).cos();
        tones.iter().map(one).sum()
    };
    (0..n).map(at).collect()
}
