//! Strategy 2's error: the source's field as the saved shell gives it back, against the field
//! itself.

use super::problem::Problem;
use crate::engine::{Backend, Boundary, Region, Step};
use crate::grid::Cube;
use crate::{Grid, Plan, Real, Result, metrics};

/// A homogeneous cube for this study.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Interior points along each axis.
    pub interior: usize,
    /// Absorbing layers.
    pub layers: usize,
    /// Order of the differences.
    pub order: usize,
    /// Time levels.
    pub nt: usize,
    /// The source in the middle of the interior's top face instead of its centre.
    pub at_surface: bool,
}

impl Setting {
    /// The small case of spec 7.7.
    pub const SMALL: Setting =
        Setting { interior: 64, layers: 8, order: 8, nt: 801, at_surface: false };
    /// Example C of the thesis.
    pub const EXAMPLE_C: Setting =
        Setting { interior: 100, layers: 2, order: 8, nt: 1334, at_surface: false };

    /// Relative L2 error of the interior at each of `levels`, in falling order.
    pub fn errors<T: Real>(&self, backend: &dyn Backend<T>, levels: &[usize]) -> Result<Vec<f64>> {
        let mut errors = Vec::new();
        self.compare(backend, levels, |_, truth, found| {
            errors.push(metrics::relative_l2(&found.values, &truth.values));
        })?;
        Ok(errors)
    }

    /// Shows the interior at each of `levels`, in falling order: the level, the field as it was
    /// propagated, and as the shell gave it back.
    pub fn compare<T: Real>(
        &self,
        backend: &dyn Backend<T>,
        levels: &[usize],
        mut show: impl FnMut(usize, &Cube<T>, &Cube<T>),
    ) -> Result<()> {
        let grid = Grid::uniform([self.interior + 2 * self.layers; 3], 10.0);
        let mut plan = Plan::new(grid, self.order, 0.0009, self.nt, 15.0);
        plan.layers = self.layers;
        let mut problem = Problem::constant(plan, 1500.0, &[]);
        if self.at_surface {
            problem.source[2] = self.layers;
        }
        let (nt, layers) = (self.nt, self.layers);
        let mut engine = backend.engine(&problem.plan, &problem.velocity)?;
        let fields = [engine.new_field()?, engine.new_field()?];
        let state = engine.new_layers()?;
        let shells = engine.new_shells(nt)?;
        let source = engine.new_points(&problem.wavelet())?;
        let interior = |field: Cube<T>| field.part([layers; 3], [self.interior; 3]);
        let mut truth = std::collections::HashMap::new();
        let step = |prev, cur, region, boundary| Step { prev, cur, next: prev, boundary, region };
        for its in 0..nt - 1 {
            let (cur, next) = (fields[its % 2], fields[(its + 1) % 2]);
            engine.step(step(next, cur, Region::All, Boundary::Cpml(state)))?;
            engine.inject(next, source, its)?;
            engine.save_shell(next, shells, its + 1)?;
            if levels.contains(&(its + 1)) {
                truth.insert(its + 1, interior(engine.read(next)?));
            }
        }
        for itr in (0..nt - 2).rev() {
            let (p, cur) = (fields[itr % 2], fields[(itr + 1) % 2]);
            engine.step(step(p, cur, Region::Deep, Boundary::Reflecting))?;
            engine.inject(p, source, itr + 1)?;
            engine.load_shell(p, shells, itr)?;
            if let Some(truth) = truth.get(&itr) {
                show(itr, truth, &interior(engine.read(p)?));
            }
        }
        Ok(())
    }
}
