//! Forward modelling and migration of one shot: who computes which level when, for every memory
//! strategy.
//!
//! Levels are `p[0 .. nt-1]` with `p[-1] = p[0] = 0`; the step that makes `p[k+1]` is followed by
//! the addition of the source's sample k (spec 2.8, 3.1).

mod boundaries;
mod checkpoints;
mod drive;
mod observer;
pub mod schedule;
mod store_all;

use crate::engine::{Backend, Boundary};
use crate::grid::{Point, Velocity};
use crate::plan::Strategy;
use crate::{Plan, Real, Result, Shot, ShotImage, Traces};
use drive::Drive;
pub use observer::{Movie, Observer};
pub use solver::{memory, random};

/// Models one shot: propagates the source (`plan.nt` samples) and records the field at `receivers`;
/// sample k is level k. The plan's strategy does not matter, its faces absorb.
pub fn model<T: Real>(
    backend: &dyn Backend<T>,
    plan: &Plan,
    velocity: &Velocity,
    source: &Traces<T>,
    receivers: &[Point],
    observer: &mut dyn Observer<T>,
) -> Result<Traces<T>> {
    let plan = &Plan { strategy: Strategy::StoreAll, ..plan.clone() };
    let recorded = Traces::zeros(plan.nt, plan.dt_s, receivers.to_vec());
    source.check("source", &plan.grid, plan.nt)?;
    recorded.check("receiver", &plan.grid, plan.nt)?;
    let mut engine = backend.engine(plan, velocity)?;
    let mut d = Drive::new(engine.as_mut(), plan, observer, plan.nt - 1);
    let source = d.engine.new_points(source)?;
    let points = d.engine.new_points(&recorded)?;
    let layers = d.engine.new_layers()?;
    let levels = [d.engine.new_field()?, d.engine.new_field()?];
    for its in 0..plan.nt - 1 {
        let (cur, next) = (levels[its % 2], levels[(its + 1) % 2]);
        d.step(next, cur, next, Boundary::Cpml(layers))?;
        d.inject(next, source, its)?;
        d.engine.record(next, points, its + 1)?;
        d.show(Movie::Forward, its + 1, next)?;
    }
    d.check_finite(levels[(plan.nt - 1) % 2])?;
    d.engine.traces(points)
}

/// Migrates one shot with the plan's strategy.
pub fn migrate<T: Real>(
    backend: &dyn Backend<T>,
    plan: &Plan,
    velocity: &Velocity,
    shot: &Shot<T>,
    observer: &mut dyn Observer<T>,
) -> Result<ShotImage<T>> {
    shot.source.check("source", &plan.grid, plan.nt)?;
    shot.receivers.check("receiver", &plan.grid, plan.nt)?;
    let mut engine = backend.engine(plan, velocity)?;
    let steps = schedule::stencils(plan);
    let mut d = Drive::new(engine.as_mut(), plan, observer, steps);
    let (source, receivers) =
        (d.engine.new_points(&shot.source)?, d.engine.new_points(&shot.receivers)?);
    match plan.strategy {
        Strategy::StoreAll => store_all::run(&mut d, source, receivers)?,
        Strategy::Checkpoints { ks_store, replay } => {
            checkpoints::uniform(&mut d, source, receivers, ks_store, replay)?;
        }
        Strategy::Binomial { slots } => checkpoints::binomial(&mut d, source, receivers, slots)?,
        Strategy::SaveBoundaries => boundaries::saved(&mut d, source, receivers)?,
        Strategy::RandomBoundaries(boundary) => {
            boundaries::random(&mut d, source, receivers, boundary)?;
        }
    }
    let (counts, bytes) = (d.counts, d.engine.bytes());
    let sums = d.engine.sums()?;
    Ok(ShotImage {
        correlation: sums.correlation,
        source_energy: sums.source_energy,
        receiver_energy: sums.receiver_energy,
        counts,
        bytes,
    })
}
