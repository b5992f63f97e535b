//! Library cores: FIR filters and fast Fourier transforms, generated from parameters as netlists of
//! [`hdl`].
//!
//! What all architectures of a core share lives here: the parameters with their limits
//! ([`fir::Fir`], [`fft::Fft`]), the ports, frames around the arithmetic (control, memories, sample
//! registers), integer models that say what every bit must be, and drivers that run a core clock by
//! clock. So do the architectures that are given in lab 5: the filter with one multiplier, and the
//! transforms `radix-2 lite` and `streaming`. The others are lab 5's exercises.
#![forbid(unsafe_code)]

pub mod delay;
pub mod fft;
pub mod fir;
pub mod magnitude;

use std::fmt;

/// Parameters that no core can be made from: which one, its limits and what was given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParameterError(pub String);

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParameterError {}

/// `Err` unless `low <= value <= high`.
fn within(what: &str, value: u32, low: u32, high: u32) -> Result<(), ParameterError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(ParameterError(format!("{what}: {value} is not within {low} to {high}")))
}

/// Bits that are needed to count to `n - 1`: ceil(log2 n).
pub(crate) const fn ceil_log2(n: u32) -> u32 {
    u32::BITS - n.saturating_sub(1).leading_zeros()
}
