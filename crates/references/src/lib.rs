//! What the checks compare results with, in plain loops and double precision.
//!
//! A crate of its own because it is optimised in the dev profile and the checks around it are not:
//! these loops are what a check's time outside of the emulator goes into.
#![forbid(unsafe_code)]

pub mod fir;
pub mod grid;
pub mod product;
pub mod wave;
