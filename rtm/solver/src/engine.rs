//! What a back end does. The strategies are written once over this trait; the native CPU implements
//! it in [`crate::propagate`], a GPU fills it with kernels.
//!
//! An engine belongs to one shot. It owns all memory of the shot, wherever that lies; the
//! strategies name its parts by handles, and no field passes between host and device but by
//! [`Engine::read`].

use rayon::prelude::*;

use crate::grid::{Cube, Velocity};
use crate::memory;
use crate::{Error, Plan, Real, Result, Traces};

/// A time level of the engine's wavefield, boundary layers included.
///
/// Only the engine looks inside. So a wavefield may have several components (velocities and
/// stresses, or p and q of a tilted medium): a level then is all of them at one time, and what is
/// defined for one component, [`Engine::inject`], [`Engine::record`], [`Engine::image`],
/// [`Engine::read`] and [`Engine::energy`], takes the one that the engine names as its pressure.
/// The strategies stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field(pub usize);

/// The state (psi and zeta of every absorbing face) of one propagation's layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layers(pub usize);

/// Traces that the engine holds, to be injected or recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Points(pub usize);

/// A store of boundary shells, one per time level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shells(pub usize);

/// What a wave meets at the edge of the grid during one step. Beyond the grid the field is 0 in
/// every case (under a free surface, its odd mirror image).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// Convolutional perfectly matched layers at the faces that absorb; their state advances by one
    /// step.
    Cpml(Layers),
    /// Random velocities in the layers of all faces, as the latest [`Engine::randomise`] left them.
    Random,
    /// The model as it is: faces reflect.
    Reflecting,
}

impl Boundary {
    /// The absorbing layers' state, if there is one.
    pub fn layers(self) -> Option<Layers> {
        match self {
            Boundary::Cpml(layers) => Some(layers),
            Boundary::Random | Boundary::Reflecting => None,
        }
    }
}

impl From<Option<Layers>> for Boundary {
    /// Faces absorb if there are layers, else they reflect.
    fn from(layers: Option<Layers>) -> Boundary {
        layers.map_or(Boundary::Reflecting, Boundary::Cpml)
    }
}

/// Which points a step computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// All points, layers included.
    All,
    /// At least those whose stencil does not touch the layers; the others have any value
    /// afterwards.
    Deep,
}

/// One time step: `next = 2 cur - prev + v^2 dt^2 lap(cur)`, plus the layers' terms. The same
/// forward and backward.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The level before.
    pub prev: Field,
    /// The level from which the step is made.
    pub cur: Field,
    /// The new level; may be `prev`, which is then overwritten in place.
    pub next: Field,
    /// What the wave meets at the edge of the grid.
    pub boundary: Boundary,
    /// Where.
    pub region: Region,
}

impl Step {
    /// Refuses what no back end can do.
    ///
    /// # Errors
    /// The step overwrites the level that it reads, or leaves out points of random layers.
    pub fn check(&self) -> Result<()> {
        if self.cur == self.next {
            return Err(Error::Device("a step cannot overwrite the level it reads".into()));
        }
        if self.boundary == Boundary::Random && self.region == Region::Deep {
            return Err(Error::Device("a step in random layers leaves no points out".into()));
        }
        Ok(())
    }
}

/// Sums of the image, over the interior.
#[derive(Debug, Clone, PartialEq)]
pub struct Sums<T> {
    /// `sum_t p_s p_r`.
    pub correlation: Cube<T>,
    /// `sum_t p_s^2`.
    pub source_energy: Option<Cube<T>>,
    /// `sum_t p_r^2`.
    pub receiver_energy: Option<Cube<T>>,
}

/// A back end at work on one shot. All new memory is zero.
pub trait Engine<T: Real> {
    /// A new level.
    fn new_field(&mut self) -> Result<Field>;
    /// How many levels of a field that goes back in time take turns: 2, each step overwriting the
    /// level before, or 3 where the engine gains from a step that leaves it as it is.
    fn turns(&self) -> usize {
        2
    }
    /// New layers' state.
    fn new_layers(&mut self) -> Result<Layers>;
    /// Traces for [`Engine::inject`] and [`Engine::record`].
    fn new_points(&mut self, traces: &Traces<T>) -> Result<Points>;
    /// Room for the shells of `levels` time levels.
    fn new_shells(&mut self, levels: usize) -> Result<Shells>;

    /// Sets a level to 0.
    fn clear_field(&mut self, field: Field) -> Result<()>;
    /// Sets layers to 0.
    fn clear_layers(&mut self, layers: Layers) -> Result<()>;
    /// Copies a level.
    fn copy_field(&mut self, from: Field, to: Field) -> Result<()>;
    /// Copies the layers' state.
    fn copy_layers(&mut self, from: Layers, to: Layers) -> Result<()>;

    /// One time step.
    fn step(&mut self, step: Step) -> Result<()>;
    /// Adds sample `k` of each trace to the field at its point.
    fn inject(&mut self, field: Field, points: Points, k: usize) -> Result<()>;
    /// Takes the field's value at each point as sample `k` of its trace.
    fn record(&mut self, field: Field, points: Points, k: usize) -> Result<()>;
    /// The traces as they now are.
    fn traces(&mut self, points: Points) -> Result<Traces<T>>;

    /// Saves the shell of interior points within half a stencil of the layers as that of `level`.
    fn save_shell(&mut self, field: Field, shells: Shells, level: usize) -> Result<()>;
    /// Puts a saved shell back.
    fn load_shell(&mut self, field: Field, shells: Shells, level: usize) -> Result<()>;
    /// Draws the velocities of [`Boundary::Random`] for an epoch (0, 1, 2, ... each `ks_rand`
    /// steps). Epochs are asked for one after the other, upwards or downwards.
    fn randomise(&mut self, epoch: usize) -> Result<()>;

