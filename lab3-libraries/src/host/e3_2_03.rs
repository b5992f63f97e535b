//! Handlers of exercise 3.2.3: matching pursuit in calls of BLAS.

use labkit::{Lab, LabError};
use serde_json::Value;

use super::args;
use super::e3_2_02::{System, answer};
use crate::rain::Step;

/// Handlers of exercise 3.2.3 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_2_03 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_2_03 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> =
            vec![("e3_2_03.csmp", |args| host::csmp(exercise::csmp, args))];
        list
    }};
}

/// The student's matching pursuit.
pub type Csmp = fn(&Lab, &[f32], &[f32], usize, usize) -> Result<(Vec<f32>, Vec<Step>), LabError>;

/// `{"m", "n", "a", "y"}` -> as `e3_2_02.mp`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn csmp(csmp: Csmp, request: &Value) -> Result<Value, LabError> {
    let system: System = args(request)?;
    let (xr, steps) = csmp(&Lab::new()?, &system.a(), &system.y(), system.n, system.m)?;
    Ok(answer(&xr, &steps))
}
