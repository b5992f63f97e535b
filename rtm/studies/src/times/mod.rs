//! Run times of a GPU's kernels: the models' form ([`model`]), their parameters from measured times
//! and what they predict ([`calibrate`]), pictures ([`drawings`]).

pub mod calibrate;
pub mod drawings;
pub mod model;
