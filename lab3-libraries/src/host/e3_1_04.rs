//! Handlers of exercise 3.1.4: points from the library's generators.

use labkit::{Lab, LabError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::args;
use super::e3_1_03::coordinates;
use crate::e3_1_03::Hits;
use crate::mc::Points;

/// Handlers of exercise 3.1.4 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_1_04 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_1_04 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_1_04.points", |args| host::points(exercise::points, args)),
            ("e3_1_04.pi", |args| host::pi(exercise::points, args)),
        ];
        list
    }};
}

/// The student's points.
pub type MakePoints = fn(&Lab, usize, [u64; 3], f32, f32) -> Result<Points, LabError>;

#[derive(Deserialize)]
struct Case {
    n: usize,
    seeds: [u64; 3],
    a: f32,
    b: f32,
}

/// `{"n", "seeds", "a", "b"}` -> bits of `[x, y, z]`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn points(f: MakePoints, request: &Value) -> Result<Value, LabError> {
    let Case { n, seeds, a, b } = args(request)?;
    let lab = Lab::new()?;
    coordinates(&f(&lab, n, seeds, a, b)?)
}

/// The same request -> number of hits, counted by the student's kernel of 3.1.3.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn pi(f: MakePoints, request: &Value) -> Result<Value, LabError> {
    let Case { n, seeds, a, b } = args(request)?;
    let lab = Lab::new()?;
    let points = f(&lab, n, seeds, a, b)?;
    Ok(json!(Hits::new(&lab)?.count(&points.x, &points.y, &points.z)?))
}
