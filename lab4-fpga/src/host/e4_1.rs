//! Handlers of exercise 4.1: the first filter.

use hdl::{Block, BuildErrors};
use serde_json::Value;
use wire::serve::Failed;

use super::{args, coefficients};
use crate::TAPS;

/// Handlers of exercise 4.1 over a module with its functions.
#[macro_export]
macro_rules! handlers_e4_1 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> =
            vec![("e4_1.fir1", |request| $crate::host::e4_1::fir1(exercise::fir1, request))];
        list
    }};
}

/// `{"coefficients": [8], "lsb": 19}` -> the design.
///
/// # Errors
/// The builder's mistakes.
pub fn fir1(
    fir1: fn(&[i64; TAPS], u32) -> Result<Block, BuildErrors>,
    request: &Value,
) -> Result<Value, Failed> {
    super::reply(fir1(&coefficients(request)?, args(&request["lsb"])?))
}
