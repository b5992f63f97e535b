//! Handlers of exercises 5.1 and 5.2: magnitude and delay.

use hdl::{Block, BuildErrors};
use ipcores::magnitude::{PAIRS, Pair};
use serde_json::{Value, json};
use wire::serve::{Failed, args};

use super::design::{built, reply};

/// Handlers of exercise 5.1 over a module with its functions.
#[macro_export]
macro_rules! handlers_e5_1 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![("e5_1.mag16", |request| {
            $crate::host::parts::mag16(exercise::mag16, exercise::PAIR, exercise::LATENCY, request)
        })];
        list
    }};
}

/// Handlers of exercise 5.2 over a module with its functions.
#[macro_export]
macro_rules! handlers_e5_2 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![("e5_2.delaysel", |request| {
            $crate::host::parts::delaysel(exercise::delaysel, request)
        })];
        list
    }};
}

/// `{"pair": 0..3}` -> the design, the declared latency, and the chosen pair.
///
/// # Errors
/// The builder's mistakes.
pub fn mag16(
    mag16: fn(Pair) -> Result<Block, BuildErrors>,
    chosen: Pair,
    latency: u32,
    request: &Value,
) -> Result<Value, Failed> {
    let pair: usize = args(&request["pair"])?;
    let pair = PAIRS.get(pair).ok_or_else(|| Failed::msg(format!("there is no pair {pair}")))?;
    Ok(json!({ "design": built(mag16(*pair))?, "latency": latency, "chosen": chosen.name }))
}

/// `{"sel": 8}` -> the design.
///
/// # Errors
/// The builder's mistakes.
pub fn delaysel(
    delaysel: fn(u32) -> Result<Block, BuildErrors>,
    request: &Value,
) -> Result<Value, Failed> {
    reply(delaysel(args(&request["sel"])?))
}
