//! Handlers of exercise 2.1.13: a filter with host code in OpenCL.

use labkit::LabError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{args, bits32, from_bits32};

/// Handlers of exercise 2.1.13 over a module with its functions.
#[macro_export]
macro_rules! handlers_e2_1_13 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e2_1_13 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![(
            "e2_1_13.filter",
            |args| host::filter(exercise::Filter::new, exercise::Filter::run, args),
        )];
        list
    }};
}

/// What a run gives: the filtered signal and the kernel's milliseconds.
pub type Filtered = Result<(Vec<f32>, f64), LabError>;

/// `{"h": bits, "k", "signals": [bits, ..]}` -> `{"y": [bits, ..], "ms": [..]}`: all signals
/// through one filter.
///
/// # Errors
/// A bad request, or what the student's code returns.
pub fn filter<F>(
    new: impl Fn(&[f32], usize) -> Result<F, LabError>,
    run: impl Fn(&F, &[f32]) -> Filtered,
    request: &Value,
) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Case {
        h: Vec<u32>,
        k: usize,
        signals: Vec<Vec<u32>>,
    }
    let case: Case = args(request)?;
    let filter = new(&from_bits32(&case.h), case.k)?;
    let runs = case.signals.iter().map(|x| run(&filter, &from_bits32(x)));
    let runs: Vec<(Vec<f32>, f64)> = runs.collect::<Result<_, _>>()?;
    let y: Vec<Vec<u32>> = runs.iter().map(|(y, _)| bits32(y)).collect();
    let ms: Vec<f64> = runs.iter().map(|(_, ms)| *ms).collect();
    Ok(json!({ "y": y, "ms": ms }))
}
