//! How fast this machine is: a few time steps, timed.

use std::time::Instant;

use crate::engine::{Backend, Engine, Layers, Region, Step};
use crate::grid::Cube;
use crate::plan::{Face, FaceKind};
use crate::{Grid, Plan, Real, Result, fd};

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// Grid points of a step, layers included.
    pub points: usize,
    /// Time steps.
    pub steps: usize,
    /// Seconds for all steps; the best of the repetitions.
    pub seconds: f64,
}

impl Speed {
    /// Grid points per second.
    pub fn points_per_s(&self) -> f64 {
        self.points as f64 * self.steps as f64 / self.seconds
    }
}

/// What the top of the cube is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Top {
    /// As the other faces.
    Alike,
    /// Without layers: the field is 0 beyond it.
    Wall,
    /// A free surface.
    Free,
}

/// Times `steps` steps in a homogeneous cube of `n` points on each side, with absorbing layers of
/// `layers` points (0: the bare update), the best of `repeats`.
///
/// # Errors
/// The back end refuses the plan.
pub fn measure<T: Real>(
    backend: &dyn Backend<T>,
    n: usize,
    order: usize,
    layers: usize,
    top: Top,
    steps: usize,
    repeats: usize,
) -> Result<Speed> {
    let grid = Grid::uniform([n; 3], 10.0);
    let dt_s = 0.9 * fd::dt_max_s(order, 10.0, 2000.0);
    let mut plan = Plan {
        layers,
        faces: [FaceKind::absorbing_if(layers > 0); 6],
        ..Plan::new(grid, order, dt_s, 10, 15.0)
    };
    match top {
        Top::Alike => {}
        Top::Free if layers > 0 => plan.faces[Face::Top as usize] = FaceKind::FreeSurface,
        Top::Free | Top::Wall => plan.faces[Face::Top as usize] = FaceKind::Reflecting,
    }
    let velocity = Cube::constant(grid, 2000.0f32);
    let mut engine = backend.engine(&plan, &velocity)?;
    let levels = [engine.new_field()?, engine.new_field()?];
    let state = if layers > 0 { Some(engine.new_layers()?) } else { None };
    let run = |engine: &mut dyn Engine<T>, steps: usize, layers: Option<Layers>| -> Result<f64> {
        let start = Instant::now();
        for k in 0..steps {
            let (cur, next) = (levels[k % 2], levels[(k + 1) % 2]);
            engine.step(Step {
                prev: next,
                cur,
                next,
                boundary: layers.into(),
                region: Region::All,
            })?;
        }
        engine.wait()?;
        Ok(start.elapsed().as_secs_f64())
    };
    run(engine.as_mut(), 2, state)?;
    let mut seconds = f64::INFINITY;
    for _ in 0..repeats.max(1) {
        seconds = seconds.min(run(engine.as_mut(), steps, state)?);
    }
    Ok(Speed { points: grid.len(), steps, seconds })
}
