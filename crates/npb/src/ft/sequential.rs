//! FT as it is defined, in plain loops.

use super::stockham::{roots, stockham};
use super::{C64, axis_factors, check, checksum, fill_rows};

/// Checksums of `iterations` iterations on a grid of nx, ny, nz points.
///
/// # Errors
/// A size that is not a power of two.
pub fn sequential(size: [usize; 3], iterations: usize) -> Result<Vec<C64>, String> {
    check(size)?;
    let [nx, ny, nz] = size;
    let mut spectrum = vec![C64::new(0.0, 0.0); nx * ny * nz];
    fill_rows(0, nx, &mut spectrum);
    for axis in [0, 1, 2] {
        transform(size, axis, true, &mut spectrum);
    }
    let sums = (1..=iterations).map(|t| {
        let factors = size.map(|n| axis_factors(n, t));
        let mut field = spectrum.clone();
        for (i, v) in field.iter_mut().enumerate() {
            let (x, y, z) = (i % nx, i / nx % ny, i / nx / ny);
            *v *= factors[0][x] * factors[1][y] * factors[2][z];
        }
        for axis in [2, 1, 0] {
            transform(size, axis, false, &mut field);
        }
        checksum(size, &field)
    });
    Ok(sums.collect())
}

/// Transforms all lines along an axis (0: x, 1: y, 2: z) of a field of nx, ny, nz points, which are
/// powers of two; `forward` means the sign +1. Nothing is scaled.
pub fn transform(size: [usize; 3], axis: usize, forward: bool, u: &mut [C64]) {
    let n = size[axis];
    let stride: usize = size[..axis].iter().product();
    let roots = roots(n);
    let (mut line, mut scratch) = (vec![C64::default(); n], vec![C64::default(); n]);
    for first in (0..u.len()).filter(|i| (i / stride).is_multiple_of(n)) {
        for (k, v) in line.iter_mut().enumerate() {
            *v = u[first + k * stride];
        }
        stockham(forward, &mut line, &mut scratch, &roots);
        for (k, v) in line.iter().enumerate() {
            u[first + k * stride] = *v;
        }
    }
}
