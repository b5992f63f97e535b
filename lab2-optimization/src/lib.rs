//! Lab 2: optimising CUDA C programs.
//!
//! One module per exercise, named after its section: [`e2_1_01`] is exercise 2.1.1. Open the
//! handout, `README.md`, and start at [`e2_1_01`].

// Sound is a crate of its own; in this lab its name is `audio`.
pub use sound as audio;

// Exercises name each other through the crate's name, so that a module also compiles outside of
// this crate.
extern crate self as lab2_optimization;

pub mod fir;
pub mod host;
pub mod measure;
pub mod mmt;
pub mod tensor;
pub mod timing;
pub mod versions;

// <modules: `cargo lab sync` writes this list
#[cfg_attr(feature = "solutions", path = "../../solutions/lab2-optimization/src/e2_1_01.rs")]
pub mod e2_1_01;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab2-optimization/src/e2_1_02.rs")]
pub mod e2_1_02;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab2-optimization/src/e2_1_03.rs")]
pub mod e2_1_03;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab2-optimization/src/e2_1_04.rs")]
pub mod e2_1_04;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab2-optimization/src/e2_1_05.rs")]
pub mod e2_1_05;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab2-optimization/src/e2_1_06.rs")]
pub mod e2_1_06;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab2-optimization/src/e2_1_07.rs")]
pub mod e2_1_07;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab2-optimization/src/e2_1_08.rs")]
pub mod e2_1_08;
pub mod e2_1_09;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab2-optimization/src/e2_1_10.rs")]
pub mod e2_1_10;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab2-optimization/src/e2_1_11.rs")]
pub mod e2_1_11;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab2-optimization/src/e2_1_13.rs")]
pub mod e2_1_13;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab2-optimization/src/e2_2_01.rs")]
pub mod e2_2_01;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab2-optimization/src/e2_2_02.rs")]
pub mod e2_2_02;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab2-optimization/src/e2_2_05.rs")]
pub mod e2_2_05;
// modules>
