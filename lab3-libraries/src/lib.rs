//! Lab 3: high-level libraries and two NAS benchmarks.
//!
//! One module per exercise, named after its section: [`e3_1_01`] is exercise 3.1.1. Open the handout, `README.md`, and
//! start at [`e3_1_01`].

// Exercises name each other through the crate's name, so that a module also compiles outside of this crate.
extern crate self as lab3_libraries;

pub mod host;

// 3.1, Monte Carlo integration.
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_1_01.rs")]
pub mod e3_1_01;

// 3.2, compressive sensing.

// 3.3, EP.

// 3.4, FT.
