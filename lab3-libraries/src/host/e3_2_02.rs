//! Handlers of exercise 3.2.2: matching pursuit in plain Rust, and its file.

use std::path::Path;

use labkit::LabError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{args, bits32, from_bits32};
use crate::rain::{ColMajor, Dat, Step};

/// Handlers of exercise 3.2.2 over a module with its functions.
#[macro_export]
macro_rules! handlers_e3_2_02 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e3_2_02 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e3_2_02.mp", |args| host::mp(exercise::mp, args)),
            ("e3_2_02.write", |args| host::write(exercise::write_dat, args)),
            ("e3_2_02.read", |args| host::read(exercise::read_dat, args)),
        ];
        list
    }};
}

/// The student's matching pursuit.
pub type Mp =
    fn(&ColMajor<'_>, &[f32], usize, f32, &mut dyn FnMut(Step)) -> Result<Vec<f32>, LabError>;

/// A matrix by columns and a vector, as bits.
#[derive(Debug, Deserialize)]
pub struct System {
    /// Rows.
    pub m: usize,
    /// Columns.
    pub n: usize,
    a: Vec<u32>,
    y: Vec<u32>,
}

impl System {
    /// The matrix.
    pub fn a(&self) -> Vec<f32> {
        from_bits32(&self.a)
    }

    /// The vector.
    pub fn y(&self) -> Vec<f32> {
        from_bits32(&self.y)
    }
}

/// `{"m", "n", "a", "y", "tmax", "eps"}` ->
/// `{"xr": bits, "steps": [[t, index, bits of sigma, value, norm], ..]}`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn mp(mp: Mp, request: &Value) -> Result<Value, LabError> {
    let system: System = args(request)?;
    let (a, y) = (system.a(), system.y());
    let a = ColMajor::new(&a, system.m, system.n)?;
    let mut steps = Vec::new();
    let (tmax, eps) = (args(&request["tmax"])?, args(&request["eps"])?);
    let xr = mp(&a, &y, tmax, eps, &mut |step| steps.push(step))?;
    Ok(answer(&xr, &steps))
}

/// A solution and its steps, for the judge.
pub fn answer(xr: &[f32], steps: &[Step]) -> Value {
    let told = |s: &Step| {
        let [sigma, value, norm] = [s.sigma, s.value, s.norm].map(f32::to_bits);
        json!([s.t, s.index, sigma, value, norm])
    };
    json!({ "xr": bits32(xr), "steps": steps.iter().map(told).collect::<Vec<_>>() })
}

/// `{"m", "n", "x", "a", "y", "xr"}` -> the bytes of the file.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn write(
    write_dat: fn(&Path, &Dat) -> Result<(), LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let [x, a, y, xr] = ["x", "a", "y", "xr"].map(|part| args::<Vec<u32>>(&request[part]));
    let [x, a, y, xr] = [x?, a?, y?, xr?].map(|bits| from_bits32(&bits));
    let dat = Dat { m: args(&request["m"])?, n: args(&request["n"])?, x, a, y, xr };
    let path = std::env::temp_dir().join("raindemo.dat");
    write_dat(&path, &dat)?;
    std::fs::read(&path)
        .map(|bytes| json!(bytes))
        .map_err(|e| LabError::msg(format!("the file was not written: {e}")))
}

/// Bytes, or null for no file -> what was read, its numbers as bits.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn read(
    read_dat: fn(&Path) -> Result<Dat, LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let path = std::env::temp_dir().join("raindemo.dat");
    let _ = std::fs::remove_file(&path);
    if let Some(bytes) = args::<Option<Vec<u8>>>(request)? {
        std::fs::write(&path, bytes).map_err(|e| LabError::msg(format!("scratch file: {e}")))?;
    }
    let Dat { m, n, x, a, y, xr } = read_dat(&path)?;
    let [x, a, y, xr] = [x, a, y, xr].map(|values| bits32(&values));
    Ok(json!({ "m": m, "n": n, "x": x, "a": a, "y": y, "xr": xr }))
}
