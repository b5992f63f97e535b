//! Filter design and Fourier plans for the labs.
//!
//! The libraries behind it are generic: whoever names their types compiles them, which takes most of a minute. Here that
//! happens once, and a lab whose files change at every exercise builds in seconds.
#![forbid(unsafe_code)]

use std::sync::Arc;

pub use realfft::num_complex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};

pub mod remez;

/// Transforms of `len` real samples to `len / 2 + 1` complex values, and back (times `len`).
pub fn real_f32(len: usize) -> (Arc<dyn RealToComplex<f32>>, Arc<dyn ComplexToReal<f32>>) {
    let mut planner = RealFftPlanner::new();
    (planner.plan_fft_forward(len), planner.plan_fft_inverse(len))
}

/// Transform of `len` real samples in double precision to `len / 2 + 1` complex values.
pub fn real_f64(len: usize) -> Arc<dyn RealToComplex<f64>> {
    RealFftPlanner::new().plan_fft_forward(len)
}
