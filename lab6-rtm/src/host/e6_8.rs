//! Handlers of exercise 6.8: checkpoints.

use labkit::LabError;
use serde_json::{Value, json};

use super::args;

/// Handlers of exercise 6.8 over a module with its functions.
#[macro_export]
macro_rules! handlers_e6_8 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e6_8.place", |args| {
                let name = |n, period| match exercise::place(n, period) {
                    exercise::Place::Checkpoint(k) => format!("checkpoint {k}"),
                    exercise::Place::Even => "even".into(),
                    exercise::Place::Odd => "odd".into(),
                };
                $crate::host::e6_8::place(name, args)
            }),
            ("e6_8.stencil_calls", |args| {
                $crate::host::e6_8::stencil_calls(exercise::stencil_calls, args)
            }),
            ("e6_8.period", |args| $crate::host::e6_8::period(exercise::period, args)),
            ("e6_8.fewest", |args| $crate::host::e6_8::fewest(exercise::fewest_advances, args)),
            ("e6_8.schedule", |args| {
                let names = |nt, slots| {
                    let name = |action: &exercise::Action| match action {
                        exercise::Action::Advance => "advance".to_string(),
                        exercise::Action::Store(slot) => format!("store {slot}"),
                        exercise::Action::Restore(slot) => format!("restore {slot}"),
                        exercise::Action::Restart => "restart".into(),
                        exercise::Action::Image => "image".into(),
                    };
                    exercise::schedule(nt, slots).iter().map(name).collect()
                };
                $crate::host::e6_8::schedule(names, args)
            }),
        ];
        list
    }};
}

/// `[[n, period], ...]` -> names of buffers.
///
/// # Errors
/// A bad request.
pub fn place(f: fn(u64, u64) -> String, request: &Value) -> Result<Value, LabError> {
    let cases: Vec<(u64, u64)> = args(request)?;
    Ok(json!(cases.into_iter().map(|(n, period)| f(n, period)).collect::<Vec<_>>()))
}

/// `[[nt, period], ...]` -> numbers of calls.
///
/// # Errors
/// A bad request.
pub fn stencil_calls(f: fn(u64, u64) -> u64, request: &Value) -> Result<Value, LabError> {
    let cases: Vec<(u64, u64)> = args(request)?;
    Ok(json!(cases.into_iter().map(|(nt, period)| f(nt, period)).collect::<Vec<_>>()))
}

/// From levels, memory, base and checkpoint to a period.
pub type Period = fn(u64, u64, u64, u64) -> Result<u64, LabError>;

/// `[[nt, memory, base, checkpoint], ...]` -> periods, null for an error.
///
/// # Errors
/// A bad request.
pub fn period(f: Period, request: &Value) -> Result<Value, LabError> {
    let cases: Vec<[u64; 4]> = args(request)?;
    let one = |[nt, memory, base, checkpoint]: [u64; 4]| f(nt, memory, base, checkpoint).ok();
    Ok(json!(cases.into_iter().map(one).collect::<Vec<_>>()))
}

/// `[[n, slots], ...]` -> numbers of advances.
///
/// # Errors
/// A bad request.
pub fn fewest(f: fn(usize, usize) -> u64, request: &Value) -> Result<Value, LabError> {
    let cases: Vec<(usize, usize)> = args(request)?;
    Ok(json!(cases.into_iter().map(|(n, slots)| f(n, slots)).collect::<Vec<_>>()))
}

/// `[nt, slots]` -> names of actions.
///
/// # Errors
/// A bad request.
pub fn schedule(
    f: impl Fn(usize, usize) -> Vec<String>,
    request: &Value,
) -> Result<Value, LabError> {
    let (nt, slots): (usize, usize) = args(request)?;
    Ok(json!(f(nt, slots)))
}
