//! What the judge may ask of the student's functions, one module per exercise.
//!
//! The macro of an exercise names the functions of the exercise's module; what a request means is
//! an ordinary function beside it. So the same handlers also serve a mutated copy of a solution in
//! another crate. `f32` and `f64` cross as bit patterns, so that NaN survives.

pub use labkit::serve::{Handler, args, bits32, bits64, from_bits32, from_bits64};

// <modules: `cargo lab sync` writes this list
pub mod e2_1_01;
pub mod e2_1_02;
pub mod e2_1_03;
pub mod e2_1_04;
pub mod e2_1_05;
pub mod e2_1_11;
pub mod e2_1_13;
pub mod e2_2_01;
pub mod e2_2_02;
pub mod e2_2_04;
pub mod e2_2_05;
pub mod fir_gpu;
// modules>

/// All handlers, over the student's modules (the solutions' with feature `solutions`).
pub fn handlers() -> Vec<(&'static str, Handler)> {
    [
        // <handlers: `cargo lab sync` writes this list
        crate::handlers_e2_1_01!(lab2_optimization::e2_1_01),
        crate::handlers_e2_1_02!(lab2_optimization::e2_1_02),
        crate::handlers_e2_1_03!(lab2_optimization::e2_1_03),
        crate::handlers_e2_1_04!(lab2_optimization::e2_1_04),
        crate::handlers_e2_1_05!(lab2_optimization::e2_1_05),
        crate::handlers_e2_1_06!(lab2_optimization::e2_1_06),
        crate::handlers_e2_1_07!(lab2_optimization::e2_1_07),
        crate::handlers_e2_1_08!(lab2_optimization::e2_1_08),
        crate::handlers_e2_1_09!(lab2_optimization::e2_1_09),
        crate::handlers_e2_1_10!(lab2_optimization::e2_1_10),
        crate::handlers_e2_1_11!(lab2_optimization::e2_1_11),
        crate::handlers_e2_1_13!(lab2_optimization::e2_1_13),
        crate::handlers_e2_2_01!(lab2_optimization::e2_2_01),
        crate::handlers_e2_2_02!(lab2_optimization::e2_2_02),
        crate::handlers_e2_2_05!(lab2_optimization::e2_2_05),
        // handlers>
        // 2.2.4 is a kernel, launched by the host function of 2.2.1.
        crate::handlers_e2_2_04!(lab2_optimization::e2_2_01),
    ]
    .concat()
}

/// A filter and a stereo signal, as all filters' handlers take them:
/// `{"len", "coeff": bits, "yin": bits}`.
#[derive(Debug, serde::Deserialize)]
pub struct FirRequest {
    /// Samples per channel.
    pub len: usize,
    coeff: Vec<u32>,
    yin: Vec<u32>,
}

impl FirRequest {
    /// Coefficients.
    pub fn coeff(&self) -> Vec<f32> {
        from_bits32(&self.coeff)
    }

    /// Samples, left then right.
    pub fn yin(&self) -> Vec<f32> {
        from_bits32(&self.yin)
    }

    /// Memory for the output that holds something else already.
    pub fn dirty_output(&self) -> Vec<f32> {
        vec![-7.5; 2 * self.len]
    }
}
