//! Lab 1: getting to know CUDA.
//!
//! One module per exercise, named after its section: [`e1_1_03`] is exercise 1.1.3. Open the
//! handout, `README.md`, and start at [`e1_1_01`].

// Exercises name each other through the crate's name, so that a module also compiles outside of
// this crate.
extern crate self as lab1_cuda_intro;

pub mod clock;
pub mod host;
pub mod julia;
pub mod ptx;

pub use labkit::figures;

// <modules: `cargo lab sync` writes this list
pub mod e1_1_01;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab1-cuda-intro/src/e1_1_02.rs")]
pub mod e1_1_02;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab1-cuda-intro/src/e1_1_03.rs")]
pub mod e1_1_03;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab1-cuda-intro/src/e1_1_04.rs")]
pub mod e1_1_04;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab1-cuda-intro/src/e1_1_05.rs")]
pub mod e1_1_05;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab1-cuda-intro/src/e1_1_06.rs")]
pub mod e1_1_06;
pub mod e1_1_07;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab1-cuda-intro/src/e1_1_08.rs")]
pub mod e1_1_08;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab1-cuda-intro/src/e1_1_09.rs")]
pub mod e1_1_09;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab1-cuda-intro/src/e1_1_11.rs")]
pub mod e1_1_11;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab1-cuda-intro/src/e1_1_12.rs")]
pub mod e1_1_12;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab1-cuda-intro/src/e1_2_01.rs")]
pub mod e1_2_01;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab1-cuda-intro/src/e1_2_02.rs")]
pub mod e1_2_02;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab1-cuda-intro/src/vecadd/mod.rs")]
pub mod vecadd;
// modules>
