//! Handlers of exercise 1.1.8: floating point arrives.

use labkit::LabError;
use serde_json::{Value, json};

use super::{args, bits32, from_bits32};

/// Handlers of exercise 1.1.8 over a module with its functions.
#[macro_export]
macro_rules! handlers_e1_1_08 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e1_1_08.fill", |args| $crate::host::e1_1_08::fill(exercise::fill, args)),
            ("e1_1_08.max_abs_err", |args| {
                $crate::host::e1_1_08::max_abs_err(exercise::max_abs_err, args)
            }),
            ("e1_1_08.max_abs_err_exact", |args| {
                $crate::host::e1_1_08::max_abs_err_exact(exercise::max_abs_err_exact, args)
            }),
            ("e1_1_08.gflops", |args| $crate::host::e1_1_08::gflops(exercise::gflops, args)),
        ];
        list
    }};
}

/// `{"n": 5}` -> `[a, b]`, bit patterns.
pub fn fill(fill: fn(usize) -> (Vec<f32>, Vec<f32>), request: &Value) -> Result<Value, LabError> {
    let (a, b) = fill(args(&request["n"])?);
    Ok(json!([bits32(&a), bits32(&b)]))
}

fn floats(request: &Value, key: &str) -> Result<Vec<f32>, LabError> {
    Ok(from_bits32(&args::<Vec<u32>>(&request[key])?))
}

/// `{"c": [..], "a": [..], "b": [..]}` -> bit pattern of the error.
pub fn max_abs_err(
    error: fn(&[f32], &[f32], &[f32]) -> f64,
    request: &Value,
) -> Result<Value, LabError> {
    let error = error(&floats(request, "c")?, &floats(request, "a")?, &floats(request, "b")?);
    Ok(json!(error.to_bits()))
}

/// `{"c": [..]}` -> bit pattern of the error.
pub fn max_abs_err_exact(error: fn(&[f32]) -> f64, request: &Value) -> Result<Value, LabError> {
    Ok(json!(error(&floats(request, "c")?).to_bits()))
}

/// `{"n": 5, "ms": bits}` -> bit pattern of the rate.
pub fn gflops(gflops: fn(usize, f64) -> f64, request: &Value) -> Result<Value, LabError> {
    let ms = f64::from_bits(args(&request["ms"])?);
    Ok(json!(gflops(args(&request["n"])?, ms).to_bits()))
}
