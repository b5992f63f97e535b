//! The library and the program as a whole; a module for each subject.
//! `cargo test -p rtm --test suite opencl` runs one of them.

#[cfg(feature = "cuda")]
mod cuda;
mod field;
mod handout;
#[cfg(feature = "opencl")]
#[path = "../support/held.rs"]
mod held;
#[cfg(feature = "opencl")]
mod opencl;
mod physics;
mod program;
mod strategies;
mod survey;

/// What decides beside the test program: kernels are read when they are needed.
#[cfg(any(feature = "cuda", feature = "opencl"))]
const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/library/kernels");
