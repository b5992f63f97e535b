//! Handlers of exercise 3.3.5: the report.

use labkit::{Lab, LabError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::args;
use crate::ep::{Class, EpResult, Version};

/// Handlers of exercise 3.3.5 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_3_05 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_3_05 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_3_05.class_of", |args| host::class_of(exercise::class_of, args)),
            ("e3_3_05.verified", |args| {
                host::verified(exercise::class_of, exercise::verified, args)
            }),
            ("e3_3_05.mops", |args| host::mops(exercise::mops, args)),
            ("e3_3_05.run", |args| host::run(exercise::class_of, exercise::report, args)),
        ];
        list
    }};
}

type ClassOf = fn(&str, u32) -> Result<Class, LabError>;

/// `[name, mk]` -> m.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn class_of(f: ClassOf, request: &Value) -> Result<Value, LabError> {
    let (name, mk): (String, u32) = args(request)?;
    Ok(json!(f(&name, mk)?.m))
}

/// `[name, factor of sx, factor of sy]`, factors as bits -> what is said of the official sums times
/// the factors.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn verified(
    class_of: ClassOf,
    f: fn(&Class, &EpResult) -> bool,
    request: &Value,
) -> Result<Value, LabError> {
    let (name, fx, fy): (String, u64, u64) = args(request)?;
    let class = class_of(&name, 0)?;
    let result = EpResult {
        q: [0; 10],
        sx: class.sx * f64::from_bits(fx),
        sy: class.sy * f64::from_bits(fy),
    };
    Ok(json!(f(&class, &result)))
}

/// `[m, bits of seconds]` -> bits of Mop/s.
///
/// # Errors
/// A bad request.
pub fn mops(f: fn(u32, f64) -> f64, request: &Value) -> Result<Value, LabError> {
    let (m, seconds): (u32, u64) = args(request)?;
    Ok(json!(f(m, f64::from_bits(seconds)).to_bits()))
}

/// `{"class", "mk", "block"}` -> the report of a run on the device that took two seconds.
///
/// # Errors
/// A bad request, or what the student's functions return.
pub fn run(
    class_of: ClassOf,
    report: fn(&Class, &EpResult, f64) -> String,
    request: &Value,
) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Request {
        class: String,
        mk: u32,
        block: u32,
    }
    let r: Request = args(request)?;
    let class = class_of(&r.class, r.mk)?;
    let (result, _) = crate::e3_3_03::ep_gpu(&Lab::new()?, Version::Paper, class.m, r.mk, r.block)?;
    Ok(json!(report(&class, &result, 2.0)))
}
