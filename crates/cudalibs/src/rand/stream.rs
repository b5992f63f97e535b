//! What the kinds of generators have in common: numbers as a function of a position.

use super::map::{Normal, Poisson, unit_double};

/// A sequence of numbers with random access. Each function fills `out` with the numbers from
/// `position` on and returns by how much the position grows.
pub trait Stream: Send + Sync {
    /// 32 random bits each.
    fn bits(&self, position: u64, out: &mut [u32]) -> u64;
    /// Uniform in (0, 1].
    fn uniform(&self, position: u64, out: &mut [f32]) -> u64;
    /// Uniform in (0, 1].
    fn uniform_double(&self, position: u64, out: &mut [f64]) -> u64;
    /// Normal or log-normal.
    fn normal(&self, position: u64, normal: Normal<f32>, out: &mut [f32]) -> u64;
    /// Normal or log-normal.
    fn normal_double(&self, position: u64, normal: Normal<f64>, out: &mut [f64]) -> u64;

    /// 64 bits each, for generators that have them; `false` if this one has not.
    fn bits_64(&self, _position: u64, _out: &mut [u64]) -> bool {
        false
    }

    /// Poisson numbers, one uniform number each.
    fn poisson(&self, position: u64, poisson: &Poisson, out: &mut [u32]) -> u64 {
        let grown = self.bits(position, out);
        for x in out {
            // The middle of the interval that 32 bits leave open.
            *x = poisson.quantile(unit_double((u64::from(*x) << 21) | (1 << 20)));
        }
        grown
    }
}
