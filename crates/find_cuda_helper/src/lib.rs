//! Stand-in for the build helper of `cust` and `cust_raw`.
//!
//! The original looks for a CUDA toolkit and makes the build fail without one. Here nothing is
//! looked for: `crates/cuda-driver` exports the `cu*` symbols, so there is no library to link.

#![forbid(unsafe_code)]

/// Called by the build scripts of `cust` and `cust_raw`; does nothing.
pub fn include_cuda() {}
