//! Lab 5: library cores in an FPGA.
//!
//! One module per exercise, named after its section: [`e5_1`] is exercise 5.1. [`compiler`] puts
//! the exercises' cores together with those that are given; [`designs`] has all of them by name.
//! Open the handout, `README.md`, and start at [`e5_1`].

#![forbid(unsafe_code)]

// Exercises name each other through the crate's name, so that a module also compiles outside of
// this crate.
extern crate self as lab5_fpga_ip;

pub mod compiler;
pub mod designs;
pub mod host;

// <modules: `cargo lab sync` writes this list
#[cfg_attr(feature = "solutions", path = "../../solutions/lab5-fpga-ip/src/e5_1.rs")]
pub mod e5_1;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab5-fpga-ip/src/e5_2.rs")]
pub mod e5_2;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab5-fpga-ip/src/e5_3.rs")]
pub mod e5_3;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab5-fpga-ip/src/e5_4.rs")]
pub mod e5_4;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab5-fpga-ip/src/e5_5.rs")]
pub mod e5_5;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab5-fpga-ip/src/e5_7.rs")]
pub mod e5_7;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab5-fpga-ip/src/e5_8.rs")]
pub mod e5_8;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab5-fpga-ip/src/e5_9.rs")]
pub mod e5_9;
// modules>
