//! Handlers of exercise 2.1.2: the filter on the CPU and its files.

use std::path::{Path, PathBuf};

use labkit::LabError;
use serde_json::{Value, json};

use super::{FirRequest, args, bits32, from_bits32};
use crate::fir::FirData;

/// Handlers of exercise 2.1.2 over a module with its functions.
#[macro_export]
macro_rules! handlers_e2_1_02 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        use $crate::host::e2_1_02 as host;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e2_1_02.kernel", |args| host::kernel(exercise::audiofir_kernel, args)),
            ("e2_1_02.filter", |args| host::filter(exercise::audiofir, args)),
            ("e2_1_02.read", |args| host::read(exercise::read_in, args)),
            ("e2_1_02.write", |args| host::write(exercise::write_out, args)),
            ("e2_1_02.error", |args| host::error(exercise::max_abs_err, args)),
            ("e2_1_02.testfir", |_| host::testfir(exercise::write_testfir)),
        ];
        list
    }};
}

/// One channel, output by output: `{"len", "coeff", "yin"}` with `len` samples in `yin` -> bits of
/// `len` outputs.
pub fn kernel(
    f: fn(usize, &mut [f32], &[f32], &[f32]),
    request: &Value,
) -> Result<Value, LabError> {
    let request: FirRequest = args(request)?;
    let (coeff, yin) = (request.coeff(), request.yin());
    let mut yout = vec![-7.5; request.len];
    for i in (0..request.len).rev() {
        f(i, &mut yout, &yin, &coeff);
    }
    Ok(json!(bits32(&yout)))
}

/// Both channels: a [`FirRequest`] -> bits of `2 * len` outputs.
pub fn filter(
    f: fn(&mut [f32], &[f32], &[f32], usize),
    request: &Value,
) -> Result<Value, LabError> {
    let request: FirRequest = args(request)?;
    let mut yout = request.dirty_output();
    f(&mut yout, &request.yin(), &request.coeff(), request.len);
    Ok(json!(bits32(&yout)))
}

/// `{"bytes": [..]}` is put into a file (no file if null) -> what was read from it.
pub fn read(f: fn(&Path) -> Result<FirData, LabError>, request: &Value) -> Result<Value, LabError> {
    let bytes: Option<Vec<u8>> = args(&request["bytes"])?;
    let path = scratch("audiofir_in.dat");
    let _ = std::fs::remove_file(&path);
    if let Some(bytes) = bytes {
        std::fs::write(&path, bytes).map_err(|e| LabError::msg(format!("scratch file: {e}")))?;
    }
    let data = f(&path)?;
    Ok(json!({
        "coeff": bits32(&data.coeff), "len": data.len, "yin": bits32(&data.yin),
        "yref": bits32(&data.yref),
    }))
}

/// `{"yout": bits}` -> the bytes of the file that was written.
pub fn write(
    f: fn(&Path, &[f32]) -> Result<(), LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let yout: Vec<u32> = args(&request["yout"])?;
    let path = scratch("audiofir_out.dat");
    f(&path, &from_bits32(&yout))?;
    bytes(&path)
}

/// `{"yout": bits, "yref": bits}` -> bits of the error.
pub fn error(f: fn(&[f32], &[f32]) -> f64, request: &Value) -> Result<Value, LabError> {
    let [yout, yref]: [Vec<u32>; 2] = [args(&request["yout"])?, args(&request["yref"])?];
    Ok(json!(f(&from_bits32(&yout), &from_bits32(&yref)).to_bits()))
}

/// The bytes of the file.
pub fn testfir(f: fn(&Path) -> Result<(), LabError>) -> Result<Value, LabError> {
    let path = scratch("testfir.dat");
    f(&path)?;
    bytes(&path)
}

/// A file of the judge's child, whose folder is its own.
pub fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(name)
}

/// Bytes of a file, as a list.
pub fn bytes(path: &Path) -> Result<Value, LabError> {
    std::fs::read(path)
        .map(|bytes| json!(bytes))
        .map_err(|e| LabError::msg(format!("the file was not written: {e}")))
}
