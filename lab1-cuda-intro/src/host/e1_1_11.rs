//! Handlers of exercise 1.1.11: the compilation path.

use labkit::LabError;
use serde_json::{Value, json};

use super::args as request;

/// Names the functions of a module for exercise 1.1.11.
#[macro_export]
macro_rules! handlers_e1_1_11 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, labkit::serve::Handler)> = vec![
            ("e1_1_11.entries", |args| $crate::host::e1_1_11::entries(exercise::ptx_entries, args)),
            ("e1_1_11.target", |args| $crate::host::e1_1_11::target(exercise::ptx_target, args)),
        ];
        list
    }};
}

/// `[text, ...]` -> `[[name, ...], ...]`
///
/// # Errors
/// A bad request.
pub fn entries(f: fn(&str) -> Vec<String>, args: &Value) -> Result<Value, LabError> {
    let texts: Vec<String> = request(args)?;
    Ok(json!(texts.iter().map(|text| f(text)).collect::<Vec<_>>()))
}

/// `[text, ...]` -> `[[version, target] or null, ...]`
///
/// # Errors
/// A bad request.
pub fn target(f: fn(&str) -> Option<(String, String)>, args: &Value) -> Result<Value, LabError> {
    let texts: Vec<String> = request(args)?;
    Ok(json!(texts.iter().map(|text| f(text)).collect::<Vec<_>>()))
}
