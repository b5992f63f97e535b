//! Random boundaries: do they keep the field bounded, and does it go back to zero?

use super::problem::Problem;
use crate::engine::{Backend, Medium, Region, Step};
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

    /// `Ex_mod`, `Ex_back`: steps on the way there and back with more than `limit` (or with no number at all).
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

/// Propagates the problem's source within random boundaries to the last level and back to the first.
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
    let step = |prev, cur| Step {
        prev,
        cur,
        next: prev,
        medium: Medium::Random,
        layers: None,
        region: Region::All,
    };
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
