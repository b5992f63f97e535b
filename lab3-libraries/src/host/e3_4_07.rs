//! Handlers of exercise 3.4.7: the whole benchmark.

use labkit::{Lab, LabError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::args;
use super::e3_4_01::{complex_bits, from_complex_bits, size};
use crate::ft::{C64, Class, Layout, Params, Times};

/// Handlers of exercise 3.4.7 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_4_07 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_4_07 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_4_07.ft_gpu", |args| host::ft_gpu(exercise::ft_gpu, args)),
            ("e3_4_07.verified", |args| host::verified(exercise::verified, args)),
            ("e3_4_07.bytes_needed", |args| host::bytes_needed(exercise::bytes_needed, args)),
        ];
        list
    }};
}

/// The student's function.
pub type FtGpu = fn(&Lab, &Params, Layout) -> Result<(Vec<C64>, Times), LabError>;

/// `{"size": [nx, ny, nz, niter], "layout": "direct", "paper" or "shared"}` -> bits of the
/// checksums.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn ft_gpu(f: FtGpu, request: &Value) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Request {
        size: Value,
        layout: String,
    }
    let r: Request = args(request)?;
    let layout = match r.layout.as_str() {
        "direct" => Layout::Direct,
        "paper" => Layout::Paper,
        "shared" => Layout::Shared,
        other => return Err(LabError::msg(format!("no layout {other}"))),
    };
    let (sums, _) = f(&Lab::new()?, &size(&r.size)?, layout)?;
    Ok(complex_bits(&sums))
}

/// `[class, bits of the checksums]` -> what is said of them.
///
/// # Errors
/// A bad request.
pub fn verified(f: fn(&Class, &[C64]) -> bool, request: &Value) -> Result<Value, LabError> {
    let (name, bits): (String, Vec<u64>) = args(request)?;
    let class = Class::by_name(&name).ok_or_else(|| LabError::msg(format!("no class {name}")))?;
    Ok(json!(f(class, &from_complex_bits(&bits))))
}

/// `[nx, ny, nz, niter]` -> bytes.
///
/// # Errors
/// A bad request.
pub fn bytes_needed(f: fn(&Params) -> u64, request: &Value) -> Result<Value, LabError> {
    Ok(json!(f(&size(request)?)))
}
