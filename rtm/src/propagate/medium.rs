//! `v^2 dt^2` of the model, and of the model with random layers: the latter stores only the points of the layers.

use std::ops::Range;

use super::shell::Shell;
use crate::grid::{Point, Velocity};
use crate::plan::{Generator, Plan, RandomBoundary};
use crate::strategy::random::{self, Lcg};
use crate::{Real, Result, Volume};

/// `v^2 dt^2` at each point.
pub(crate) fn scaled<T: Real>(velocity: &Velocity, dt_s: f64) -> Volume<T> {
    let mut volume = Volume::zeros(velocity.grid.n);
    for ix in 0..velocity.grid.n[0] {
        for iy in 0..velocity.grid.n[1] {
            for (to, v) in volume.row_mut(ix, iy).iter_mut().zip(velocity.row(ix, iy)) {
                *to = T::of((f64::from(*v) * dt_s).powi(2));
            }
        }
    }
    volume
}

/// The random layers of strategy 3.
pub(crate) struct RandomLayers<T> {
    shell: Shell,
    values: Vec<T>,
    boundary: RandomBoundary,
    states: Option<Vec<Lcg>>,
    epoch: usize,
}

impl<T: Real> RandomLayers<T> {
    pub fn new(plan: &Plan, boundary: RandomBoundary) -> Self {
        let shell = Shell::new(plan.grid.n, plan.layers);
        let states = (boundary.generator == Generator::Lcg)
            .then(|| (0..shell.len() as u64).map(|i| Lcg::new(boundary.seed, i)).collect());
        RandomLayers { values: vec![T::ZERO; shell.len()], shell, boundary, states, epoch: 0 }
    }

    pub fn bytes(&self) -> usize {
        self.values.len() * T::BYTES
            + self.states.as_ref().map_or(0, |s| s.len() * size_of::<Lcg>())
    }

    /// Draws the velocities of an epoch.
    pub fn randomise(&mut self, plan: &Plan, model: &Volume<T>, epoch: usize) -> Result<()> {
        if let Some(states) = &mut self.states {
            while self.epoch < epoch {
                states
                    .iter_mut()
                    .enumerate()
                    .for_each(|(i, s)| s.forward(self.boundary.seed, i as u64));
                self.epoch += 1;
            }
            while self.epoch > epoch {
                states
                    .iter_mut()
                    .enumerate()
                    .for_each(|(i, s)| s.backward(self.boundary.seed, i as u64));
                self.epoch -= 1;
            }
        }
        self.epoch = epoch;
        let [nx, ny, nz] = plan.grid.n;
        let ends = [0..plan.layers, nz - plan.layers..nz];
        let mut index = 0;
        for ix in 0..nx {
            for iy in 0..ny {
                let (start, whole) = self.shell.row(ix, iy);
                debug_assert_eq!(start, index);
                let row = model.row(ix, iy);
                let parts = if whole { &[0..nz, nz..nz] } else { &ends };
                for iz in parts.iter().cloned().flatten() {
                    let number = match &self.states {
                        Some(states) => states[index].number(),
                        None => random::counter(self.boundary.seed, index as u64, epoch as u64),
                    };
                    let point: Point = [ix, iy, iz];
                    self.values[index] =
                        random::scaled_velocity(plan, &self.boundary, point, row[iz], number);
                    index += 1;
                }
            }
        }
        Ok(())
    }
}

/// Rows of `v^2 dt^2` for one step.
pub(crate) struct MediumRows<'a, T> {
    pub model: &'a Volume<T>,
    pub random: Option<&'a RandomLayers<T>>,
}

impl<'a, T: Real> MediumRows<'a, T> {
    /// The model's row, in whole vectors.
    #[inline(always)]
    pub fn model_row(&self, ix: usize, iy: usize) -> &'a [T] {
        let start = self.model.row_range(ix, iy).start;
        &self.model.elements()[start..start + Volume::<T>::vectors(self.model.n()[2])]
    }

    /// The parts of row ix, iy, each with its values; together the whole row, in whole vectors where it is the model's.
    #[inline(always)]
    pub fn segments(
        &self,
        ix: usize,
        iy: usize,
    ) -> impl Iterator<Item = (Range<usize>, &'a [T])> + use<'a, T> {
        let (model, nz) = (self.model_row(ix, iy), self.model.n()[2]);
        let mut parts = [(0..model.len(), model), (0..0, model), (0..0, model)];
        if let Some(random) = self.random {
            let (start, whole) = random.shell.row(ix, iy);
            if whole {
                parts[0] = (0..nz, &random.values[start..start + nz]);
            } else {
                let layers = random.shell.thickness();
                let ends = &random.values[start..start + 2 * layers];
                parts = [
                    (0..layers, &ends[..layers]),
                    (layers..nz - layers, &model[layers..nz - layers]),
                    (nz - layers..nz, &ends[layers..]),
                ];
            }
        }
        parts.into_iter().filter(|(z, _)| !z.is_empty())
    }
}
