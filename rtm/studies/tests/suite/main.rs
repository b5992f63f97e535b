//! The studies as a whole; a module for each subject.

#[cfg(feature = "opencl")]
#[path = "../../../tests/support/held.rs"]
mod held;
#[cfg(feature = "opencl")]
mod opencl;
#[cfg(feature = "cuda")]
mod times;

/// What decides beside the test program: kernels are read when they are needed.
#[cfg(feature = "opencl")]
const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels");
#[cfg(any(feature = "cuda", feature = "opencl"))]
const STEPS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../library/kernels");
