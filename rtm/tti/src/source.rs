//! What the source emits.

use std::f64::consts::PI;

/// Highest frequency of the source, Hz.
pub const CUT_HZ: f64 = 40.0;

/// The mini-app's source at time `t_s`: the second derivative of a Gaussian, `(1 - 2 e) exp(-e)`
/// with `e = pi^3 (f (t - t0))^2`, `f = cut / (3 sqrt pi)` and `t0 = 2 sqrt(pi) / cut`. It is a
/// Ricker wavelet with its peak at a third of the cut frequency.
pub fn source(t_s: f64) -> f32 {
    let f = CUT_HZ / (3.0 * PI.sqrt());
    let e = PI.powi(3) * (f * (t_s - 2.0 * PI.sqrt() / CUT_HZ)).powi(2);
    ((1.0 - 2.0 * e) * (-e).exp()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_ricker_wavelet() {
        let (peak_hz, t0) = (CUT_HZ / 3.0, 2.0 * PI.sqrt() / CUT_HZ);
        for k in 0..200 {
            let t = f64::from(k) * 1e-3;
            let q = (PI * peak_hz * (t - t0)).powi(2);
            assert!((f64::from(source(t)) - (1.0 - 2.0 * q) * (-q).exp()).abs() < 1e-6);
        }
    }
}
