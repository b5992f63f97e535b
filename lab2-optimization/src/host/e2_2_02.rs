//! Handlers of exercise 2.2.2: bank conflicts.

use labkit::LabError;
use serde_json::{Value, json};

use super::args;

/// Names the functions of a module for exercise 2.2.2.
#[macro_export]
macro_rules! handlers_e2_2_02 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e2_2_02.best_pad", |args| $crate::host::e2_2_02::best_pad(exercise::best_pad, args)),
        ];
        list
    }};
}

/// `[8, 16]` -> the padding for each.
///
/// # Errors
/// A bad request.
pub fn best_pad(best_pad: fn(u32) -> u32, request: &Value) -> Result<Value, LabError> {
    Ok(json!(args::<Vec<u32>>(request)?.into_iter().map(best_pad).collect::<Vec<_>>()))
}
