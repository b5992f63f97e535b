//! Exercise 3.2.2: matching pursuit, in plain Rust.

use std::path::Path;

use lab3_libraries::rain::{ColMajor, Dat, Step};
use labkit::input::{Input, product};
use labkit::{LabError, check_len};

/// A sparse solution of `A x = y`, column by column: each step takes the column that `r = y - A x`
/// has most of.
///
/// # Arguments
/// * `y` - `m` observations
/// * `tmax` - steps that may be taken
/// * `eps` - end as soon as `|r| <= eps |y|`
/// * `trace` - is told about each step
///
/// # Errors
/// `y` of another length than a column, a value of `y` that is not finite.
pub fn mp(
    a: &ColMajor<'_>,
    y: &[f32],
    tmax: usize,
    eps: f32,
    trace: &mut dyn FnMut(Step),
) -> Result<Vec<f32>, LabError> {
    check_len("y", y.len(), a.m)?;
    // <lab
    let _ = (tmax, eps, trace, dot(y, y), norm(y));
    Err(LabError::msg("mp is not written yet"))
    // lab>
}

/// Sum of the products, taken in `f64`.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>() as f32
}

/// Euclidean norm.
fn norm(a: &[f32]) -> f32 {
    dot(a, a).sqrt()
}

/// Writes `raindemo.dat`, little-endian: `i32 M`, `i32 N`, then `f32`s: `x[N]`, `A[M*N]` by
/// columns, `y[M]`, `xr[N]`.
///
/// # Errors
/// Lengths that do not fit to `m` and `n`; what the system refuses, with the file's name.
pub fn write_dat(path: &Path, dat: &Dat) -> Result<(), LabError> {
    let parts = [
        ("x", &dat.x, dat.n),
        ("A", &dat.a, dat.m * dat.n),
        ("y", &dat.y, dat.m),
        ("xr", &dat.xr, dat.n),
    ];
    for (name, values, expected) in parts {
        check_len(name, values.len(), expected)?;
    }
    // <lab
    let _ = path;
    Err(LabError::msg("write_dat is not written yet"))
    // lab>
}

/// Reads what [`write_dat`] writes.
///
/// # Errors
/// A file that is missing, empty, too short or too long, negative sizes: one line with the file and
/// the field.
pub fn read_dat(path: &Path) -> Result<Dat, LabError> {
    let mut input = Input::open(path)?;
    let m = input.count("M")?;
    let n = input.count("N")?;
    let size = product(&input, "A", m, n)?;
    // <lab
    let _ = (m, n, size);
    Err(LabError::msg("read_dat is not written yet"))
    // lab>
}
