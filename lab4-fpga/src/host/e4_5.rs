//! Handlers of exercise 4.5: variable coefficients.

use hdl::{Block, BuildErrors};
use serde_json::Value;
use wire::serve::Failed;

use super::{args, style};
use crate::mult::ImplStyle;

/// Handlers of exercise 4.5 over a module with its function.
#[macro_export]
macro_rules! handlers_e4_5 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> =
            vec![("e4_5.fir1", |request| $crate::host::e4_5::fir1(exercise::fir1, request))];
        list
    }};
}

/// `{"lsb": 15, "style": "pipe_lut"}` -> the design.
///
/// # Errors
/// The builder's mistakes.
pub fn fir1(
    fir1: fn(u32, ImplStyle) -> Result<Block, BuildErrors>,
    request: &Value,
) -> Result<Value, Failed> {
    super::reply(fir1(args(&request["lsb"])?, style(request)?))
}
