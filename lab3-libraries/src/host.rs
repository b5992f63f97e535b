//! What the judge may ask of the student's functions, one module per exercise.
//!
//! The macro of an exercise names the functions of the exercise's module; what a request means is
//! an ordinary function beside it. So the same handlers also serve a mutated copy of a solution in
//! another crate. `f32` and `f64` cross as bit patterns, so that NaN survives.

pub use labkit::serve::{Handler, args, bits32, bits64, from_bits32, from_bits64};

pub mod study;

// <modules: `cargo lab sync` writes this list
pub mod e3_1_01;
pub mod e3_1_02;
pub mod e3_1_03;
pub mod e3_1_04;
pub mod e3_1_05;
pub mod e3_1_06;
pub mod e3_1_07;
pub mod e3_1_08;
pub mod e3_1_09;
pub mod e3_2_01;
pub mod e3_2_02;
pub mod e3_2_03;
pub mod e3_2_04;
pub mod e3_3_01;
pub mod e3_3_02;
pub mod e3_3_03;
pub mod e3_3_05;
pub mod e3_4_01;
pub mod e3_4_03;
pub mod e3_4_04;
pub mod e3_4_05;
pub mod e3_4_06;
pub mod e3_4_07;
// modules>

/// All handlers, over the student's modules (the solutions' with feature `solutions`).
pub fn handlers() -> Vec<(&'static str, Handler)> {
    [
        // <handlers: `cargo lab sync` writes this list
        crate::handlers_e3_1_01!(lab3_libraries::e3_1_01),
        crate::handlers_e3_1_02!(lab3_libraries::e3_1_02),
        crate::handlers_e3_1_03!(lab3_libraries::e3_1_03),
        crate::handlers_e3_1_04!(lab3_libraries::e3_1_04),
        crate::handlers_e3_1_05!(lab3_libraries::e3_1_05),
        crate::handlers_e3_1_06!(lab3_libraries::e3_1_06),
        crate::handlers_e3_1_07!(lab3_libraries::e3_1_07),
        crate::handlers_e3_1_08!(lab3_libraries::e3_1_08),
        crate::handlers_e3_1_09!(lab3_libraries::e3_1_09),
        crate::handlers_e3_2_01!(lab3_libraries::e3_2_01),
        crate::handlers_e3_2_02!(lab3_libraries::e3_2_02),
        crate::handlers_e3_2_03!(lab3_libraries::e3_2_03),
        crate::handlers_e3_2_04!(lab3_libraries::e3_2_04),
        crate::handlers_e3_3_01!(lab3_libraries::e3_3_01),
        crate::handlers_e3_3_02!(lab3_libraries::e3_3_02),
        crate::handlers_e3_3_03!(lab3_libraries::e3_3_03),
        crate::handlers_e3_3_05!(lab3_libraries::e3_3_05),
        crate::handlers_e3_4_01!(lab3_libraries::e3_4_01),
        crate::handlers_e3_4_03!(lab3_libraries::e3_4_03),
        crate::handlers_e3_4_04!(lab3_libraries::e3_4_04),
        crate::handlers_e3_4_05!(lab3_libraries::e3_4_05),
        crate::handlers_e3_4_06!(lab3_libraries::e3_4_06),
        crate::handlers_e3_4_07!(lab3_libraries::e3_4_07),
        // handlers>
        study::handlers(),
    ]
    .concat()
}
