//! Handlers of exercise 3.1.7, and of 3.1.8, which asks for the same: an integral over a solid.

use labkit::{Lab, LabError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{args, bits64};

/// Handlers of exercise 3.1.7 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_1_07 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_1_07 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_1_07.bounds", |args| host::bounds(exercise::bounds, args)),
            ("e3_1_07.volume", |args| host::integral(exercise::volume, args)),
        ];
        list
    }};
}

/// The student's boxes.
pub type Bounds = fn(usize) -> Result<[(f64, f64); 3], LabError>;
/// The student's integral over a solid: device, solid, points, seed -> value and uncertainty.
pub type Integral = fn(&Lab, usize, usize, u64) -> Result<(f64, f64), LabError>;

/// A solid -> bits of `[a_x, b_x, a_y, b_y, a_z, b_z]`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn bounds(bounds: Bounds, request: &Value) -> Result<Value, LabError> {
    let sides = bounds(args(request)?)?;
    Ok(json!(bits64(&sides.map(|(a, b)| [a, b]).concat())))
}

/// `{"id", "n", "seed"}` -> bits of `[value, uncertainty]`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn integral(integral: Integral, request: &Value) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Case {
        id: usize,
        n: usize,
        seed: u64,
    }
    let Case { id, n, seed } = args(request)?;
    let (value, u) = integral(&Lab::new()?, id, n, seed)?;
    Ok(json!(bits64(&[value, u])))
}
