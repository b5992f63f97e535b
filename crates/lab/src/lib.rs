//! The parts of the command `cargo lab` that are useful without a terminal: the tools around kernels.

pub mod tools;
