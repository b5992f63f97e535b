//! Random boundaries: do they keep the field bounded, and does it go back to zero?

use super::problem::Problem;
use crate::engine::{Backend, Boundary, Region, Step};
use crate::grid::Cube;
use crate::plan::{Plan, RandomBoundary, Strategy};
use crate::{Real, Result};

/// `E = sum p^2` of the source's field.
#[derive(Debug, Clone, PartialEq)]
pub struct Energies {
    /// Each so many steps on the way there.
    pub forward: Vec<f64>,
    /// Each so many steps on the way back.
    pub backward: Vec<f64>,
    /// What is left at level 0.
    pub left: f64,
    /// Steps between two values.
    pub each: usize,
}

impl Energies {
    /// Largest on the way there.
    pub fn largest(&self) -> f64 {
        self.forward.iter().copied().fold(0.0, f64::max)
    }

    /// `Ex_mod`, `Ex_back`: steps on the way there and back with more than `limit` (or with no
    /// number at all).
    pub fn steps_above(&self, limit: f64) -> [usize; 2] {
        let count = |energies: &[f64]| {
            self.each
                * energies
                    .iter()
                    .filter(|e| {
                        !matches!(
                            e.partial_cmp(&&limit),
                            Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal)
                        )
                    })
                    .count()
        };
        [count(&self.forward), count(&self.backward)]
    }
}

/// Propagates the problem's source within random boundaries to the last level and back to the
/// first.
pub fn energies<T: Real>(
    backend: &dyn Backend<T>,
    problem: &Problem,
    boundary: RandomBoundary,
    each: usize,
) -> Result<Energies> {
    let plan = Plan { strategy: Strategy::RandomBoundaries(boundary), ..problem.plan.clone() };
    let (nt, ks_rand) = (plan.nt, boundary.ks_rand);
    let mut engine = backend.engine(&plan, &problem.velocity)?;
    let levels = [engine.new_field()?, engine.new_field()?];
    let source = engine.new_points(&problem.wavelet())?;
    let (mut forward, mut backward) = (Vec::new(), Vec::new());
    let step =
        |prev, cur| Step { prev, cur, next: prev, boundary: Boundary::Random, region: Region::All };
    for its in 0..nt - 1 {
        if its > 0 && its % ks_rand == 0 {
            engine.randomise(its / ks_rand)?;
        }
        let (cur, next) = (levels[its % 2], levels[(its + 1) % 2]);
        engine.step(step(next, cur))?;
        engine.inject(next, source, its)?;
        if (its + 1) % each == 0 {
            forward.push(engine.energy(next)?);
        }
    }
    for itr in (0..nt - 2).rev() {
        let (p, k) = (levels[itr % 2], itr + 1);
        engine.step(step(p, levels[k % 2]))?;
        engine.inject(p, source, k)?;
        if k % ks_rand == 0 {
            engine.randomise(k / ks_rand - 1)?;
        }
        if itr % each == 0 {
            backward.push(engine.energy(p)?);
        }
    }
    Ok(Energies { forward, backward, left: engine.energy(levels[0])?, each })
}

/// The field of the problem's source within random boundaries at each of `levels`, which rise.
pub fn snapshots<T: Real>(
    backend: &dyn Backend<T>,
    problem: &Problem,
    boundary: RandomBoundary,
    levels: &[usize],
) -> Result<Vec<Cube<T>>> {
    let plan = Plan { strategy: Strategy::RandomBoundaries(boundary), ..problem.plan.clone() };
    let mut engine = backend.engine(&plan, &problem.velocity)?;
    let fields = [engine.new_field()?, engine.new_field()?];
    let source = engine.new_points(&problem.wavelet())?;
    let mut seen = Vec::new();
    for its in 0..plan.nt - 1 {
        if its > 0 && its % boundary.ks_rand == 0 {
            engine.randomise(its / boundary.ks_rand)?;
        }
        let (cur, next) = (fields[its % 2], fields[(its + 1) % 2]);
        let (boundary, region) = (Boundary::Random, Region::All);
        engine.step(Step { prev: next, cur, next, boundary, region })?;
        engine.inject(next, source, its)?;
        if levels.contains(&(its + 1)) {
            seen.push(engine.read(next)?);
        }
    }
    Ok(seen)
}

/// Energies in the middle half of the interior at the moments when a wave of the source in its
/// centre is back there: after reflection at the layers' inner edge, and after reflection at the
/// outer wall.
pub fn fronts<T: Real>(
    backend: &dyn Backend<T>,
    problem: &Problem,
    boundary: RandomBoundary,
) -> Result<[f64; 2]> {
    let mut plan = Plan { strategy: Strategy::RandomBoundaries(boundary), ..problem.plan.clone() };
    let (n, layers) = (plan.grid.n[0], plan.layers);
    let v = f64::from(problem.velocity.at(problem.source));
    let level = |points: usize| {
        // The middle of the wavelet starts after 1.2 periods.
        let seconds = points as f64 * plan.grid.d_m[0] / v + 1.2 / plan.peak_hz;
        (seconds / plan.dt_s).round() as usize
    };
    // To the edge or the wall, and back to the centre.
    let moments = [level(n - 2 * layers), level(n)];
    plan.nt = moments[1] + 2;
    let problem = Problem { plan, ..problem.clone() };
    let mut engine = backend.engine(&problem.plan, &problem.velocity)?;
    let levels = [engine.new_field()?, engine.new_field()?];
    let source = engine.new_points(&problem.wavelet())?;
    let mut energies = [0.0; 2];
    for its in 0..problem.plan.nt - 1 {
        let (cur, next) = (levels[its % 2], levels[(its + 1) % 2]);
        engine.step(Step {
            prev: next,
            cur,
            next,
            boundary: Boundary::Random,
            region: Region::All,
        })?;
        engine.inject(next, source, its)?;
        for (moment, energy) in moments.iter().zip(&mut energies) {
            if *moment == its + 1 {
                let quarter = (n - 2 * layers) / 4;
                let middle = engine.read(next)?.part([n / 2 - quarter; 3], [2 * quarter; 3]);
                *energy = crate::metrics::energy(&middle.values);
            }
        }
    }
    Ok(energies)
}
