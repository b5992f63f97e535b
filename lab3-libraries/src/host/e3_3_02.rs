//! Handlers of exercise 3.3.2: EP on the CPU.

use labkit::LabError;
use labkit::meeting::{Meeting, Met};
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
            ("e3_3_02.ep_cpu", |args| {
                $crate::host::e3_3_02::ep_cpu(exercise::ep_cpu, &exercise::batch, args)
            }),
            ("e3_3_02.together", |args| {
                $crate::host::e3_3_02::together(exercise::ep_cpu, exercise::batch, args)
            }),
        ];
        list
    }};
}

/// Counts, and the bits of both sums.
pub fn plain(result: &EpResult) -> Value {
    json!({ "q": result.q, "sums": bits64(&[result.sx, result.sy]) })
}

/// A batch by its size and number.
type Batch<'a> = &'a (dyn Fn(u32, u64) -> EpResult + Sync);
/// The student's benchmark.
type EpCpu = fn(u32, u32, usize, Batch<'_>) -> Result<EpResult, LabError>;

/// `[m, mk, threads]` -> `{"q", "sums": bits}`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn ep_cpu(f: EpCpu, batch: Batch<'_>, request: &Value) -> Result<Value, LabError> {
    let [m, mk, threads] = args::<[u32; 3]>(request)?;
    Ok(plain(&f(m, mk, threads as usize, batch)?))
}

/// `[m, mk, threads]` -> `{"result": as of `ep_cpu`, "together": batches that were under way at the
/// same time, "seen": threads that ran any}`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn together(
    f: EpCpu,
    batch: fn(u32, u64) -> EpResult,
    request: &Value,
) -> Result<Value, LabError> {
    let [m, mk, threads] = args::<[u32; 3]>(request)?;
    let meeting = Meeting::of(threads as usize);
    let watched = |mk, kk| {
        meeting.enter();
        batch(mk, kk)
    };
    let result = plain(&f(m, mk, threads as usize, &watched)?);
    let Met { together, seen } = meeting.met();
    Ok(json!({ "result": result, "together": together, "seen": seen }))
}

/// `[mk, kk]` -> `{"q", "sums": bits}`.
///
/// # Errors
/// A bad request.
pub fn batch(f: fn(u32, u64) -> EpResult, request: &Value) -> Result<Value, LabError> {
    let (mk, kk) = args::<(u32, u64)>(request)?;
    Ok(plain(&f(mk, kk)))
}
