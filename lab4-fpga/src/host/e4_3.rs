//! Handlers of exercise 4.3: one word per clock.

use hdl::{Block, BuildErrors};
use serde_json::{Value, json};
use wire::serve::Failed;

use super::{args, coefficients, style};
use crate::TAPS;
use crate::mult::ImplStyle;

/// Handlers of exercise 4.3 over a module with its functions.
#[macro_export]
macro_rules! handlers_e4_3 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![("e4_3.fir1", |request| {
            $crate::host::e4_3::fir1(exercise::fir1, exercise::latency, request)
        })];
        list
    }};
}

/// `{"coefficients": [8], "lsb": 15, "style": "block"}` -> the design and its declared `latency`.
///
/// # Errors
/// The builder's mistakes.
pub fn fir1(
    fir1: fn(&[i64; TAPS], u32, ImplStyle) -> Result<Block, BuildErrors>,
    latency: fn(ImplStyle) -> u32,
    request: &Value,
) -> Result<Value, Failed> {
    let style = style(request)?;
    let mut reply = super::reply(fir1(&coefficients(request)?, args(&request["lsb"])?, style))?;
    reply["latency"] = json!(latency(style));
    Ok(reply)
}
