//! Lab 5: library cores in an FPGA.
//!
//! One module per file that a student edits; [`compiler`] puts them together with the cores that are given. Open the handout,
//! `README.md`, and start at [`mag16`].
#![forbid(unsafe_code)]

// Exercises name each other through the crate's name, so that a module also compiles outside of this crate.
extern crate self as lab5_fpga_ip;

pub mod compiler;

#[cfg_attr(feature = "solutions", path = "../../solutions/lab5-fpga-ip/src/da_parallel.rs")]
pub mod da_parallel;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab5-fpga-ip/src/da_serial.rs")]
pub mod da_serial;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab5-fpga-ip/src/delaysel.rs")]
pub mod delaysel;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab5-fpga-ip/src/fft_radix2.rs")]
pub mod fft_radix2;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab5-fpga-ip/src/fft_radix4.rs")]
pub mod fft_radix4;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab5-fpga-ip/src/fir_systolic.rs")]
pub mod fir_systolic;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab5-fpga-ip/src/fir_transposed.rs")]
pub mod fir_transposed;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab5-fpga-ip/src/mag16.rs")]
pub mod mag16;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab5-fpga-ip/src/top.rs")]
pub mod top;
