//! Handlers of exercise 3.3.1: the generator.

use labkit::LabError;
use serde_json::{Value, json};

use super::args;

/// Handlers of exercise 3.3.1 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_3_01 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_3_01 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_3_01.steps", |args| host::steps(exercise::lcg, exercise::uniform, args)),
            ("e3_3_01.randlc", |args| host::randlc(exercise::randlc, args)),
            ("e3_3_01.pow46", |args| host::pairs(exercise::pow46, args)),
            ("e3_3_01.seed_at", |args| host::pairs(exercise::seed_at, args)),
        ];
        list
    }};
}

/// `[s, n]` ->
/// `[state after n steps, exclusive or of the bits of the n numbers, the first states]`.
///
/// # Errors
/// A bad request.
pub fn steps(
    lcg: fn(u64) -> u64,
    uniform: fn(u64) -> f64,
    request: &Value,
) -> Result<Value, LabError> {
    let [mut s, n] = args::<[u64; 2]>(request)?;
    let (mut bits, mut first) = (0, Vec::new());
    for i in 0..n {
        s = lcg(s);
        bits ^= uniform(s).to_bits();
        if i < 6 {
            first.push(s);
        }
    }
    Ok(json!([s, bits, first]))
}

/// `[s, n]` -> the same by the form in double precision; states as numbers.
///
/// # Errors
/// A bad request.
pub fn randlc(f: fn(&mut f64, f64) -> f64, request: &Value) -> Result<Value, LabError> {
    let [s, n] = args::<[u64; 2]>(request)?;
    let (mut x, mut bits) = (s as f64, 0);
    for _ in 0..n {
        bits ^= f(&mut x, 1_220_703_125.0).to_bits();
    }
    Ok(json!([x.to_bits(), bits]))
}

/// `[[a, n], ...]` -> the values of a function of two numbers.
///
/// # Errors
/// A bad request.
pub fn pairs(f: fn(u64, u64) -> u64, request: &Value) -> Result<Value, LabError> {
    let list: Vec<[u64; 2]> = args(request)?;
    Ok(json!(list.into_iter().map(|[a, n]| f(a, n)).collect::<Vec<_>>()))
}
