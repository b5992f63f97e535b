//! Handlers of exercise 3.4.5: the checksum.

use cust::module::Module;
use cust::prelude::*;
use labkit::{Lab, LabError, kernel_file};
use serde::Deserialize;
use serde_json::{Value, json};

use super::e3_4_01::{from_complex_bits, size};
use super::{args, bits64};
use crate::ft::{C64, Params};

/// Handlers of exercise 3.4.5 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_4_05 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_4_05.checksum", |args| {
                $crate::host::e3_4_05::checksum(exercise::clear, exercise::checksum, args)
            }),
        ];
        list
    }};
}

/// The student's function.
pub type Checksum = fn(
    &Lab,
    &Module,
    usize,
    (&DeviceBuffer<C64>, &DeviceBuffer<f64>),
    &Params,
    u32,
) -> Result<(), LabError>;

/// `{"size": [nx, ny, nz, niter], "u": bits, "block", "runs"}` -> bits of the sums after so many
/// runs, in memory that held something else. A run clears, and adds the checksum of each iteration.
///
/// # Errors
/// A bad request, or what the student's functions return.
pub fn checksum(
    clear: fn(&mut DeviceBuffer<f64>) -> Result<(), LabError>,
    f: Checksum,
    request: &Value,
) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Request {
        size: Value,
        u: Vec<u64>,
        block: u32,
        runs: usize,
    }
    let r: Request = args(request)?;
    let p = size(&r.size)?;
    let lab = Lab::new()?;
    let module = lab.module(kernel_file!("ft_checksum.cu"), &[])?;
    let u = DeviceBuffer::from_slice(&from_complex_bits(&r.u))?;
    let mut sums = DeviceBuffer::from_slice(&vec![17.5; 2 * (p.niter + 1)])?;
    for _ in 0..r.runs {
        clear(&mut sums)?;
        for t in 1..=p.niter {
            f(&lab, &module, t, (&u, &sums), &p, r.block)?;
        }
        lab.stream().synchronize()?;
    }
    let mut out = vec![0.0; sums.len()];
    sums.copy_to(&mut out)?;
    Ok(json!(bits64(&out)))
}
