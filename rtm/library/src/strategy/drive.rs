//! What all strategies share: an engine whose calls are counted and watched, and the receivers' way
//! back.

use super::observer::{Movie, Observer};
use crate::engine::{Boundary, Engine, Field, Layers, Points, Region, Step};
use crate::plan::Face;
use crate::shot::Counts;
use crate::{Error, Plan, Real, Result};

/// An engine at work on a plan.
pub(super) struct Drive<'a, T: Real> {
    pub engine: &'a mut dyn Engine<T>,
    pub plan: &'a Plan,
    pub counts: Counts,
    observer: &'a mut dyn Observer<T>,
    steps: usize,
}

/// Levels between two looks for a field that has become infinite.
const LOOK_EACH: usize = 256;

impl<'a, T: Real> Drive<'a, T> {
    pub fn new(
        engine: &'a mut dyn Engine<T>,
        plan: &'a Plan,
        observer: &'a mut dyn Observer<T>,
        steps: usize,
    ) -> Self {
        Drive { engine, plan, counts: Counts::default(), observer, steps }
    }

    /// One step over all points.
    pub fn step(&mut self, prev: Field, cur: Field, next: Field, boundary: Boundary) -> Result<()> {
        self.any_step(Step { prev, cur, next, boundary, region: Region::All })
    }

    /// One step.
    pub fn any_step(&mut self, step: Step) -> Result<()> {
        self.engine.step(step)?;
        self.count(step)?;
        if self.counts.stencil.is_multiple_of(LOOK_EACH) {
            self.check_finite(step.next)?;
        }
        Ok(())
    }

    fn count(&mut self, step: Step) -> Result<()> {
        self.counts.stencil += 1;
        if step.boundary.layers().is_some() {
            for (count, face) in self.counts.cpml.iter_mut().zip(Face::ALL) {
                *count += usize::from(self.plan.absorbs(face));
            }
        }
        if self.observer.progress(self.counts.stencil, self.steps) {
            Ok(())
        } else {
            Err(Error::Stopped)
        }
    }

    pub fn inject(&mut self, field: Field, points: Points, k: usize) -> Result<()> {
        self.counts.injections += 1;
        self.engine.inject(field, points, k)
    }

    /// An error if the field has become infinite or not a number.
    pub fn check_finite(&mut self, field: Field) -> Result<()> {
        if self.engine.energy(field)?.is_finite() {
            return Ok(());
        }
        Err(Error::Diverged(format!(
            "the wavefield grew beyond all bounds before step {}: reduce dt; with random \
             boundaries take a larger ks_rand or rand_mode=3",
            self.counts.stencil
        )))
    }

    pub fn show(&mut self, movie: Movie, k: usize, field: Field) -> Result<()> {
        if self.observer.wants(movie, k) {
            let cube = self.engine.read(field)?;
            self.observer.show(movie, k, &cube)?;
        }
        Ok(())
    }

    /// The receivers' field at the last level: nothing but the last samples.
    /// `layers` are those of the source's field, if it needs them no more.
    pub fn receivers(&mut self, points: Points, layers: Option<Layers>) -> Result<Receivers> {
        let levels = self.turns(&[])?;
        let layers = match layers {
            Some(layers) => {
                self.engine.clear_layers(layers)?;
                layers
            }
            None => self.engine.new_layers()?,
        };
        let last = self.plan.nt - 1;
        Ok(Receivers { points, levels, layers, next: last })
    }

    /// The levels of a field that goes back in time: these, which it had on its way forward, then
    /// new ones.
    pub fn turns(&mut self, first: &[Field]) -> Result<Turns> {
        let mut levels = first.to_vec();
        while levels.len() < self.engine.turns() {
            levels.push(self.engine.new_field()?);
        }
        Ok(Turns { levels, last: self.plan.nt - 1 })
    }
}

/// Levels of a field that goes back in time.
pub(super) struct Turns {
    /// In the order in which their turns come.
    levels: Vec<Field>,
    /// The time of the first one.
    last: usize,
}

impl Turns {
    /// The level of time `itr`.
    pub fn at(&self, itr: usize) -> Field {
        self.levels[(self.last - itr) % self.levels.len()]
    }

    /// The step that makes the level of time `itr` from both after it; beyond the last time there
    /// is nothing but zeros.
    pub fn step(&self, itr: usize, boundary: Boundary, region: Region) -> Step {
        let turns = self.levels.len();
        let prev = self.levels[(self.last - itr + turns - 2) % turns];
        Step { prev, cur: self.at(itr + 1), next: self.at(itr), boundary, region }
    }
}

/// The receivers' field on its way back in time.
pub(super) struct Receivers {
    points: Points,
    levels: Turns,
    layers: Layers,
    /// The level that comes next.
    next: usize,
}

impl Receivers {
    /// Goes to level `itr`, the one before the last asked for, and adds the image with `source` if
    /// its turn has come. A source of `None` leaves the image out.
    pub fn advance<T: Real>(
        &mut self,
        d: &mut Drive<'_, T>,
        itr: usize,
        source: Option<Field>,
    ) -> Result<()> {
        assert_eq!(itr, self.next);
        self.next = itr.wrapping_sub(1);
        let next = self.levels.at(itr);
        let source = source.filter(|_| itr.is_multiple_of(d.plan.ks));
        d.counts.imaging += usize::from(source.is_some());
        d.counts.injections += 1;
        if itr == d.plan.nt - 1 {
            d.engine.inject(next, self.points, itr)?;
            if let Some(source) = source {
                d.engine.image(source, next)?;
            }
        } else {
            let step = self.levels.step(itr, Boundary::Cpml(self.layers), Region::All);
            d.engine.step_inject_image(step, self.points, itr, source)?;
            d.count(step)?;
        }
        d.show(Movie::Receivers, itr, next)
    }
}
