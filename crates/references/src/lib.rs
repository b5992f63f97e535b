//! What the checks compare results and counts with: plain loops, double precision, and the requests
//! of a launch one by one; their random numbers.
//!
//! A crate of its own because it is optimised in the dev profile and the checks around it are not:
//! outside of the emulator, a check spends most of its time here.
#![forbid(unsafe_code)]

pub mod counts;
pub mod fir;
pub mod grid;
pub mod julia;
pub mod product;
pub mod random;
mod sums;
pub mod wave;
