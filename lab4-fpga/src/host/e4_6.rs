//! Handlers of exercise 4.6: variable coefficients in the chosen style.

use serde_json::{Value, json};
use wire::serve::Failed;

use super::args;
use crate::mult::ImplStyle;

/// Handlers of exercise 4.6 over a module with its constant.
#[macro_export]
macro_rules! handlers_e4_6 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> =
            vec![
                ("e4_6.fir1", |request| $crate::host::e4_6::fir1(exercise::STYLE, request)),
                ("e4_6.mix", |request| $crate::host::e4_6::mix(exercise::best_mix, request)),
            ];
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

type Parts = [u32; 4];

/// `[[left, block, logic], ..]`, each four numbers -> `[[with blocks, in logic], ..]`.
///
/// # Errors
/// A mistake of the check.
pub fn mix(mix: fn(Parts, Parts, Parts) -> (u32, u32), request: &Value) -> Result<Value, Failed> {
    let cases: Vec<(Parts, Parts, Parts)> = args(request)?;
    Ok(json!(cases.into_iter().map(|(left, b, l)| mix(left, b, l)).collect::<Vec<_>>()))
}
