//! What the judge may ask of the student's functions, one module per exercise.
//!
//! The macro of an exercise names the functions of the exercise's module; what a request means is an ordinary function
//! beside it. So the same handlers also serve a mutated copy of a solution in another crate. `f32` and `f64` cross as bit
//! patterns, so that NaN survives.

pub mod e1_1_01;
pub mod e1_1_02;
pub mod e1_1_03;
pub mod e1_1_04;
pub mod e1_1_05;
pub mod e1_1_06;
pub mod e1_1_07;
pub mod e1_1_08;
pub mod e1_1_09;
pub mod e1_1_10;
pub mod e1_1_11;
pub mod e1_1_12;
pub mod e1_1_13;
pub mod e1_1_14;
pub mod e1_2_01;
pub mod e1_2_02;
