//! What the judge may ask of the student's functions, one module per exercise.
//!
//! The macro of an exercise names the functions of the exercise's module; what a request means is an ordinary function
//! beside it. So the same handlers also serve a mutated copy of a solution in another crate. `f32` and `f64` cross as bit
//! patterns, so that NaN survives.

use labkit::LabError;
pub use labkit::serve::Handler;
use serde::de::DeserializeOwned;
use serde_json::Value;

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

/// All handlers, over the student's modules (the solutions' with feature `solutions`).
pub fn handlers() -> Vec<(&'static str, Handler)> {
    [
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
    ]
    .concat()
}

/// The arguments of a request as the type that the handler wants.
///
/// # Errors
/// Names what does not fit: a mistake of the check.
pub fn args<T: DeserializeOwned>(args: &Value) -> Result<T, LabError> {
    serde_json::from_value(args.clone())
        .map_err(|e| LabError::msg(format!("the judge's request does not fit the handler: {e}")))
}

/// Bit patterns of `f32` values.
pub fn bits32(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// `f32` values from bit patterns.
pub fn from_bits32(bits: &[u32]) -> Vec<f32> {
    bits.iter().map(|b| f32::from_bits(*b)).collect()
}

/// Bit patterns of `f64` values.
pub fn bits64(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// `f64` values from bit patterns.
pub fn from_bits64(bits: &[u64]) -> Vec<f64> {
    bits.iter().map(|b| f64::from_bits(*b)).collect()
}
