//! Handlers of exercise 3.1.1: the estimate and its uncertainty.

use labkit::LabError;
use serde_json::{Value, json};

use super::{args, bits64, from_bits64};

/// Handlers of exercise 3.1.1 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_1_01 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_1_01 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_1_01.volume", |args| host::volume(exercise::box_volume, args)),
            ("e3_1_01.estimate", |args| host::estimate(exercise::estimate, args)),
            ("e3_1_01.n_for", |args| host::n_for(exercise::n_for, args)),
        ];
        list
    }};
}

/// The student's volume of a box.
pub type BoxVolume = fn(&[(f64, f64)]) -> Result<f64, LabError>;
/// The student's estimate.
pub type Estimate = fn(f64, f64, f64, u64) -> Result<(f64, f64), LabError>;

/// `[a_1, b_1, a_2, b_2, ...]` as bits -> bits of the volume.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn volume(f: BoxVolume, request: &Value) -> Result<Value, LabError> {
    let bounds: Vec<u64> = args(request)?;
    let sides: Vec<_> = from_bits64(&bounds).chunks_exact(2).map(|s| (s[0], s[1])).collect();
    Ok(json!(f(&sides)?.to_bits()))
}

/// `{"values": bits of [v, sum, sum2], "n"}` -> bits of `[I, u]`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn estimate(f: Estimate, request: &Value) -> Result<Value, LabError> {
    let [v, sum, sum2] = args::<[u64; 3]>(&request["values"])?.map(f64::from_bits);
    let (i, u) = f(v, sum, sum2, args(&request["n"])?)?;
    Ok(json!(bits64(&[i, u])))
}

/// Bits of `[u_target, v, var]` -> number of points.
///
/// # Errors
/// A bad request.
pub fn n_for(f: fn(f64, f64, f64) -> u64, request: &Value) -> Result<Value, LabError> {
    let [u, v, var] = args::<[u64; 3]>(request)?.map(f64::from_bits);
    Ok(json!(f(u, v, var)))
}
