//! What the judge may ask of the student's functions, one module per exercise.
//!
//! The macro of an exercise names the functions of the exercise's module; what a request means is an ordinary function
//! beside it. So the same handlers also serve a mutated copy of a solution in another crate. `f32` and `f64` cross as bit
//! patterns, so that NaN survives.

pub use labkit::serve::{Handler, args, bits32, bits64, from_bits32, from_bits64};

pub mod e2_1_01;

/// All handlers, over the student's modules (the solutions' with feature `solutions`).
pub fn handlers() -> Vec<(&'static str, Handler)> {
    [crate::handlers_e2_1_01!(lab2_optimization::e2_1_01)].concat()
}
