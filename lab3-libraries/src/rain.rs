//! Rain in a bucket: what the exercises of 3.2 share.
//!
//! Water evaporates with the time constant `tau` (days), so that on day `d` a bucket holds
//! `sum over i <= d of x_i exp(-(d-i)/tau)`, where `x_i` is the rain of day `i`. It is looked at on
//! `m` of `n` days only: `y = A x`, with more unknowns than equations.

use std::fmt;
use std::time::Instant;

use labkit::{LabError, check_len};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

/// A problem with its answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// Days, the unknowns.
    pub n: usize,
    /// Observations.
    pub m: usize,
    /// The day of each observation, counted from 0, in ascending order.
    pub days: Vec<usize>,
    /// Rain of each day, which is to be found.
    pub x: Vec<f32>,
    /// The matrix, `m x n` by columns.
    pub a: Vec<f32>,
    /// What was observed: `A x`.
    pub y: Vec<f32>,
}

/// Random numbers for a problem.
#[derive(Debug)]
pub struct Draw(ChaCha8Rng);

impl Draw {
    /// From a seed.
    pub fn new(seed: u64) -> Draw {
        Draw(ChaCha8Rng::seed_from_u64(seed))
    }

    /// One of `0..n`, each with the same probability; `n` is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.random_range(0..n)
    }

    /// A number of the standard normal distribution (the method of Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let (u, v): (f64, f64) = (self.0.random_range(f64::MIN_POSITIVE..1.0), self.0.random());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}

/// A matrix of `m` rows and `n` columns, stored by columns.
#[derive(Clone, Copy, Debug)]
pub struct ColMajor<'a> {
    data: &'a [f32],
    /// Rows.
    pub m: usize,
    /// Columns.
    pub n: usize,
}

impl<'a> ColMajor<'a> {
    /// The matrix whose columns lie one after the other in `data`.
    ///
    /// # Errors
    /// A length that is not `m * n`.
    pub fn new(data: &'a [f32], m: usize, n: usize) -> Result<ColMajor<'a>, LabError> {
        let size = m.checked_mul(n).ok_or_else(|| LabError::refused("A: m * n overflows"))?;
        check_len("A", data.len(), size)?;
        Ok(ColMajor { data, m, n })
    }

    /// Column `i`, counted from 0.
    pub fn column(&self, i: usize) -> &'a [f32] {
        &self.data[i * self.m..(i + 1) * self.m]
    }
}

/// What one step of a matching pursuit did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Number of the step, from 1.
    pub t: usize,
    /// The chosen column, counted from 1 as in the mathematics and in BLAS.
    pub index: usize,
    /// What was added to its coefficient.
    pub sigma: f32,
    /// The coefficient now.
    pub value: f32,
    /// Norm of the residual now.
    pub norm: f32,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Step { t, index, value, norm, .. } = self;
        write!(f, "iter.{t:3}: x({index:3}) <- {value:4.2}, nrm2res={norm:4.2}")
    }
}

/// What a file `raindemo.dat` holds: a problem and the rain that was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dat {
    /// Observations.
    pub m: usize,
    /// Days.
    pub n: usize,
    /// Rain of each day.
    pub x: Vec<f32>,
    /// The matrix by columns.
    pub a: Vec<f32>,
    /// What was observed.
    pub y: Vec<f32>,
    /// The rain that a matching pursuit has found.
    pub xr: Vec<f32>,
}

/// Steps that a matching pursuit may take.
pub const TMAX: usize = 50;
/// A matching pursuit ends when the residual is not longer than this part of `y`.
pub const EPS: f32 = 0.05;

/// Milliseconds of a step on the CPU, the mean of `steps`: `A^T r` by all cores, the greatest
/// product, and the update, for a problem that is looked at on every `n / m`-th day.
///
/// # Errors
/// A matrix of more bytes than there are in 64 GB.
pub fn cpu_step_ms(n: usize, m: usize, tau: f32, steps: usize) -> Result<f64, LabError> {
    if (4 * m as u64).saturating_mul(n as u64) > 64_000_000_000 {
        return Err(LabError::refused(format!("A of {m} x {n} is too large for the CPU")));
    }
    let mut a = vec![0.0f32; m * n];
    a.par_chunks_mut(m).enumerate().for_each(|(i, column)| {
        for (row, value) in column.iter_mut().enumerate() {
            let day = (row + 1) * n / m - 1;
            *value = if i <= day { (-((day - i) as f32) / tau).exp() } else { 0.0 };
        }
    });
    let mut r: Vec<f32> = (0..m).map(|row| 1.0 + (row % 7) as f32).collect();
    let dot = |x: &[f32], y: &[f32]| -> f32 {
        // Eight sums side by side, so that the compiler can use its vector instructions.
        let mut sums = [0.0f32; 8];
        for (x, y) in x.chunks(8).zip(y.chunks(8)) {
            for (sum, (x, y)) in sums.iter_mut().zip(x.iter().zip(y)) {
                *sum += x * y;
            }
        }
        sums.iter().sum()
    };
    let start = Instant::now();
    for _ in 0..steps {
        let products: Vec<f32> = a.par_chunks(m).map(|column| dot(column, &r)).collect();
        let best = (0..n).max_by(|i, j| products[*i].abs().total_cmp(&products[*j].abs()));
        let best = best.ok_or_else(|| LabError::refused("no days"))?;
        let column = &a[best * m..(best + 1) * m];
        let sigma = products[best] / dot(column, column);
        r.iter_mut().zip(column).for_each(|(r, a)| *r -= sigma * a);
    }
    Ok(start.elapsed().as_secs_f64() * 1e3 / steps.max(1) as f64)
}
