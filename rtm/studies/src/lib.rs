//! The tables of two theses, made anew over the library `rtm`: [Salamanca
//! 2019](../../../REFERENCES.md) on the run time of migration with GPUs, and [Pona
//! 2016](../../../REFERENCES.md) on wave kernels in OpenCL for FPGAs.
//!
//! | module | what it does |
//! |---|---|
//! | [`study`] | `rtm study`: what strategies cost, boundaries, checks of the physics as curves |
//! | `times` (feature `cuda`) | `rtm times`: models of a GPU's run times |
//! | `opencl` (feature `opencl`) | `rtm opencl`, `rtm synth-report`, tables of `rtm bench`: the wave kernels |

#![forbid(unsafe_code)]

#[cfg(feature = "opencl")]
pub mod opencl;
mod physics;
pub mod study;
mod tables;
#[cfg(feature = "cuda")]
pub mod times;
