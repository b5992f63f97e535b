//! FT made fast: two passes over memory for each transform.
//!
//! Planes of constant z fit a core's cache: x and y are transformed there in one pass. Lines along z are taken sixteen at a time,
//! so that whole cache lines are read and written; this pass also multiplies by the factors of the iteration, which come from
//! three tables, one for each axis.

use std::sync::Arc;

use rayon::prelude::*;
use rustfft::{Fft, FftPlanner};

use super::{C64, axis_factors, check, checksum, fill_rows};

/// Lines that are transformed together.
const TOGETHER: usize = 16;
/// Elements between two lines of [`Room`] beyond their length, which is a power of two: without them all lines would want the same
/// few places of the cache.
const PAD: usize = 4;

/// Plans of the three axes for one sign.
struct Axes([Arc<dyn Fft<f64>>; 3]);

/// Room for lines and for the transform's own needs, one per task.
struct Room {
    lines: Vec<C64>,
    scratch: Vec<C64>,
}

impl Room {
    /// Transforms the first `width` lines of length n, and returns them.
    fn transform(&mut self, fft: &dyn Fft<f64>, n: usize, width: usize) -> &[C64] {
        for line in self.lines.chunks_exact_mut(n + PAD).take(width) {
            fft.process_with_scratch(&mut line[..n], &mut self.scratch);
        }
        &self.lines
    }
}

impl Axes {
    /// The benchmark's forward transform has the sign +1, which RustFFT calls inverse.
    fn new(size: [usize; 3], forward: bool) -> Axes {
        let mut planner = FftPlanner::new();
        Axes(size.map(|n| match forward {
            true => planner.plan_fft_inverse(n),
            false => planner.plan_fft_forward(n),
        }))
    }

    fn room(&self, longest: usize) -> Room {
        let scratch = self.0.iter().map(|fft| fft.get_inplace_scratch_len()).max().unwrap_or(0);
        Room {
            lines: vec![C64::default(); (longest + PAD) * TOGETHER],
            scratch: vec![C64::default(); scratch],
        }
    }

    /// Transforms x and y of all planes.
    fn planes(&self, [nx, ny, _]: [usize; 3], u: &mut [C64]) {
        u.par_chunks_mut(nx * ny).for_each_init(
            || self.room(ny),
            |room, plane| {
                self.0[0].process_with_scratch(plane, &mut room.scratch);
                for first in (0..nx).step_by(TOGETHER) {
                    let width = TOGETHER.min(nx - first);
                    for (y, row) in plane.chunks_exact(nx).enumerate() {
                        for (k, v) in row[first..first + width].iter().enumerate() {
                            room.lines[k * (ny + PAD) + y] = *v;
                        }
                    }
                    let lines = room.transform(&*self.0[1], ny, width);
                    for (y, row) in plane.chunks_exact_mut(nx).enumerate() {
                        for (k, v) in row[first..first + width].iter_mut().enumerate() {
                            *v = lines[k * (ny + PAD) + y];
                        }
                    }
                }
            },
        );
    }

    /// Transforms z of `from`, times the factors if there are any, into `to`.
    fn lines(
        &self,
        [nx, ny, nz]: [usize; 3],
        from: &[C64],
        factors: &[Vec<f64>; 3],
        to: &mut [C64],
    ) {
        // Row y of all planes, for each y: what one task writes.
        let mut rows: Vec<Vec<&mut [C64]>> = (0..ny).map(|_| Vec::with_capacity(nz)).collect();
        for (i, row) in to.chunks_mut(nx).enumerate() {
            rows[i % ny].push(row);
        }
        let [fx, fy, fz] = factors;
        rows.into_par_iter().enumerate().for_each_init(
            || self.room(nz),
            |room, (y, mut rows)| {
                for first in (0..nx).step_by(TOGETHER) {
                    let width = TOGETHER.min(nx - first);
                    for z in 0..nz {
                        let row = &from[nx * (y + ny * z) + first..][..width];
                        let factor = fy[y] * fz[z];
                        for (k, v) in row.iter().enumerate() {
                            room.lines[k * (nz + PAD) + z] = v * (factor * fx[first + k]);
                        }
                    }
                    let lines = room.transform(&*self.0[2], nz, width);
                    for (z, row) in rows.iter_mut().enumerate() {
                        for (k, v) in row[first..first + width].iter_mut().enumerate() {
                            *v = lines[k * (nz + PAD) + z];
                        }
                    }
                }
            },
        );
    }
}

/// Checksums of `iterations` iterations on a grid of nx, ny, nz points, on all cores of rayon's pool. They do not depend on the
/// number of cores.
///
/// # Errors
/// A size that is not a power of two.
pub fn parallel(size: [usize; 3], iterations: usize) -> Result<Vec<C64>, String> {
    parallel_with(size, iterations, &mut |_, _| ())
}

/// The same; `after` is told the number (from 1) and the checksum of each iteration as soon as it is done.
///
/// # Errors
/// As [`parallel`].
pub fn parallel_with(
    size: [usize; 3],
    iterations: usize,
    after: &mut dyn FnMut(usize, C64),
) -> Result<Vec<C64>, String> {
    check(size)?;
    let [nx, ny, nz] = size;
    // Memory as the system hands it out, cleared: all cores touch it first, each its part.
    let zeros = || bytemuck::allocation::cast_vec(vec![[0.0f64; 2]; nx * ny * nz]);
    let (mut field, mut spectrum): (Vec<C64>, Vec<C64>) = (zeros(), zeros());
    let (forward, inverse) = (Axes::new(size, true), Axes::new(size, false));
    let planes = field.par_chunks_mut(nx * ny).enumerate();
    planes.for_each(|(z, plane)| fill_rows(z * ny, nx, plane));
    forward.planes(size, &mut field);
    forward.lines(size, &field, &size.map(|n| vec![1.0; n]), &mut spectrum);
    let sums = (1..=iterations).map(|t| {
        let factors = size.map(|n| axis_factors(n, t));
        inverse.lines(size, &spectrum, &factors, &mut field);
        inverse.planes(size, &mut field);
        let sum = checksum(size, &field);
        after(t, sum);
        sum
    });
    Ok(sums.collect())
}
