//! Forward modelling and migration of one shot: who computes which level when, for every memory strategy.
//!
//! Levels are `p[0 .. nt-1]` with `p[-1] = p[0] = 0`; the step that makes `p[k+1]` is followed by the addition of the source's
//! sample k (spec 2.8, 3.1).

use crate::engine::Backend;
use crate::grid::{Cube, Velocity};
use crate::{Plan, Real, Result, Shot, ShotImage, Traces};

/// Which field a snapshot shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Movie {
    /// The source's field, forward (`smovie`).
    Forward,
    /// The source's field as the strategy has it again (`sbackmovie`).
    Backward,
    /// The receivers' field (`rmovie`).
    Receivers,
}

/// Watches a run: progress, snapshots, a request to stop.
pub trait Observer<T> {
    /// Called after each of `steps` time steps; `false` ends the run with [`crate::Error::Stopped`].
    fn progress(&mut self, _done: usize, _steps: usize) -> bool {
        true
    }
    /// Whether the level `k` of a field is to be shown.
    fn wants(&mut self, _movie: Movie, _k: usize) -> bool {
        false
    }
    /// Shows it, layers included.
    fn show(&mut self, _movie: Movie, _k: usize, _field: &Cube<T>) -> Result<()> {
        Ok(())
    }
}

/// Watches nothing.
impl<T> Observer<T> for () {}

/// Models one shot: propagates the source (`plan.nt` samples) and records the field at `receivers`; sample k is level k.
pub fn model<T: Real>(
    backend: &dyn Backend<T>,
    plan: &Plan,
    velocity: &Velocity,
    source: &Traces<T>,
    receivers: &[crate::grid::Point],
    observer: &mut dyn Observer<T>,
) -> Result<Traces<T>> {
    let _ = (backend, plan, velocity, source, receivers, observer);
    Err(crate::Error::input("modelling is not built yet"))
}

/// Migrates one shot with the plan's strategy.
pub fn migrate<T: Real>(
    backend: &dyn Backend<T>,
    plan: &Plan,
    velocity: &Velocity,
    shot: &Shot<T>,
    observer: &mut dyn Observer<T>,
) -> Result<ShotImage<T>> {
    let _ = (backend, plan, velocity, shot, observer);
    Err(crate::Error::input("migration is not built yet"))
}
