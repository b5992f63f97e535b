//! Handlers of exercise 1.1.6: net time with events.

use std::time::Duration;

use labkit::{Lab, LabError};
use serde_json::{Value, json};

use super::{args, bits32};
use crate::clock;

/// Handlers of exercise 1.1.6 over a module with its functions.
#[macro_export]
macro_rules! handlers_e1_1_06 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e1_1_06.kernel_ms", |args| {
                $crate::host::e1_1_06::kernel_ms(exercise::kernel_ms, args)
            }),
            ("e1_1_06.curve", |args| {
                let measure = |lab: &_, n, runs| {
                    exercise::measure(lab, n, runs).map(|row| (row.n, row.gross_ms, row.net_ms))
                };
                $crate::host::e1_1_06::curve(measure, args)
            }),
        ];
        list
    }};
}

/// `{"n": 2000, "runs": 3}` -> net times, bit patterns.
pub fn kernel_ms(
    kernel_ms: fn(&Lab, usize, usize) -> Result<Vec<f32>, LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let (n, runs) = (args(&request["n"])?, args(&request["runs"])?);
    Ok(json!(bits32(&kernel_ms(&Lab::new()?, n, runs)?)))
}

/// `{"sizes": [..], "runs": 1, "tick_ms": 1000}` -> rows, times as bit patterns, on a clock that
/// moves by one tick at each reading.
pub fn curve(
    measure: impl Fn(&Lab, usize, usize) -> Result<(usize, f64, f32), LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let (sizes, runs): (Vec<usize>, _) = (args(&request["sizes"])?, args(&request["runs"])?);
    let tick = Duration::from_millis(args(&request["tick_ms"])?);
    let lab = Lab::new()?;
    let mut now = Duration::ZERO;
    let reading = move || {
        now += tick;
        now
    };
    let row = |n| {
        let (n, gross_ms, net_ms) = measure(&lab, n, runs)?;
        Ok(json!({ "n": n, "gross_ms": gross_ms.to_bits(), "net_ms": net_ms.to_bits() }))
    };
    clock::with(reading, || sizes.into_iter().map(row).collect())
}
