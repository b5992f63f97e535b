//! Handlers of exercise 1.1.12: reading machine code.

use std::collections::BTreeMap;

use labkit::LabError;
use serde_json::{Value, json};

use super::args as request;

/// Names the functions of a module for exercise 1.1.12.
#[macro_export]
macro_rules! handlers_e1_1_12 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, labkit::serve::Handler)> = vec![
            ("e1_1_12.histogram", |args| {
                $crate::host::e1_1_12::histogram(exercise::opcode_histogram, args)
            }),
            ("e1_1_12.useful", |args| $crate::host::e1_1_12::useful(exercise::useful, args)),
        ];
        list
    }};
}

/// `[text, ...]` -> `[{opcode: count, ...}, ...]`
///
/// # Errors
/// A bad request.
pub fn histogram(f: fn(&str) -> BTreeMap<String, usize>, args: &Value) -> Result<Value, LabError> {
    let texts: Vec<String> = request(args)?;
    Ok(json!(texts.iter().map(|text| f(text)).collect::<Vec<_>>()))
}

/// `[[text, entry], ...]` -> `[[useful, all], ...]`
///
/// # Errors
/// A bad request.
pub fn useful(f: fn(&str, &str) -> (usize, usize), args: &Value) -> Result<Value, LabError> {
    let questions: Vec<(String, String)> = request(args)?;
    Ok(json!(questions.iter().map(|(text, entry)| f(text, entry)).collect::<Vec<_>>()))
}
