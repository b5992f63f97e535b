//! `v^2 dt^2` of the model, and of the model with random layers: the latter stores only the points
//! of the layers.

use std::collections::HashMap;

use super::shell::Shell;
use crate::grid::{Point, Velocity};
use crate::plan::{Generator, Plan, RandomBoundary};
use crate::random::{self, Bounds, Lcg};
use crate::{Real, Result, Volume};

/// `v^2 dt^2` at each point. Rows that are alike are stored once: water, flat layers and constant
/// models take next to no memory, and a step need not fetch them.
pub struct Model<T> {
    n: [usize; 3],
    /// Which of `rows` is that of ix * ny + iy.
    which: Vec<u32>,
    rows: Volume<T>,
}

impl<T: Real> Model<T> {
    /// Of velocities in m/s, for steps of `dt_s` seconds.
    pub fn new(velocity: &Velocity, dt_s: f64) -> Model<T> {
        let [nx, ny, nz] = velocity.grid.n;
        let mut known: HashMap<&[u32], u32> = HashMap::new();
        let mut distinct: Vec<&[f32]> = Vec::new();
        let rows = velocity.values.chunks_exact(nz).map(|row| {
            *known.entry(bytemuck::cast_slice(row)).or_insert_with(|| {
                distinct.push(row);
                distinct.len() as u32 - 1
            })
        });
        let which: Vec<u32> = rows.collect();
        assert_eq!(which.len(), nx * ny);
        let mut rows = Volume::zeros([1, distinct.len(), nz], 0);
        for (i, row) in distinct.iter().enumerate() {
            for (to, v) in rows.row_mut(0, i).iter_mut().zip(*row) {
                *to = T::of((f64::from(*v) * dt_s).powi(2));
            }
        }
        Model { n: velocity.grid.n, which, rows }
    }

    /// Points along x, y, z.
    pub fn n(&self) -> [usize; 3] {
        self.n
    }

    /// The row at ix, iy in whole blocks, with zeros behind its end.
    #[inline(always)]
    pub fn row(&self, ix: usize, iy: usize) -> &[T] {
        let start = self.rows.row_range(0, self.which[ix * self.n[1] + iy] as usize).start;
        &self.rows.elements()[start..start + Volume::<T>::blocks(self.n[2])]
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.which.len() * size_of::<u32>()
    }

    #[cfg(test)]
    pub(crate) fn to_cube(&self, grid: crate::Grid) -> crate::grid::Cube<T> {
        crate::grid::Cube::from_fn(grid, |[ix, iy, iz]| self.row(ix, iy)[iz])
    }

    #[cfg(test)]
    pub(crate) fn scale(&mut self, factor: T) {
        self.rows.elements_mut().iter_mut().for_each(|v| *v = *v * factor);
    }
}

/// The random layers of strategy 3.
pub struct RandomLayers<T> {
    shell: Shell,
    values: Vec<T>,
    boundary: RandomBoundary,
    states: Option<Vec<Lcg>>,
    epoch: usize,
}

impl<T: Real> RandomLayers<T> {
    /// Those of a plan, before the first epoch is drawn.
    pub fn new(plan: &Plan, boundary: RandomBoundary) -> Self {
        let shell = Shell::new(plan.grid.n, plan.layers);
        let states = (boundary.generator == Generator::Lcg)
            .then(|| (0..shell.len() as u64).map(|i| Lcg::new(boundary.seed, i)).collect());
        RandomLayers { values: vec![T::ZERO; shell.len()], shell, boundary, states, epoch: 0 }
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> usize {
        self.values.len() * T::BYTES
            + self.states.as_ref().map_or(0, |s| s.len() * size_of::<Lcg>())
    }

    /// `v^2 dt^2` of the layers' points, in the order of [`Shell`].
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Draws the velocities of an epoch.
    pub fn randomise(&mut self, plan: &Plan, model: &Model<T>, epoch: usize) -> Result<()> {
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
        let (bounds, mut index) = (Bounds::of(plan), 0);
        for ix in 0..nx {
            for iy in 0..ny {
                let (start, whole) = self.shell.row(ix, iy);
                assert_eq!(start, index);
                let row = model.row(ix, iy);
                let parts = if whole { &[0..nz, nz..nz] } else { &ends };
                for iz in parts.iter().cloned().flatten() {
                    let number = match &self.states {
                        Some(states) => states[index].number(),
                        None => random::counter(self.boundary.seed, index as u64, epoch as u64),
                    };
                    let point: Point = [ix, iy, iz];
                    self.values[index] = random::scaled_velocity(
                        plan,
                        &bounds,
                        &self.boundary,
                        point,
                        row[iz],
                        number,
                    );
                    index += 1;
                }
            }
        }
        Ok(())
    }
}

/// Rows of `v^2 dt^2` for one step.
pub(crate) struct MediumRows<'a, T> {
    pub model: &'a Model<T>,
    pub random: Option<&'a RandomLayers<T>>,
}

impl<T: Real> MediumRows<'_, T> {
    /// Row ix, iy in whole blocks; `scratch` is where the model's points and the random ones come
    /// together.
    #[inline(always)]
    pub fn row<'s>(&'s self, ix: usize, iy: usize, scratch: &'s mut Vec<T>) -> &'s [T] {
        let (model, nz) = (self.model.row(ix, iy), self.model.n()[2]);
        let Some(random) = self.random else { return model };
        let ((start, whole), layers) = (random.shell.row(ix, iy), random.shell.thickness());
        scratch.clear();
        scratch.extend_from_slice(model);
        if whole {
            scratch[..nz].copy_from_slice(&random.values[start..start + nz]);
        } else {
            let ends = &random.values[start..start + 2 * layers];
            scratch[..layers].copy_from_slice(&ends[..layers]);
            scratch[nz - layers..nz].copy_from_slice(&ends[layers..]);
        }
        scratch
    }
}
