//! Handlers of exercise 1.1.9: profiling.

use labkit::{LabError, LaunchReport};
use serde_json::Value;
use wire::f64_bits;

use super::args as request;

/// Names the functions of a module for exercise 1.1.9.
#[macro_export]
macro_rules! handlers_e1_1_09 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, labkit::serve::Handler)> = vec![
            ("e1_1_09.efficiency", |args| {
                $crate::host::e1_1_09::efficiency(exercise::efficiency, args)
            }),
        ];
        list
    }};
}

/// `[report, ...]` -> bit patterns of their efficiencies.
///
/// # Errors
/// A bad request.
pub fn efficiency(f: fn(&LaunchReport) -> f64, args: &Value) -> Result<Value, LabError> {
    let reports: Vec<LaunchReport> = request(args)?;
    Ok(f64_bits(&reports.iter().map(f).collect::<Vec<_>>()))
}
