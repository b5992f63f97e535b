//! Handlers of exercise 3.4.3: the transform of a line.

use labkit::LabError;
use serde::Deserialize;
use serde_json::Value;

use super::args;
use super::e3_4_01::{complex_bits, from_complex_bits};
use crate::ft::C64;

/// Handlers of exercise 3.4.3 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_4_03 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_4_03.stockham", |args| $crate::host::e3_4_03::stockham(exercise::stockham, args)),
        ];
        list
    }};
}

/// `{"sign", "x": bits, "roots": bits}` -> the transform's bits. The other array holds something
/// else before.
///
/// # Errors
/// A bad request.
pub fn stockham(
    f: fn(i32, &mut [C64], &mut [C64], &[C64]),
    request: &Value,
) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Request {
        sign: i32,
        x: Vec<u64>,
        roots: Vec<u64>,
    }
    let r: Request = args(request)?;
    let mut x = from_complex_bits(&r.x);
    let mut y = vec![C64::new(-7.5, 3.25); x.len()];
    f(r.sign, &mut x, &mut y, &from_complex_bits(&r.roots));
    Ok(complex_bits(&x))
}
