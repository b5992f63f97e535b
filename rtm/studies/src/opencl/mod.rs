//! The thesis' wave kernels in OpenCL, in every form that it and its critics name ([Pona
//! 2016](../../../REFERENCES.md), "the thesis" here).
//!
//! | module | what it does |
//! |---|---|
//! | [`wave`] | the wave problem: sizes, scaled velocities, stability, source, sponge |
//! | [`reference`](mod@reference) | variant V0: plain loops on the CPU, in both precisions |
//! | [`variant`] | the kernels V0b to V6, their switches, which device each fits |
//! | [`simulation`] | a variant at work on a device: buffers, steps, rotation, source, sponge, receivers |
//! | [`slabs`] | one wave on several devices |
//! | [`models`] | traffic, resources and time of the FPGA kernels; the thesis' own figures |
//! | [`bench`] | speed, bandwidth and power of variants and devices; the tables |
//!
//! Here x is the fastest index, as in the thesis' kernels; in the library it is z.

pub mod bench;
pub mod models;
pub mod reference;
pub mod simulation;
pub mod slabs;
pub mod variant;
pub mod wave;

pub use simulation::Simulation;
pub use slabs::Slabs;
pub use variant::{Config, Variant};
