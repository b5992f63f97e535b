//! Handlers of exercise 3.3.2: EP on the CPU.

use labkit::LabError;
use serde_json::{Value, json};

use super::{args, bits64};
use crate::ep::EpResult;

/// Handlers of exercise 3.3.2 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_3_02 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_3_02.batch", |args| $crate::host::e3_3_02::batch(exercise::batch, args)),
            ("e3_3_02.ep_cpu", |args| $crate::host::e3_3_02::ep_cpu(exercise::ep_cpu, args)),
        ];
        list
    }};
}

/// Counts, and the bits of both sums.
pub fn plain(result: &EpResult) -> Value {
    json!({ "q": result.q, "sums": bits64(&[result.sx, result.sy]) })
}

/// `[m, mk, threads]` -> `{"q", "sums": bits}`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn ep_cpu(
    f: fn(u32, u32, usize) -> Result<EpResult, LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let [m, mk, threads] = args::<[u32; 3]>(request)?;
    Ok(plain(&f(m, mk, threads as usize)?))
}

/// `[mk, kk]` -> `{"q", "sums": bits}`.
///
/// # Errors
/// A bad request.
pub fn batch(f: fn(u32, u64) -> EpResult, request: &Value) -> Result<Value, LabError> {
    let (mk, kk) = args::<(u32, u64)>(request)?;
    Ok(plain(&f(mk, kk)))
}
