//! Handlers of exercise 4.6: variable coefficients in the chosen style.

use serde_json::Value;
use wire::serve::Failed;

use super::args;
use crate::mult::ImplStyle;

/// Handlers of exercise 4.6 over a module with its constant.
#[macro_export]
macro_rules! handlers_e4_6 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> =
            vec![("e4_6.fir1", |request| $crate::host::e4_6::fir1(exercise::STYLE, request))];
        list
    }};
}

/// `{"lsb": 15}` -> the design of exercise 4.5 in that style.
///
/// # Errors
/// The builder's mistakes.
pub fn fir1(style: ImplStyle, request: &Value) -> Result<Value, Failed> {
    super::reply(crate::e4_5::fir1(args(&request["lsb"])?, style))
}
