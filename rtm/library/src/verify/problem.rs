//! Small complete problems.

use std::f64::consts::PI;

use crate::engine::Backend;
use crate::grid::{Cube, Point, Velocity};
use crate::plan::{Plan, Strategy};
use crate::strategy;
use crate::{Grid, Real, Result, Shot, ShotImage, Traces};

/// `(1 - 2 q) exp(-q)`, `q = (pi fq (t - t0))^2`: the Ricker wavelet of central frequency fq, unit
/// amplitude.
pub fn ricker(t_s: f64, peak_hz: f64, delay_s: f64) -> f64 {
    let q = (PI * peak_hz * (t_s - delay_s)).powi(2);
    (1.0 - 2.0 * q) * (-q).exp()
}

/// A plan with its model, one source and receivers.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The plan.
    pub plan: Plan,
    /// Velocities.
    pub velocity: Velocity,
    /// Source point.
    pub source: Point,
    /// Receiver points.
    pub receivers: Vec<Point>,
}

impl Problem {
    /// Two layers with a smooth lens, `interior` points plus `layers` on each face, 10 m apart,
    /// order `order`; a source and a line of receivers under the surface. dt is 0.9 of the largest
    /// stable one.
    pub fn lens(interior: [usize; 3], layers: usize, order: usize, nt: usize) -> Problem {
        let n = interior.map(|n| n + 2 * layers);
        let grid = Grid::uniform(n, 10.0);
        let velocity = Cube::from_fn(grid, |[ix, iy, iz]| {
            let centre = |i: usize, n: usize| (i as f32 + 0.5) / n as f32 - 0.5;
            let (x, y, z) = (centre(ix, n[0]), centre(iy, n[1]), centre(iz, n[2]));
            let lens = 300.0 * (-20.0 * (x * x + y * y + z * z)).exp();
            (if z > 0.15 { 2400.0 } else { 1700.0 }) + lens
        });
        let dt_s = 0.9 * crate::fd::dt_max_s(order, 10.0, velocity.range().1);
        let mut plan = Plan::new(grid, order, dt_s, nt, 18.0);
        plan.layers = layers;
        let source = [n[0] / 2, n[1] / 2, layers + 1];
        let receivers =
            (layers..n[0] - layers).step_by(3).map(|x| [x, n[1] / 2, layers + 1]).collect();
        Problem { plan, velocity, source, receivers }
    }

    /// A constant velocity, the source in the middle, a receiver at each of `offsets` points from
    /// it; `nt` levels of `dt_s`.
    pub fn constant(plan: Plan, v_mps: f32, offsets: &[[isize; 3]]) -> Problem {
        let source = plan.grid.n.map(|n| n / 2);
        let receivers = offsets
            .iter()
            .map(|o| std::array::from_fn(|a| source[a].saturating_add_signed(o[a])))
            .collect();
        let velocity = Cube::constant(plan.grid, v_mps);
        Problem { plan, velocity, source, receivers }
    }

    /// The Ricker wavelet of the plan's frequency, delayed by 1.2 periods, unscaled.
    pub fn wavelet<T: Real>(&self) -> Traces<T> {
        let (dt_s, fq) = (self.plan.dt_s, self.plan.peak_hz);
        let samples = (0..self.plan.nt).map(|k| T::of(ricker(k as f64 * dt_s, fq, 1.2 / fq)));
        Traces::source(dt_s, self.source, samples.collect())
    }

    /// Models the shot.
    pub fn model<T: Real>(&self, backend: &dyn Backend<T>) -> Result<Traces<T>> {
        let source = self.wavelet();
        strategy::model(backend, &self.plan, &self.velocity, &source, &self.receivers, &mut ())
    }

    /// The shot to be migrated: what the receivers record of the model, less what they record
    /// without it (a constant velocity, the one at the source).
    pub fn shot<T: Real>(&self, backend: &dyn Backend<T>) -> Result<Shot<T>> {
        let mut receivers = self.model(backend)?;
        let smooth = Cube::constant(self.plan.grid, self.velocity.at(self.source));
        let direct = Problem { velocity: smooth, ..self.clone() }.model(backend)?;
        for (sample, direct) in receivers.samples.iter_mut().zip(&direct.samples) {
            *sample -= *direct;
        }
        Ok(Shot { source: self.wavelet(), receivers })
    }

    /// Migrates `shot` with a strategy.
    pub fn migrate<T: Real>(
        &self,
        backend: &dyn Backend<T>,
        shot: &Shot<T>,
        strategy: Strategy,
    ) -> Result<ShotImage<T>> {
        let plan = Plan { strategy, ..self.plan.clone() };
        strategy::migrate(backend, &plan, &self.velocity, shot, &mut ())
    }
}
