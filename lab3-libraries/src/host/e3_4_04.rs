//! Handlers of exercise 3.4.4: the three-dimensional transform.

use cust::module::Module;
use cust::prelude::*;
use labkit::{Lab, LabError, kernel_file};
use serde::Deserialize;
use serde_json::Value;

use super::args;
use super::e3_4_01::{complex_bits, from_complex_bits, size};
use crate::ft::{C64, Params, Work};

/// Handlers of exercise 3.4.4 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_4_04 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_4_04.fft3d", |args| $crate::host::e3_4_04::fft3d(exercise::fft3d, args)),
        ];
        list
    }};
}

/// The student's function.
pub type Fft3d = fn(
    &Lab,
    &Module,
    &Params,
    (&DeviceBuffer<C64>, &DeviceBuffer<C64>),
    &Work,
    i32,
    u32,
) -> Result<(), LabError>;

/// `{"size": [nx, ny, nz, niter], "u": bits, "roots": bits, "signs": [..], "block"}` -> the field
/// after the transforms, one after the other.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn fft3d(f: Fft3d, request: &Value) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Request {
        size: Value,
        u: Vec<u64>,
        roots: Vec<u64>,
        signs: Vec<i32>,
        block: u32,
    }
    let r: Request = args(request)?;
    let p = size(&r.size)?;
    let lab = Lab::new()?;
    let module = lab.module(kernel_file!("ft.cu"), &[])?;
    let u = DeviceBuffer::from_slice(&from_complex_bits(&r.u))?;
    let roots = DeviceBuffer::from_slice(&from_complex_bits(&r.roots))?;
    let work = Work::new(p.elements())?;
    for sign in r.signs {
        f(&lab, &module, &p, (&u, &roots), &work, sign, r.block)?;
    }
    lab.stream().synchronize()?;
    let mut out = vec![C64::default(); p.elements()];
    u.copy_to(&mut out)?;
    Ok(complex_bits(&out))
}
