//! OpenCL: the migration's back end ([`engine`]), and the thesis' wave kernels in every form that
//! it and its critics name.
//!
//! | module | what it does |
//! |---|---|
//! | [`device`] | platforms and devices, chosen by a word; programs, buffers, launches, times of events |
//! | [`wave`] | the wave problem: sizes, scaled velocities, stability, source, sponge |
//! | [`reference`](mod@reference) | variant V0: plain loops on the CPU, in both precisions |
//! | [`variant`] | the kernels V0b to V6, their switches, which device each fits |
//! | [`simulation`] | a variant at work on a device: buffers, steps, rotation, source, sponge, receivers |
//! | [`slabs`] | one wave on several devices |
//! | [`engine`] | the back end of `rtm migrate --backend opencl` |
//! | [`models`] | traffic, resources and time of the FPGA kernels; the thesis' own figures |
//! | [`bench`] | speed, bandwidth and power of variants and devices; the tables |
//!
//! Here x is the fastest index, as in the thesis' kernels; elsewhere in this crate it is z.

pub mod bench;
pub mod device;
pub mod engine;
pub mod models;
pub mod reference;
pub mod simulation;
pub mod slabs;
pub mod variant;
pub mod wave;

pub use device::{Device, Session};
pub use engine::OpenCl;
pub use simulation::Simulation;
pub use slabs::Slabs;
pub use variant::{Config, Variant};
