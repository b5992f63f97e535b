//! Handlers of exercises 3.3.3 and 3.3.4: EP on the device.

use labkit::{Lab, LabError};
use serde::Deserialize;
use serde_json::Value;

use super::args;
use super::e3_3_02::plain;
use crate::ep::{EpResult, Version};

/// Handlers of exercise 3.3.3 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_3_03 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_3_03.ep_gpu", |args| $crate::host::e3_3_03::ep_gpu(exercise::ep_gpu, args)),
        ];
        list
    }};
}

/// The student's function.
pub type EpGpu = fn(&Lab, Version, u32, u32, u32) -> Result<(EpResult, f32), LabError>;

/// `{"m", "mk", "block", "better"}` -> `{"q", "sums": bits}`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn ep_gpu(f: EpGpu, request: &Value) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Request {
        m: u32,
        mk: u32,
        block: u32,
        better: bool,
    }
    let r: Request = args(request)?;
    let version = if r.better { Version::Better } else { Version::Paper };
    Ok(plain(&f(&Lab::new()?, version, r.m, r.mk, r.block)?.0))
}
