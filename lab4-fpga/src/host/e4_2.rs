//! Handlers of exercise 4.2: the first filter with the student's choice of bits.

use serde_json::{Value, json};
use wire::serve::Failed;

use super::{args, coefficients};
use crate::TAPS;

/// Handlers of exercise 4.2 over a module with its function.
#[macro_export]
macro_rules! handlers_e4_2 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> =
            vec![
                ("e4_2.fir1", |request| $crate::host::e4_2::fir1(exercise::result_lsb, request)),
                ("e4_2.lsb", |request| $crate::host::e4_2::lsb(exercise::result_lsb, request)),
            ];
        list
    }};
}

/// `{"coefficients": [8]}` -> the design.
///
/// # Errors
/// The builder's mistakes.
pub fn fir1(lsb: fn(&[i64; TAPS]) -> u32, request: &Value) -> Result<Value, Failed> {
    let b = coefficients(request)?;
    // More than the total has bits would be the builder's mistake, and hide the student's.
    super::reply(crate::e4_1::fir1(&b, lsb(&b).min(19)))
}

/// `[[8 coefficients], ..]` -> the lowest bits.
///
/// # Errors
/// A mistake of the check.
pub fn lsb(lsb: fn(&[i64; TAPS]) -> u32, request: &Value) -> Result<Value, Failed> {
    let sets: Vec<[i64; TAPS]> = args(request)?;
    Ok(json!(sets.iter().map(lsb).collect::<Vec<_>>()))
}
