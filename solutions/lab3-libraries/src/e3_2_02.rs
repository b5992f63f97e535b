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
    if let Some(bad) = y.iter().find(|v| !v.is_finite()) {
        return Err(LabError::refused(format!("y has the value {bad}")));
    }
    let mut xr = vec![0.0; a.n];
    let mut r = y.to_vec();
    let limit = eps * norm(y);
    let mut t = 1;
    while t <= tmax && norm(&r) > limit {
        let s: Vec<f32> = (0..a.n).map(|i| dot(a.column(i), &r)).collect();
        let mut best = 0;
        for i in 0..a.n {
            if s[i].abs() > s[best].abs() {
                best = i;
            }
        }
        // Nothing of r lies in the direction of any column.
        if s.is_empty() || s[best] == 0.0 {
            break;
        }
        let column = a.column(best);
        let sigma = s[best] / dot(column, column);
        xr[best] += sigma;
        for (r, a) in r.iter_mut().zip(column) {
            *r -= sigma * a;
        }
        trace(Step { t, index: best + 1, sigma, value: xr[best], norm: norm(&r) });
        t += 1;
    }
    Ok(xr)
    //~ let _ = (tmax, eps, trace, dot(y, y), norm(y));
    //~ Err(LabError::msg("mp is not written yet"))
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
    let mut bytes = [dat.m as i32, dat.n as i32].map(i32::to_le_bytes).concat();
    for (_, values, _) in parts {
        bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    }
    std::fs::write(path, bytes).map_err(|e| LabError::msg(format!("{}: {e}", path.display())))
    //~ let _ = path;
    //~ Err(LabError::msg("write_dat is not written yet"))
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
    let x = input.f32s(n, "x")?;
    let a = input.f32s(size, "A")?;
    let y = input.f32s(m, "y")?;
    let xr = input.f32s(n, "xr")?;
    input.finish()?;
    Ok(Dat { m, n, x, a, y, xr })
    //~ let _ = (m, n, size);
    //~ Err(LabError::msg("read_dat is not written yet"))
    // lab>
}
