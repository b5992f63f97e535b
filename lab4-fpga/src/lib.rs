//! Lab 4: arithmetic in an FPGA.
//!
//! One module per exercise, named after its section: [`e4_1`] is exercise 4.1. Open the handout,
//! `README.md`, look at [`fpgatop`], and start at [`e4_1`].

#![forbid(unsafe_code)]

// Exercises name each other through the crate's name, so that a module also compiles outside of
// this crate.
extern crate self as lab4_fpga;

pub mod designs;
pub mod fpgatop;
pub mod host;
pub mod mult;

// <modules: `cargo lab sync` writes this list
#[cfg_attr(feature = "solutions", path = "../../solutions/lab4-fpga/src/e4_1.rs")]
pub mod e4_1;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab4-fpga/src/e4_2.rs")]
pub mod e4_2;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab4-fpga/src/e4_3.rs")]
pub mod e4_3;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab4-fpga/src/e4_4.rs")]
pub mod e4_4;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab4-fpga/src/e4_5.rs")]
pub mod e4_5;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab4-fpga/src/e4_6.rs")]
pub mod e4_6;
// modules>

/// Taps of the lab's filter.
pub const TAPS: usize = 8;
