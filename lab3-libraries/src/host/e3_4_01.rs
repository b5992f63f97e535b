//! Handlers of exercise 3.4.1: the arrays of the set-up.

use labkit::LabError;
use serde_json::{Value, json};

use super::{args, bits64};
use crate::ft::{C64, Params};

/// Handlers of exercise 3.4.1 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_4_01 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_4_01 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_4_01.params", |args| host::params(exercise::params, args)),
            ("e3_4_01.ex_table", |args| host::ex_table(exercise::ex_table, args)),
            ("e3_4_01.indexmap", |args| host::indexmap(exercise::indexmap, args)),
            ("e3_4_01.roots", |args| host::roots(exercise::roots, args)),
            ("e3_4_01.initial", |args| host::initial(exercise::initial, args)),
            ("e3_4_01.plane_seeds", |args| host::plane_seeds(exercise::plane_seeds, args)),
        ];
        list
    }};
}

/// `[nx, ny, nz, niter]`.
///
/// # Errors
/// A bad request.
pub fn size(request: &Value) -> Result<Params, LabError> {
    let [nx, ny, nz, niter] = args::<[usize; 4]>(request)?;
    Ok(Params { nx, ny, nz, niter })
}

/// Bits of real and imaginary parts in turn.
pub fn complex_bits(values: &[C64]) -> Value {
    json!(values.iter().flat_map(|v| [v.re.to_bits(), v.im.to_bits()]).collect::<Vec<_>>())
}

/// What [`complex_bits`] wrote.
pub fn from_complex_bits(bits: &[u64]) -> Vec<C64> {
    let parts = super::from_bits64(bits);
    parts.chunks_exact(2).map(|v| C64::new(v[0], v[1])).collect()
}

/// `[nx, ny, nz, niter]` -> the same.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn params(
    f: fn(usize, usize, usize, usize) -> Result<Params, LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let [nx, ny, nz, niter] = args::<[usize; 4]>(request)?;
    let p = f(nx, ny, nz, niter)?;
    Ok(json!([p.nx, p.ny, p.nz, p.niter]))
}

/// `[nx, ny, nz, niter]` -> bits.
///
/// # Errors
/// A bad request.
pub fn ex_table(f: fn(&Params) -> Vec<f64>, request: &Value) -> Result<Value, LabError> {
    Ok(json!(bits64(&f(&size(request)?))))
}

/// `[nx, ny, nz, niter]` -> numbers.
///
/// # Errors
/// A bad request.
pub fn indexmap(f: fn(&Params) -> Vec<i32>, request: &Value) -> Result<Value, LabError> {
    Ok(json!(f(&size(request)?)))
}

/// `n` -> bits.
///
/// # Errors
/// A bad request.
pub fn roots(f: fn(usize) -> Vec<C64>, request: &Value) -> Result<Value, LabError> {
    Ok(complex_bits(&f(args(request)?)))
}

/// `[nx, ny, nz, niter]` -> bits.
///
/// # Errors
/// A bad request.
pub fn initial(f: fn(&Params) -> Vec<C64>, request: &Value) -> Result<Value, LabError> {
    Ok(complex_bits(&f(&size(request)?)))
}

/// `[nx, ny, nz, niter]` -> states.
///
/// # Errors
/// A bad request.
pub fn plane_seeds(f: fn(&Params) -> Vec<u64>, request: &Value) -> Result<Value, LabError> {
    Ok(json!(f(&size(request)?)))
}
