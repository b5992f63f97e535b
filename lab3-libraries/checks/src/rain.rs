//! The truth about rain: the problem and the steps of a matching pursuit, in `f64`.

use grading::Picture;
use rand::{Rng, RngExt};
use serde_json::{Value, json};

use crate::device::bits32;

/// A rain problem.
pub struct Rain {
    /// Rows.
    pub m: usize,
    /// Columns.
    pub n: usize,
    /// Days of the observations.
    pub days: Vec<usize>,
    /// The matrix by columns.
    pub a: Vec<f32>,
    /// Rain.
    pub x: Vec<f32>,
    /// Observations.
    pub y: Vec<f32>,
}

/// Two series of bars, the one upwards in orange, the other downwards in blue: rain and what was
/// found of it.
pub fn bars(title: &str, up: &[f32], down: &[f32]) -> Picture {
    const HALF: usize = 60;
    let (width, height) = (2 * up.len(), 2 * HALF);
    let top = up.iter().chain(down).fold(1e-9f32, |top, v| top.max(v.abs()));
    let mut rgba = vec![255; 4 * width * height];
    for (values, colour, upwards) in [(up, [213, 94, 0], true), (down, [0, 114, 178], false)] {
        for (day, value) in values.iter().enumerate() {
            let length = (value.abs() / top * HALF as f32) as usize;
            for k in 0..length.min(HALF) {
                let row = if upwards { HALF - 1 - k } else { HALF + k };
                for column in [2 * day, 2 * day + 1] {
                    let at = 4 * (row * width + column);
                    rgba[at..at + 3].copy_from_slice(&colour);
                }
            }
        }
    }
    Picture::new(title, width as u32, height as u32, &rgba)
}

/// What is left on day `d` of the rain of day `i`.
pub fn left(d: usize, i: usize, tau: f64) -> f64 {
    if i <= d { (-((d - i) as f64) / tau).exp() } else { 0.0 }
}

/// `count` different numbers of `0..n` in ascending order.
fn choose(rng: &mut impl Rng, n: usize, count: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    for i in 0..count {
        all.swap(i, rng.random_range(i..n));
    }
    all.truncate(count);
    all.sort_unstable();
    all
}

impl Rain {
    /// A random problem.
    pub fn random(rng: &mut impl Rng, n: usize, k: usize, m: usize, tau: f64) -> Rain {
        let mut x = vec![0.0; n];
        for day in choose(rng, n, k) {
            x[day] = rng.random_range(0.05..2.5f32);
        }
        let days = choose(rng, n, m);
        Rain::of(n, days, x, tau)
    }

    /// The problem of given days.
    pub fn of(n: usize, days: Vec<usize>, x: Vec<f32>, tau: f64) -> Rain {
        let m = days.len();
        let a: Vec<f32> = (0..m * n).map(|at| left(days[at % m], at / m, tau) as f32).collect();
        let y = (0..m)
            .map(|row| {
                let product = |i: usize| f64::from(a[i * m + row]) * f64::from(x[i]);
                (0..n).map(product).sum::<f64>() as f32
            })
            .collect();
        Rain { m, n, days, a, x, y }
    }

    /// As the handlers take it.
    pub fn request(&self) -> Value {
        json!({ "m": self.m, "n": self.n, "a": bits32(&self.a), "y": bits32(&self.y) })
    }

    /// Column `i`, counted from 0.
    pub fn column(&self, i: usize) -> &[f32] {
        &self.a[i * self.m..(i + 1) * self.m]
    }

    /// `A^T r`.
    pub fn products(&self, r: &[f64]) -> Vec<f64> {
        let product = |i: usize| -> f64 {
            self.column(i).iter().zip(r).map(|(a, r)| f64::from(*a) * r).sum()
        };
        (0..self.n).map(product).collect()
    }

    /// Squared norm of a column.
    pub fn square(&self, i: usize) -> f64 {
        self.column(i).iter().map(|a| f64::from(*a).powi(2)).sum()
    }

    /// `r - sigma * column i`.
    pub fn subtract(&self, r: &mut [f64], i: usize, sigma: f64) {
        for (r, a) in r.iter_mut().zip(self.column(i)) {
            *r -= sigma * f64::from(*a);
        }
    }
}

/// Euclidean norm.
pub fn norm(r: &[f64]) -> f64 {
    r.iter().map(|r| r * r).sum::<f64>().sqrt()
}

/// A step of the true pursuit.
pub struct True {
    /// Column, from 1.
    pub index: usize,
    /// Coefficient added.
    pub sigma: f64,
    /// Coefficient now.
    pub value: f64,
    /// Norm of the residual.
    pub norm: f64,
    /// How much smaller the second greatest product is, relative.
    pub gap: f64,
}

/// The matching pursuit in `f64`: its steps and its solution.
pub fn pursuit(rain: &Rain, tmax: usize, eps: f64) -> (Vec<True>, Vec<f64>) {
    let mut r: Vec<f64> = rain.y.iter().map(|v| f64::from(*v)).collect();
    let limit = eps * norm(&r);
    let mut xr = vec![0.0; rain.n];
    let mut steps = Vec::new();
    while steps.len() < tmax && norm(&r) > limit {
        let s = rain.products(&r);
        let mut best = 0;
        for i in 1..rain.n {
            if s[i].abs() > s[best].abs() {
                best = i;
            }
        }
        if s[best] == 0.0 {
            break;
        }
        let others = (0..rain.n).filter(|i| *i != best).map(|i| s[i].abs());
        let gap = 1.0 - others.fold(0.0, f64::max) / s[best].abs();
        let sigma = s[best] / rain.square(best);
        rain.subtract(&mut r, best, sigma);
        xr[best] += sigma;
        steps.push(True { index: best + 1, sigma, value: xr[best], norm: norm(&r), gap });
    }
    (steps, xr)
}

/// A problem whose steps are clear: at none of them two columns are nearly equally good. With such
/// a one, rounding in `f32` cannot change the choice.
pub fn clear(rng: &mut impl Rng, n: usize, k: usize, m: usize, tau: f64) -> Rain {
    loop {
        let rain = Rain::random(rng, n, k, m, tau);
        if pursuit(&rain, 50, 0.05).0.iter().all(|s| s.gap >= 2e-4) {
            return rain;
        }
    }
}
