//! Handlers of exercise 2.2.1, whose functions the later steps of 2.2 use: the product, its shape
//! and its file.

use std::path::Path;

use labkit::{Lab, LabError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{args, bits32, from_bits32};
use crate::mmt::{Config, Dat, LaunchShape, Variant};
use crate::timing::Timing;

/// Names the functions of a module for exercise 2.2.1.
#[macro_export]
macro_rules! handlers_e2_2_01 {
    ($($module:tt)+) => {{
        use $($module)+ as exercise;
        let list: Vec<(&'static str, $crate::host::Handler)> = vec![
            ("e2_2_01.product", |args| $crate::host::e2_2_01::product(exercise::matmultran, args)),
            ("e2_2_01.shape", |args| $crate::host::e2_2_01::shape(exercise::shape, args)),
            ("e2_2_01.flop", |args| $crate::host::e2_2_01::flop(exercise::flop, args)),
            ("e2_2_01.read_dat", |args| $crate::host::e2_2_01::read_dat(exercise::read_dat, args)),
        ];
        list
    }};
}

/// The student's product.
pub type Matmultran =
    fn(&Lab, &Config, &mut [f32], &[f32], usize, usize) -> Result<Timing, LabError>;

/// A matrix of `m x n` values as bits.
#[derive(Debug, Deserialize)]
pub struct Matrix {
    /// Rows.
    pub m: usize,
    /// Columns.
    pub n: usize,
    a: Vec<u32>,
}

impl Matrix {
    /// The values, by rows.
    pub fn values(&self) -> Vec<f32> {
        from_bits32(&self.a)
    }
}

/// `[{"variant": 1, "k": 16, "m", "n", "a": bits}, ...]` -> `{"c": bits, "ms": time}` for each, the
/// padding being the kernel file's.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn product(matmultran: Matmultran, request: &Value) -> Result<Value, LabError> {
    #[derive(Deserialize)]
    struct Case {
        variant: usize,
        k: u32,
        #[serde(flatten)]
        matrix: Matrix,
    }
    let cases: Vec<Case> = args(request)?;
    let lab = Lab::new()?;
    let mut results = Vec::new();
    for Case { variant, k, matrix } in cases {
        let variant = Variant::new(variant).ok_or_else(|| LabError::msg("no such variant"))?;
        // Memory that holds something else already.
        let mut c = vec![-7.5; matrix.m * matrix.m];
        let config = Config::new(variant, k);
        let timing = matmultran(&lab, &config, &mut c, &matrix.values(), matrix.m, matrix.n)?;
        results.push(json!({ "c": bits32(&c), "ms": timing.kernel_ms }));
    }
    Ok(json!(results))
}

/// The student's launch shape.
pub type Shape = fn(u32, usize, usize) -> Result<LaunchShape, LabError>;

/// `{"k", "m", "n"}` -> `[[grid x, grid y], [block x, block y]]`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn shape(shape: Shape, request: &Value) -> Result<Value, LabError> {
    Ok(json!(shape(args(&request["k"])?, args(&request["m"])?, args(&request["n"])?)?))
}

/// `{"m", "n"}` -> bits of the number of operations.
///
/// # Errors
/// A bad request.
pub fn flop(flop: fn(usize, usize) -> f64, request: &Value) -> Result<Value, LabError> {
    Ok(json!(flop(args(&request["m"])?, args(&request["n"])?).to_bits()))
}

/// `{"name": "x.dat", "bytes": [..]}`: a file of these bytes, or none for `null` ->
/// `{"m", "n", "a": bits, "c": bits}`.
///
/// # Errors
/// A bad request, or what the student's function returns.
pub fn read_dat(
    read_dat: fn(&Path) -> Result<Dat, LabError>,
    request: &Value,
) -> Result<Value, LabError> {
    let name: String = args(&request["name"])?;
    if let Some(bytes) = args::<Option<Vec<u8>>>(&request["bytes"])? {
        std::fs::write(&name, bytes).map_err(|e| LabError::msg(format!("{name}: {e}")))?;
    }
    let dat = read_dat(Path::new(&name))?;
    Ok(json!({ "m": dat.m, "n": dat.n, "a": bits32(&dat.a), "c": bits32(&dat.c) }))
}
