//! What the checks compare results and counts with: plain loops, double precision, and the requests
//! of a launch one by one.
//!
//! A crate of its own because it is optimised in the dev profile and the checks around it are not:
//! these loops are what a check's time outside of the emulator goes into, and its random numbers.
#![forbid(unsafe_code)]

pub mod counts;
pub mod fir;
pub mod grid;
pub mod product;
pub mod random;
pub mod wave;