    /// Adds the product of both fields to the image (and their squares, if the plan wants them).
    fn image(&mut self, source: Field, receivers: Field) -> Result<()>;
    /// One step and the image of its result with `source`: for back ends that can do both in one
    /// pass. `points` are injected (sample `k`) between the two.
    fn step_inject_image(
        &mut self,
        step: Step,
        points: Points,
        k: usize,
        source: Option<Field>,
    ) -> Result<()> {
        self.step(step)?;
        self.inject(step.next, points, k)?;
        match source {
            Some(source) => self.image(source, step.next),
            None => Ok(()),
        }
    }
    /// The image's sums.
    fn sums(&mut self) -> Result<Sums<T>>;

    /// A level without padding, layers included.
    fn read(&mut self, field: Field) -> Result<Cube<T>>;
    /// `sum p^2` over all points.
    fn energy(&mut self, field: Field) -> Result<f64>;
    /// Waits until all that was asked for is done: for those who measure times.
    fn wait(&mut self) -> Result<()> {
        Ok(())
    }
    /// Bytes allocated now.
    fn bytes(&self) -> usize;
}

/// Checks a model against its plan, for every back end; the largest velocity in m/s.
///
/// # Errors
/// Sizes differ, a velocity is not positive, or the plan cannot work.
pub fn check(plan: &Plan, velocity: &Velocity) -> Result<f64> {
    if velocity.grid.n != plan.grid.n {
        return Err(Error::input(format!(
            "the model has {:?} points, the plan {:?}",
            velocity.grid.n, plan.grid.n
        )));
    }
    // Bits of positive numbers are in the order of the numbers. Those of zero, negative numbers,
    // infinity and what is no number, less one, are above those of all that may be.
    let key = |v: &f32| v.to_bits().wrapping_sub(1);
    let parts = velocity.values.par_chunks(1 << 16);
    let most = parts.map(|part| part.iter().map(key).fold(0, u32::max)).max().unwrap_or(0);
    if most >= f32::INFINITY.to_bits() - 1 {
        let wrong = |v: &f32| !(v.is_finite() && *v > 0.0);
        let i = velocity.values.iter().position(wrong).unwrap_or(0);
        return Err(Error::input(format!(
            "the model's velocity at point {:?} is {} m/s: all must be positive",
            velocity.grid.point(i),
            velocity.values[i]
        )));
    }
    let v_max = f32::from_bits(most + 1).into();
    plan.check(v_max)?;
    Ok(v_max)
}

/// What a back end answers that is to keep shells of a plan whose interior has nothing inside of
/// them ([`Plan::is_thin`]).
pub fn no_shell(plan: &Plan) -> Error {
    Error::input(format!(
        "boundary saving needs an interior of more than {} points along each axis (the order): \
         enlarge the model or use checkpoints",
        plan.order
    ))
}

/// Refuses a plan in two dimensions, for a back end that knows three.
///
/// # Errors
/// The plan is that of a plane.
pub fn check_volume(plan: &Plan) -> Result<()> {
    match plan.plane {
        false => Ok(()),
        true => Err(Error::refused(
            "dimensions = 2",
            "planes are run by the CPU only",
            "leave --backend out, or give dimensions=3",
        )),
    }
}

/// The memory in which a back end keeps a shot.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// What a shot may take of it: nine tenths of what is free now.
    pub spare_bytes: u64,
    /// What the run of a plan takes, with so many samples of source and receivers.
    pub shot_bytes: fn(&Plan, usize) -> usize,
}

/// A back end: makes an engine for each shot.
pub trait Backend<T: Real>: Sync {
    /// Its memory: the host's, unless it has its own.
    ///
    /// # Errors
    /// The device does not say.
    fn room(&self) -> Result<Room> {
        Ok(Room { spare_bytes: memory::spare_memory(), shot_bytes: memory::cpu_bytes::<T> })
    }

    /// Its name for people: `cpu (2 threads, avx512f)`.
    fn name(&self) -> String;
    /// An engine for a plan in a model; `plan.grid` is that of the velocities.
    fn engine<'a>(&'a self, plan: &Plan, velocity: &Velocity) -> Result<Box<dyn Engine<T> + 'a>>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;

    #[test]
    fn a_model_has_positive_velocities_and_a_largest_one() {
        let grid = Grid::uniform([9, 70, 110], 10.0);
        let plan = Plan { layers: 2, ..Plan::new(grid, 4, 1e-4, 10, 20.0) };
        let wrong_at = grid.index([8, 3, 5]);
        let with = |value: f32| {
            let mut model = Cube::from_fn(grid, |p| 1500.0 + grid.index(p) as f32 / 100.0);
            model.values[wrong_at] = value;
            check(&plan, &model)
        };
        let largest = 1500.0 + (grid.len() - 1) as f32 / 100.0;
        for low in [1500.0, f32::MIN_POSITIVE, f32::from_bits(1)] {
            assert_eq!(with(low).unwrap(), f64::from(largest));
        }
        assert_eq!(with(3000.5).unwrap(), 3000.5);
        for wrong in [0.0, -0.0, -1500.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN] {
            let text = with(wrong).unwrap_err().to_string();
            assert!(text.contains("[8, 3, 5]"), "{text}");
        }
        assert!(with(f32::MAX).unwrap_err().to_string().contains("dt"));
    }
}
