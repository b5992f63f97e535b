//! Lab 3: high-level libraries and two NAS benchmarks.
//!
//! One module per exercise, named after its section: [`e3_1_01`] is exercise 3.1.1. Open the
//! handout, `README.md`, and start at [`e3_1_01`].

// Exercises name each other through the crate's name, so that a module also compiles outside of
// this crate.
extern crate self as lab3_libraries;

pub mod algorithms;
pub mod ep;
pub mod ft;
pub mod host;
pub mod mc;
pub mod nas;
pub mod rain;
pub mod solids;

// <modules: `cargo lab sync` writes this list
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_1_01.rs")]
pub mod e3_1_01;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_1_02.rs")]
pub mod e3_1_02;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_1_03.rs")]
pub mod e3_1_03;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_1_04.rs")]
pub mod e3_1_04;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_1_05.rs")]
pub mod e3_1_05;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_1_06.rs")]
pub mod e3_1_06;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_1_07.rs")]
pub mod e3_1_07;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_1_08.rs")]
pub mod e3_1_08;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_1_09.rs")]
pub mod e3_1_09;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_2_01.rs")]
pub mod e3_2_01;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_2_02.rs")]
pub mod e3_2_02;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_2_03.rs")]
pub mod e3_2_03;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_2_04.rs")]
pub mod e3_2_04;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_3_01.rs")]
pub mod e3_3_01;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_3_02.rs")]
pub mod e3_3_02;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_3_03.rs")]
pub mod e3_3_03;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_3_05.rs")]
pub mod e3_3_05;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_4_01.rs")]
pub mod e3_4_01;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_4_03.rs")]
pub mod e3_4_03;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_4_04.rs")]
pub mod e3_4_04;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_4_05.rs")]
pub mod e3_4_05;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_4_06.rs")]
pub mod e3_4_06;
#[cfg_attr(feature = "solutions", path = "../../solutions/lab3-libraries/src/e3_4_07.rs")]
pub mod e3_4_07;
// modules>
