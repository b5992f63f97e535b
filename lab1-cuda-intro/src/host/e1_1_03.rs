//! Handlers of exercise 1.1.3: bigger vectors, many blocks.

use labkit::{Lab, LabError};
use serde_json::{Value, json};

use super::args;

/// Handlers of exercise 1.1.3 over a module with its functions.
#[macro_export]
macro_rules! handlers_e1_1_03 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e1_1_03.fill", |args| $crate::host::e1_1_03::fill(exercise::fill, args)),
            ("e1_1_03.verify", |args| $crate::host::e1_1_03::verify(exercise::verify, args)),
            ("e1_1_03.add_single_block", |args| {
                $crate::host::e1_1_03::add(exercise::add_single_block, args)
            }),
            ("e1_1_03.add_blocks", |args| $crate::host::e1_1_03::add(exercise::add_blocks, args)),
        ];
        list
    }};
}

type Add = fn(&Lab, &mut [i32], &[i32], &[i32]) -> Result<(), LabError>;

/// The pair of test vectors, or why there is none.
type Filled = Result<(Vec<i32>, Vec<i32>), LabError>;

/// `{"n": 5}` -> `[a, b]`.
pub fn fill(fill: fn(usize) -> Filled, request: &Value) -> Result<Value, LabError> {
    let n = args(&request["n"])?;
    Ok(json!(fill(n)?))
}

/// `{"c": [..]}` -> the first wrong index or null.
pub fn verify(verify: fn(&[i32]) -> Result<(), usize>, request: &Value) -> Result<Value, LabError> {
    let c: Vec<i32> = args(&request["c"])?;
    Ok(json!(verify(&c).err()))
}

/// `{"a": [..], "b": [..]}` -> sums.
pub fn add(add: Add, request: &Value) -> Result<Value, LabError> {
    let (a, b): (Vec<i32>, Vec<i32>) = (args(&request["a"])?, args(&request["b"])?);
    let mut c = vec![0; a.len()];
    add(&Lab::new()?, &mut c, &a, &b)?;
    Ok(json!(c))
}
