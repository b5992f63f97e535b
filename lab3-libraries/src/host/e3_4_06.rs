//! Handlers of exercise 3.4.6: the set-up by several threads.

use cust::module::Module;
use cust::prelude::*;
use labkit::{Lab, LabError, kernel_file};
use serde_json::{Value, json};

use super::bits64;
use super::e3_4_01::{complex_bits, size};
use crate::ft::{C64, DevArrays, Params, touch};

/// Handlers of exercise 3.4.6 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_4_06 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_4_06 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_4_06.setup", |args| host::setup(exercise::setup_concurrent, args)),
            ("e3_4_06.broken", |args| host::broken(exercise::setup_concurrent, args)),
        ];
        list
    }};
}

/// The student's function.
pub type Setup = fn(&Lab, &Module, &Params) -> Result<DevArrays, LabError>;

/// `[nx, ny, nz, niter]` -> the bits of the four arrays, read after a kernel on the lab's stream
/// has used them.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn setup(f: Setup, request: &Value) -> Result<Value, LabError> {
    let p = size(request)?;
    let lab = Lab::new()?;
    let module = lab.module(kernel_file!("ft_setup.cu"), &[])?;
    let arrays = f(&lab, &module, &p)?;
    touch(&lab, &module, &arrays)?;
    let mut ex = vec![0.0; arrays.ex.len()];
    let mut map = vec![0; arrays.indexmap.len()];
    let mut u1 = vec![C64::default(); arrays.u1.len()];
    let mut u = vec![C64::default(); arrays.u.len()];
    arrays.ex.copy_to(&mut ex)?;
    arrays.indexmap.copy_to(&mut map)?;
    arrays.u1.copy_to(&mut u1)?;
    arrays.u.copy_to(&mut u)?;
    Ok(json!({ "ex": bits64(&ex), "map": map, "u1": complex_bits(&u1), "u": complex_bits(&u) }))
}

/// The same with a module in which `ft_initial` is missing: must be an error.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn broken(f: Setup, request: &Value) -> Result<Value, LabError> {
    let p = size(request)?;
    let lab = Lab::new()?;
    let text = "extern \"C\" __global__ void ft_indexmap(int *map, int nx, int ny, int nz)\n\
                {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    \
                if (i < nx * ny * nz) map[i] = 0;\n}\n";
    let module = lab.module(text, &[])?;
    f(&lab, &module, &p)?;
    Ok(Value::Null)
}
