//! Handlers of exercise 3.2.1: the rain problem.

use labkit::LabError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{args, bits32};
use crate::rain::Problem;

/// Handlers of exercise 3.2.1 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_2_01 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_2_01 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_2_01.row", |args| host::row(exercise::full_row, args)),
            ("e3_2_01.problem", |args| host::problem(exercise::problem, args)),
        ];
        list
    }};
}

/// The student's problem.
pub type MakeProblem = fn(u64, usize, usize, usize, f64) -> Result<Problem, LabError>;

/// `{"d", "n", "tau": bits}` -> bits of the row.
///
/// # Errors
/// A bad request.
pub fn row(
    full_row: fn(usize, usize, f64) -> Vec<f32>,
    request: &Value,
) -> Result<Value, LabError> {
    let tau = f64::from_bits(args(&request["tau"])?);
    Ok(json!(bits32(&full_row(args(&request["d"])?, args(&request["n"])?, tau))))
}

/// `{"seed", "n", "k", "m", "tau": bits}` -> the problem, its numbers as bits.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn problem(problem: MakeProblem, request: &Value) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Case {
        seed: u64,
        n: usize,
        k: usize,
        m: usize,
        tau: u64,
    }
    let Case { seed, n, k, m, tau } = args(request)?;
    let p = problem(seed, n, k, m, f64::from_bits(tau))?;
    Ok(json!({
        "n": p.n, "m": p.m, "days": p.days, "x": bits32(&p.x), "a": bits32(&p.a), "y": bits32(&p.y),
    }))
}
