//! What the judge may ask of the student's functions, one module per exercise.
//!
//! The macro of an exercise names the functions of the exercise's module; what a request means is
//! an ordinary function beside it. So the same handlers also serve a mutated copy of a solution in
//! another crate. `f32` and `f64` cross as bit patterns, so that NaN survives.

pub use labkit::serve::{Handler, args, bits32, bits64, from_bits32, from_bits64};

// <modules: `cargo lab sync` writes this list
pub mod e1_1_02;
pub mod e1_1_03;
pub mod e1_1_04;
pub mod e1_1_05;
pub mod e1_1_06;
pub mod e1_1_08;
pub mod e1_1_09;
pub mod e1_1_11;
pub mod e1_1_12;
pub mod e1_1_14;
pub mod e1_2_01;
pub mod e1_2_02;
// modules>

/// All handlers, over the student's modules (the solutions' with feature `solutions`).
pub fn handlers() -> Vec<(&'static str, Handler)> {
    [
        // <handlers: `cargo lab sync` writes this list
        crate::handlers_e1_1_02!(lab1_cuda_intro::e1_1_02),
        crate::handlers_e1_1_03!(lab1_cuda_intro::e1_1_03),
        crate::handlers_e1_1_04!(lab1_cuda_intro::e1_1_04),
        crate::handlers_e1_1_05!(lab1_cuda_intro::e1_1_05),
        crate::handlers_e1_1_06!(lab1_cuda_intro::e1_1_06),
        crate::handlers_e1_1_08!(lab1_cuda_intro::e1_1_08),
        crate::handlers_e1_1_09!(lab1_cuda_intro::e1_1_09),
        crate::handlers_e1_1_11!(lab1_cuda_intro::e1_1_11),
        crate::handlers_e1_1_12!(lab1_cuda_intro::e1_1_12),
        crate::handlers_e1_1_14!(lab1_cuda_intro::vecadd),
        crate::handlers_e1_2_01!(lab1_cuda_intro::e1_2_01),
        crate::handlers_e1_2_02!(lab1_cuda_intro::e1_2_02),
        // handlers>
    ]
    .concat()
}
