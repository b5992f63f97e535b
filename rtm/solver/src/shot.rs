//! One shot in grid points: sources, receivers, their traces; and what its migration returns.

use rayon::prelude::*;

use crate::grid::{Cube, Point, Velocity};
use crate::{Error, Grid, Real, Result};

/// Time series at grid points: a source's wavelet, or recorded traces.
#[derive(Debug, Clone, PartialEq)]
pub struct Traces<T> {
    /// Samples per trace.
    pub nt: usize,
    /// Time between samples, seconds; that of the propagation.
    pub dt_s: f64,
    /// Where each trace is injected or recorded.
    pub points: Vec<Point>,
    /// `nt * points.len()` samples, trace by trace: `samples[trace * nt + k]` is that of time
    /// `k * dt_s`.
    pub samples: Vec<T>,
}

impl<T: Real> Traces<T> {
    /// Traces of zeros, to be recorded.
    pub fn zeros(nt: usize, dt_s: f64, points: Vec<Point>) -> Traces<T> {
        let samples = vec![T::ZERO; nt * points.len()];
        Traces { nt, dt_s, points, samples }
    }

    /// The same wavelet at one point.
    pub fn source(dt_s: f64, point: Point, wavelet: Vec<T>) -> Traces<T> {
        Traces { nt: wavelet.len(), dt_s, points: vec![point], samples: wavelet }
    }

    /// One trace.
    pub fn trace(&self, index: usize) -> &[T] {
        &self.samples[index * self.nt..(index + 1) * self.nt]
    }

    /// One trace, to be changed.
    pub fn trace_mut(&mut self, index: usize) -> &mut [T] {
        &mut self.samples[index * self.nt..(index + 1) * self.nt]
    }

    /// Checks that each point lies in `grid` and that the numbers agree; `what` names the traces in
    /// the message.
    pub fn check(&self, what: &str, grid: &Grid, nt: usize) -> Result<()> {
        if let Some((i, p)) = self.points.iter().enumerate().find(|(_, p)| !grid.contains(**p)) {
            return Err(Error::input(format!(
                "{what} {i} lies at point {p:?}, outside of the model's {:?} points: move it, or \
                 extend the model",
                grid.n
            )));
        }
        if self.samples.len() != self.nt * self.points.len() {
            return Err(Error::input(format!(
                "{what}: {} samples for {} traces of {} samples",
                self.samples.len(),
                self.points.len(),
                self.nt
            )));
        }
        if self.nt != nt {
            return Err(Error::input(format!(
                "{what}: traces of {} samples, but the plan has {nt} time levels: resample the \
                 traces to the plan's dt",
                self.nt
            )));
        }
        // All samples of a part, so that no branch stands between one and the next.
        let finite = |part: &[T]| part.iter().fold(true, |all, v| all & v.f64().is_finite());
        if self.samples.par_chunks(1 << 16).all(finite) {
            return Ok(());
        }
        match self.samples.iter().position(|v| !v.f64().is_finite()) {
            Some(i) => Err(Error::refused(
                what,
                format!("sample {} of trace {} is {}", i % self.nt, i / self.nt, self.samples[i]),
                "clean the data: a sample is broken, or too large for its derivative",
            )),
            None => Ok(()),
        }
    }

    /// Makes physical sources of them: each sample s becomes `v^2 dt^2 / (dx dy dz) s`, v being the
    /// model's velocity at the trace's point, the term of a step of `p_tt = v^2 (lap p + s delta)`.
    /// In a homogeneous model the field is then `s(t - r/v) / (4 pi r)`, whatever the step and the
    /// grid: with s in Pa m, p is in Pa (spec 2.3). `velocity` must have the traces' points.
    pub fn scale_to_sources(&mut self, velocity: &Velocity) {
        let cell_m3: f64 = velocity.grid.d_m.iter().product();
        for (samples, point) in self.samples.chunks_exact_mut(self.nt.max(1)).zip(&self.points) {
            let scale = (f64::from(velocity.at(*point)) * self.dt_s).powi(2) / cell_m3;
            samples.iter_mut().for_each(|s| *s = T::of(s.f64() * scale));
        }
    }

    /// The samples in another precision.
    pub fn convert<U: Real>(&self) -> Traces<U> {
        Traces {
            nt: self.nt,
            dt_s: self.dt_s,
            points: self.points.clone(),
            samples: self.samples.iter().map(|v| U::of(v.f64())).collect(),
        }
    }
}

/// One shot: the source's wavelet and the recorded traces, on the points of the shot's (sub-)model,
/// boundary layers included.
#[derive(Debug, Clone, PartialEq)]
pub struct Shot<T> {
    /// The source (or several that fire together), `nt` samples.
    pub source: Traces<T>,
    /// The receivers' traces, `nt` samples.
    pub receivers: Traces<T>,
}

/// What the migration of one shot returns: the sums over time from which every imaging condition is
/// made. All cubes cover the interior of the shot's grid (without the boundary layers).
#[derive(Debug, Clone, PartialEq)]
pub struct ShotImage<T> {
    /// `sum_t p_s p_r`.
    pub correlation: Cube<T>,
    /// `sum_t p_s^2`, if the imaging condition or the plan wants it.
    pub source_energy: Option<Cube<T>>,
    /// `sum_t p_r^2`, likewise.
    pub receiver_energy: Option<Cube<T>>,
    /// How often each part of the work was done.
    pub counts: Counts,
    /// Memory that the run had allocated at most for volumes, boundary layers, traces and
    /// checkpoints.
    pub bytes: usize,
}

impl<T: Real> ShotImage<T> {
    /// Integrals over time from the sums: all of them times `dt_s`, the time between two summands.
    /// They do not depend on the step.
    pub fn integrated(mut self, dt_s: f64) -> ShotImage<T> {
        let energies = [self.source_energy.as_mut(), self.receiver_energy.as_mut()];
        for cube in [Some(&mut self.correlation)].into_iter().chain(energies).flatten() {
            cube.values.iter_mut().for_each(|v| *v = T::of(v.f64() * dt_s));
        }
        self
    }
}

/// Calls of each kernel, counted as the thesis counts them (spec 3.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Time steps: evaluations of the stencil over a volume.
    pub stencil: usize,
    /// Steps of the boundary layers, for each face: left, right, back, front, top, bottom.
    pub cpml: [usize; 6],
    /// Accumulations of the imaging condition.
    pub imaging: usize,
    /// Additions of a source's or the receivers' samples to a field.
    pub injections: usize,
    /// Checkpoints written and restored.
    pub checkpoints: [usize; 2],
    /// Boundary shells saved and loaded.
    pub shells: [usize; 2],
    /// Redraws of random velocities.
    pub redraws: usize,
}

impl Counts {
    /// Adds the calls of another run.
    pub fn add(&mut self, other: &Counts) {
        self.stencil += other.stencil;
        self.imaging += other.imaging;
        self.injections += other.injections;
        self.redraws += other.redraws;
        let pairs = self.cpml.iter_mut().zip(other.cpml);
        let pairs = pairs.chain(self.checkpoints.iter_mut().zip(other.checkpoints));
        pairs.chain(self.shells.iter_mut().zip(other.shells)).for_each(|(sum, n)| *sum += n);
    }
}
