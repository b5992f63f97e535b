//! Handlers of exercises 2.1.6 to 2.1.10: the filters on the GPU.

use labkit::{Lab, LabError};
use serde_json::{Value, json};

use super::{FirRequest, args, bits32};
use crate::versions::Audiofir;

/// Handlers of exercise 2.1.6 over a module with its functions.
#[macro_export]
macro_rules! handlers_e2_1_06 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::fir_gpu as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e2_1_06.audiofir", |args| host::audiofir(exercise::audiofir, args)),
            ("e2_1_06.gflops", |args| host::gflops(exercise::gflops, args)),
        ];
        list
    }};
}

/// Handlers of exercise 2.1.7 over a module with its functions.
#[macro_export]
macro_rules! handlers_e2_1_07 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::fir_gpu as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e2_1_07.audiofir", |args| host::audiofir(exercise::audiofir, args)),
            ("e2_1_07.map", |args| {
                host::map(
                    |n, len, k| {
                        let m = exercise::map(n, len, k);
                        [m.len, m.l1, m.input, m.left, m.right, m.output, m.out_right]
                    },
                    args,
                )
            }),
        ];
        list
    }};
}

/// Handlers of exercise 2.1.8 over a module with its functions.
#[macro_export]
macro_rules! handlers_e2_1_08 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::fir_gpu as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e2_1_08.audiofir", |args| host::audiofir(exercise::audiofir, args)),
            ("e2_1_08.two", |args| host::two(exercise::audiofir, args)),
        ];
        list
    }};
}

/// Handlers of exercise 2.1.9, whose host code is given.
#[macro_export]
macro_rules! handlers_e2_1_09 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::fir_gpu as host;
        let list: Vec<(&'static str, $crate::host::Handler)> =
            vec![("e2_1_09.audiofir", |args| host::audiofir(exercise::audiofir, args))];
        list
    }};
}

/// Handlers of exercise 2.1.10 over a module with its functions.
#[macro_export]
macro_rules! handlers_e2_1_10 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::fir_gpu as host;
        let list: Vec<(&'static str, $crate::host::Handler)> =
            vec![("e2_1_10.audiofir", |args| host::audiofir(exercise::audiofir, args))];
        list
    }};
}

/// A [`FirRequest`] with `"k"` -> bits of `2 * len` outputs. `"short": true` hands over one output
/// too few.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn audiofir(f: Audiofir, request: &Value) -> Result<Value, LabError> {
    let lab = Lab::new()?;
    filtered(&lab, f, request)
}

fn filtered(lab: &Lab, f: Audiofir, request: &Value) -> Result<Value, LabError> {
    let k = args(&request["k"])?;
    let signal: FirRequest = args(request)?;
    let (coeff, yin) = (signal.coeff(), signal.yin());
    let mut yout = signal.dirty_output();
    if request["short"] == true {
        yout.pop();
    }
    f(lab, k, &mut yout, &yin, &coeff, coeff.len().saturating_sub(1), signal.len)?;
    Ok(json!(bits32(&yout)))
}

/// Two requests one after the other in one context -> the outputs of both.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn two(f: Audiofir, request: &Value) -> Result<Value, LabError> {
    let lab = Lab::new()?;
    Ok(json!([filtered(&lab, f, &request[0])?, filtered(&lab, f, &request[1])?]))
}

/// `{"n", "len", "ms": bits}` -> bits of the rate.
///
/// # Errors
/// A bad request.
pub fn gflops(f: fn(usize, usize, f64) -> f64, request: &Value) -> Result<Value, LabError> {
    let ms = f64::from_bits(args(&request["ms"])?);
    Ok(json!(f(args(&request["n"])?, args(&request["len"])?, ms).to_bits()))
}

/// `{"n", "len", "k"}` -> `{"l1", "input", "left", "right", "output", "out_right"}`. `f` gives the
/// fields of the exercise's own `Map` in their order: a mutant's `Map` is another type.
///
/// # Errors
/// A bad request.
pub fn map(f: fn(usize, usize, usize) -> [usize; 7], request: &Value) -> Result<Value, LabError> {
    let [_len, l1, input, left, right, output, out_right] =
        f(args(&request["n"])?, args(&request["len"])?, args(&request["k"])?);
    Ok(json!({
        "l1": l1, "input": input, "left": left, "right": right, "output": output,
        "out_right": out_right,
    }))
}
