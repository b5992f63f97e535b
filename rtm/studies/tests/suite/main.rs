//! The studies as a whole; a module for each subject.

#[cfg(feature = "opencl")]
#[path = "../../../tests/support/held.rs"]
mod held;
#[cfg(feature = "opencl")]
mod opencl;
#[cfg(feature = "cuda")]
mod times;
