//! Against the exact field of a point source in a homogeneous medium:
//! `u(r, t) = s(t - r/v) / (4 pi r)`.

use std::f64::consts::PI;

use super::problem::{Problem, ricker};
use crate::engine::Backend;
use crate::plan::FaceKind;
use crate::{Grid, Plan, Real, Result, metrics, strategy};

/// A homogeneous experiment: 2000 m/s, receivers 500 m from the source on the axis and at (300,
/// 400, 0) m.
#[derive(Debug, Clone, Copy)]
pub struct Green {
    /// Order of the differences.
    pub order: usize,
    /// Spacing in metres, a divisor of 100.
    pub d_m: f64,
    /// Time step in seconds.
    pub dt_s: f64,
    /// Central frequency in Hz; the wavelet is delayed by 1.2 periods.
    pub peak_hz: f64,
}

impl Green {
    const V_MPS: f64 = 2000.0;
    const DISTANCE_M: f64 = 500.0;

    /// Relative L2 errors of the traces on the axis and on the diagonal, until the faces of the
    /// grid can be felt.
    pub fn errors<T: Real>(&self, backend: &dyn Backend<T>) -> Result<[f64; 2]> {
        // The wavelet has passed the receivers 1.2 periods after its centre; no echo from a face
        // arrives until then.
        let t_max = Self::DISTANCE_M / Self::V_MPS + 2.4 / self.peak_hz;
        let nt = (t_max / self.dt_s).floor() as usize + 1;
        let half = ((Self::V_MPS * t_max + Self::DISTANCE_M) / 2.0 / self.d_m).ceil() as usize + 1;
        let grid = Grid::uniform([2 * half + 1, 2 * half + 1, 2 * half + 1], self.d_m);
        let mut plan = Plan::new(grid, self.order, self.dt_s, nt, self.peak_hz);
        (plan.layers, plan.faces) = (0, [FaceKind::Reflecting; 6]);
        let points = |m: f64| (m / self.d_m).round() as isize;
        let offsets = [[points(500.0), 0, 0], [points(300.0), points(400.0), 0]];
        let problem = Problem::constant(plan, Self::V_MPS as f32, &offsets);
        let mut source = problem.wavelet::<T>();
        source.scale_to_sources(&problem.velocity);
        let Problem { plan, velocity, receivers, .. } = &problem;
        let traces = strategy::model(backend, plan, velocity, &source, receivers, &mut ())?;
        let r = Self::DISTANCE_M;
        let exact: Vec<f64> = (0..nt)
            .map(|k| k as f64 * self.dt_s - r / Self::V_MPS)
            .map(|t| if t < 0.0 { 0.0 } else { ricker(t, self.peak_hz, 1.2 / self.peak_hz) })
            .map(|s| s / (4.0 * PI * r))
            .collect();
        let error = |i: usize| {
            let found: Vec<f64> = traces.trace(i).iter().map(|v| v.f64()).collect();
            metrics::relative_l2(&found, &exact)
        };
        Ok([error(0), error(1)])
    }
}
