//! Handlers of exercise 1.1.4: the memory checker.

use labkit::{Lab, LabError};
use serde_json::{Value, json};

use super::args;

/// Handlers of exercise 1.1.4 over a module with its functions.
#[macro_export]
macro_rules! handlers_e1_1_04 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e1_1_04.add_guarded", |args| {
                $crate::host::e1_1_04::add_guarded(exercise::add_guarded, args)
            }),
        ];
        list
    }};
}

type Add = fn(&Lab, u32, &mut [i32], &[i32], &[i32]) -> Result<(), LabError>;

/// `{"a": [..], "b": [..], "block": 256}` -> sums.
pub fn add_guarded(add: Add, request: &Value) -> Result<Value, LabError> {
    let (a, b): (Vec<i32>, Vec<i32>) = (args(&request["a"])?, args(&request["b"])?);
    let mut c = vec![0; a.len()];
    add(&Lab::new()?, args(&request["block"])?, &mut c, &a, &b)?;
    Ok(json!(c))
}
