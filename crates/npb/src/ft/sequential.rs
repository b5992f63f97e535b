//! FT step by step, a line after the other.

use super::lanes::{Buffer, Plan};
use super::{C64, axis_factors, check, checksum, fill_rows};

/// Transforms a line in place, with the sign +1 if the first argument is true; nothing is scaled.
pub type Line<'a> = dyn FnMut(bool, &mut [C64]) + 'a;

/// Checksums of `iterations` iterations on a grid of nx, ny, nz points, as they are defined. `line`
/// transforms: the benchmark's own transform is not here, for it is exercise 3.4.3.
///
/// # Errors
/// A size that is not a power of two.
pub fn sequential(
    size: [usize; 3],
    iterations: usize,
    line: &mut Line,
) -> Result<Vec<C64>, String> {
    check(size)?;
    let [nx, ny, nz] = size;
    let mut spectrum = vec![C64::new(0.0, 0.0); nx * ny * nz];
    fill_rows(0, nx, &mut spectrum);
    for axis in [0, 1, 2] {
        lines(size, axis, &mut spectrum, &mut |x| line(true, x));
    }
    let sums = (1..=iterations).map(|t| {
        let factors = size.map(|n| axis_factors(n, t));
        let mut field = spectrum.clone();
        for (i, v) in field.iter_mut().enumerate() {
            let (x, y, z) = (i % nx, i / nx % ny, i / nx / ny);
            *v *= factors[0][x] * factors[1][y] * factors[2][z];
        }
        for axis in [2, 1, 0] {
            lines(size, axis, &mut field, &mut |x| line(false, x));
        }
        checksum(size, &field)
    });
    Ok(sums.collect())
}

/// Transforms all lines along an axis (0: x, 1: y, 2: z) of a field of nx, ny, nz points, which are
/// powers of two; `forward` means the sign +1. Nothing is scaled.
pub fn transform(size: [usize; 3], axis: usize, forward: bool, u: &mut [C64]) {
    lines(size, axis, u, &mut |x| by_plan(forward, x));
}

/// A line's transform by a [`Plan`], in one of its lanes.
pub fn by_plan(forward: bool, x: &mut [C64]) {
    let plan = Plan::new(x.len(), forward);
    let (mut line, mut room) = (Buffer::new(x.len()), Buffer::new(x.len()));
    line.elements_mut().iter_mut().zip(&*x).for_each(|(to, v)| to.set_lane(0, *v));
    let found = plan.transform(line.elements_mut(), room.elements_mut());
    x.iter_mut().zip(found).for_each(|(to, v)| *to = v.lane(0));
}

/// Gives every line along an axis to `each`, and puts back what that makes of it.
fn lines(size: [usize; 3], axis: usize, u: &mut [C64], each: &mut dyn FnMut(&mut [C64])) {
    let n = size[axis];
    let stride: usize = size[..axis].iter().product();
    let mut line = vec![C64::default(); n];
    for first in (0..u.len()).filter(|i| (i / stride).is_multiple_of(n)) {
        for (k, v) in line.iter_mut().enumerate() {
            *v = u[first + k * stride];
        }
        each(&mut line);
        for (k, v) in line.iter().enumerate() {
            u[first + k * stride] = *v;
        }
    }
}
