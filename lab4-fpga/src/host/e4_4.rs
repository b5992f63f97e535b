//! Handlers of exercise 4.4: constant coefficients in the chosen style.

use serde_json::{Value, json};
use wire::serve::Failed;

use super::{args, coefficients};
use crate::mult::ImplStyle;

/// Handlers of exercise 4.4 over a module with its constant.
#[macro_export]
macro_rules! handlers_e4_4 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> =
            vec![
                ("e4_4.fir1", |request| $crate::host::e4_4::fir1(exercise::STYLE, request)),
                ("e4_4.digits", |request| $crate::host::e4_4::digits(exercise::digits, request)),
            ];
        list
    }};
}

/// `{"coefficients": [8], "lsb": 15}` -> the design of exercise 4.3 in that style.
///
/// # Errors
/// The builder's mistakes.
pub fn fir1(style: ImplStyle, request: &Value) -> Result<Value, Failed> {
    super::reply(crate::e4_3::fir1(&coefficients(request)?, args(&request["lsb"])?, style))
}

/// `[b, ..]` -> the terms of each.
///
/// # Errors
/// A mistake of the check.
pub fn digits(digits: fn(i64) -> Vec<(i64, u32)>, request: &Value) -> Result<Value, Failed> {
    let numbers: Vec<i64> = args(request)?;
    Ok(json!(numbers.into_iter().map(digits).collect::<Vec<_>>()))
}
