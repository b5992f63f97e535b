//! Plans of Fourier transforms in single and double precision.
//!
//! `rustfft` is generic, so each crate that makes a plan compiles all of its algorithms anew: half
//! a minute each. Here they are compiled once, and the others get them behind `dyn`.
#![forbid(unsafe_code)]

use std::sync::Arc;

use realfft::RealFftPlanner;
pub use realfft::{ComplexToReal, FftError, FftNum, RealToComplex, num_complex};
pub use rustfft::Fft;
use rustfft::FftPlanner;

/// `f32` or `f64`.
pub trait Precision: FftNum {
    /// Transforms of `len` complex values in place: forward and inverse, neither scaled.
    fn complex(len: usize) -> [Arc<dyn Fft<Self>>; 2];

    /// Transforms of `len` real values to `len / 2 + 1` complex ones, and back (times `len`).
    fn real(len: usize) -> (Arc<dyn RealToComplex<Self>>, Arc<dyn ComplexToReal<Self>>);
}

macro_rules! precision {
    ($T:ty) => {
        impl Precision for $T {
            fn complex(len: usize) -> [Arc<dyn Fft<$T>>; 2] {
                let mut planner = FftPlanner::new();
                [planner.plan_fft_forward(len), planner.plan_fft_inverse(len)]
            }

            fn real(len: usize) -> (Arc<dyn RealToComplex<$T>>, Arc<dyn ComplexToReal<$T>>) {
                let mut planner = RealFftPlanner::new();
                (planner.plan_fft_forward(len), planner.plan_fft_inverse(len))
            }
        }
    };
}

precision!(f32);
precision!(f64);
