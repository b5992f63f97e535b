//! Do all back ends compute the same? One problem, with layers, source and receivers, by each of
//! them.

use std::time::Instant;

use super::problem::{Problem, ricker};
use crate::engine::{Backend, Boundary, Region, Step};
use crate::grid::Cube;
use crate::metrics::relative_l2;
use crate::plan::{Face, FaceKind, Strategy};
use crate::{Real, Result, Shot, Traces};

/// What a back end made of the problem.
pub struct Outcome<T> {
    /// Its name.
    pub name: String,
    /// The last level, layers included.
    pub field: Cube<T>,
    /// What the receivers recorded.
    pub traces: Traces<T>,
    /// The image of these traces.
    pub image: Cube<T>,
    /// Seconds, by the clock.
    pub seconds: f64,
}

/// Relative L2 differences from the reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Differences {
    /// Of the last level.
    pub field: f64,
    /// Of the traces.
    pub traces: f64,
    /// Of the image.
    pub image: f64,
}

impl Differences {
    /// The largest; not a number if one of them is none.
    pub fn largest(&self) -> f64 {
        [self.field, self.traces, self.image]
            .into_iter()
            .fold(0.0, |a: f64, b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) })
    }
}

impl<T: Real> Outcome<T> {
    /// How far it is from the reference.
    pub fn differences(&self, reference: &Outcome<T>) -> Differences {
        Differences {
            field: relative_l2(&self.field.values, &reference.field.values),
            traces: relative_l2(&self.traces.samples, &reference.traces.samples),
            image: relative_l2(&self.image.values, &reference.image.values),
        }
    }
}

/// The problem: a lens over two layers with receivers, `n` points on each side and `layers`
/// absorbing ones on each face of them. The source fires every 100 steps, so that there is a field
/// to compare after any number of steps. The top absorbs, or is a free surface.
pub fn problem(n: usize, layers: usize, order: usize, steps: usize, free_surface: bool) -> Problem {
    let inner = [n.saturating_sub(2 * layers).max(1); 3];
    let mut problem = Problem::lens(inner, layers, order, steps + 1);
    if free_surface {
        problem.plan.faces[Face::Top as usize] = FaceKind::FreeSurface;
    }
    problem
}

/// The source of the problem.
fn source<T: Real>(problem: &Problem) -> Traces<T> {
    let (dt_s, fq) = (problem.plan.dt_s, problem.plan.peak_hz);
    let sample = |k: usize| {
        let shots = (0..=k).step_by(100);
        shots.map(|first| ricker((k - first) as f64 * dt_s, fq, 1.2 / fq)).sum::<f64>()
    };
    Traces::source(dt_s, problem.source, (0..problem.plan.nt).map(|k| T::of(sample(k))).collect())
}

/// Runs the problem: `nt - 1` steps forward with receivers, then the image of what was recorded, by
/// saved boundaries.
///
/// # Errors
/// What the back end refuses.
pub fn run<T: Real>(backend: &dyn Backend<T>, problem: &Problem) -> Result<Outcome<T>> {
    let start = Instant::now();
    let plan = &crate::Plan { strategy: Strategy::StoreAll, ..problem.plan.clone() };
    let source = source::<T>(problem);
    let (field, traces) = {
        let mut engine = backend.engine(plan, &problem.velocity)?;
        let points = engine.new_points(&source)?;
        let silent = Traces::zeros(plan.nt, plan.dt_s, problem.receivers.clone());
        let receivers = engine.new_points(&silent)?;
        let boundary = Boundary::Cpml(engine.new_layers()?);
        let levels = [engine.new_field()?, engine.new_field()?];
        for k in 0..plan.nt - 1 {
            let (cur, next) = (levels[k % 2], levels[(k + 1) % 2]);
            engine.step(Step { prev: next, cur, next, boundary, region: Region::All })?;
            engine.inject(next, points, k)?;
            engine.record(next, receivers, k + 1)?;
        }
        (engine.read(levels[(plan.nt - 1) % 2])?, engine.traces(receivers)?)
    };
    let shot = Shot { source, receivers: traces.clone() };
    let image = problem.migrate(backend, &shot, Strategy::SaveBoundaries)?.correlation;
    let seconds = start.elapsed().as_secs_f64();
    Ok(Outcome { name: backend.name(), field, traces, image, seconds })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::propagate::Cpu;

    #[test]
    fn a_back_end_agrees_with_itself_and_not_with_another_order() {
        let cpu = Cpu::new();
        let at = |order: usize| {
            let mut problem = problem(24, 4, order, 40, false);
            problem.plan.dt_s = 0.001;
            run::<f32>(&cpu, &problem).unwrap()
        };
        let (four, again, six) = (at(4), at(4), at(6));
        assert_eq!(again.differences(&four).largest(), 0.0);
        let far = six.differences(&four);
        assert!(far.field > 1e-5 && far.traces > 1e-5 && far.image > 1e-5, "{far:?}");
        let mut broken = at(4);
        broken.image.values[0] = f32::NAN;
        assert!(broken.differences(&four).largest().is_nan());
    }
}
