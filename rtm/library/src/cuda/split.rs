//! One shot over several GPUs of a host: the grid is cut along x, the slowest axis, so that what
//! neighbours exchange after each step, half a stencil of planes, lies in one piece of memory on
//! each side.

use std::ops::Range;

use cust::memory::{AsyncCopyDestination, DeviceBuffer, DeviceCopy};

use super::device::Marker;
use super::engine::CudaEngine;
use super::layout::LevelLayout;
use super::{Cuda, Options};
use crate::engine::{Engine, Field, Layers, Points, Region, Step};
use crate::grid::{Cube, Point, Velocity};
use crate::plan::{Face, FaceKind, Strategy};
use crate::{Error, Plan, Real, Result, Traces};

/// A part of the grid on a device.
struct Part<'a, T: Real + DeviceCopy> {
    engine: CudaEngine<'a, T>,
    cuda: &'a Cuda,
    layout: LevelLayout,
    levels: [Field; 2],
    layers: Layers,
    source: Option<Points>,
    /// Where the latest level is whole but for the planes of the neighbours.
    stepped: Marker,
}

/// A wavefield that propagates on several devices.
pub struct Split<'a, T: Real + DeviceCopy> {
    parts: Vec<Part<'a, T>>,
    plan: Plan,
    steps: usize,
}

/// Planes of x that take as long as one absorbing layer of an x face, whose points are moved once
/// more with psi and zeta.
const PLANES_OF_A_LAYER: usize = 2;

/// Where a grid of `n` planes is cut for `parts` devices: the first plane of each part, and the
/// end. The outermost parts have the x faces with their `layers`, and fewer planes for it, unless
/// they became thinner than `least`.
fn cuts(n: usize, parts: usize, layers: usize, least: usize) -> Vec<usize> {
    let cut = |extra: usize| -> Vec<usize> {
        let at = |i: usize| (i * (n + 2 * extra) / parts).saturating_sub(extra).min(n);
        (0..=parts).map(|i| if i == parts { n } else { at(i) }).collect()
    };
    let balanced = cut(if parts > 1 { PLANES_OF_A_LAYER * layers } else { 0 });
    let thin = balanced.windows(2).any(|ends| ends[1] < ends[0] + least);
    if thin { cut(0) } else { balanced }
}

impl<'a, T: Real + DeviceCopy> Split<'a, T> {
    /// A shot at rest, its grid cut for as many devices as are given.
    ///
    /// # Errors
    /// A part would be thinner than the layers and half a stencil; a device refuses.
    pub fn new(
        devices: &'a [Cuda],
        plan: &Plan,
        velocity: &Velocity,
        source: &Traces<T>,
    ) -> Result<Split<'a, T>> {
        source.check("source", &plan.grid, plan.nt)?;
        let v_max = crate::engine::check(plan, velocity)?;
        let least = (2 * plan.layers + 1).max(plan.order / 2);
        let at = cuts(plan.grid.n[0], devices.len().max(1), plan.layers, least);
        let mut parts = Vec::new();
        for (i, cuda) in devices.iter().enumerate() {
            let (first, n) = (at[i], at[i + 1] - at[i]);
            if n < least {
                return Err(Error::input(format!(
                    "{} planes along x are too few for {} devices: each needs more than {}",
                    plan.grid.n[0],
                    devices.len(),
                    2 * plan.layers
                )));
            }
            let [_, ny, nz] = plan.grid.n;
            let model = velocity.part([first, 0, 0], [n, ny, nz]);
            let mut own = Plan { grid: model.grid, strategy: Strategy::StoreAll, ..plan.clone() };
            if i > 0 {
                own.faces[Face::Left as usize] = FaceKind::Reflecting;
            }
            if i + 1 < devices.len() {
                own.faces[Face::Right as usize] = FaceKind::Reflecting;
            }
            // A second stream would find nothing to do.
            let options = Options { overlap: false, ..*cuda.options() };
            let mut engine =
                CudaEngine::<T>::with_v_max(cuda.device(), options, &own, &model, v_max)?;
            let levels = [engine.new_field()?, engine.new_field()?];
            let layers = engine.new_layers()?;
            let source = part_of(source, first, n).map(|s| engine.new_points(&s)).transpose()?;
            let layout = LevelLayout::new(own.grid.n, plan.order, plan.layers);
            let stepped = Marker::new()?;
            parts.push(Part { engine, cuda, layout, levels, layers, source, stepped });
        }
        if parts.is_empty() {
            return Err(Error::input("there is no device"));
        }
        for i in 1..parts.len() {
            parts[i - 1].cuda.device().allow_peer(parts[i].cuda.device())?;
            parts[i].cuda.device().allow_peer(parts[i - 1].cuda.device())?;
        }
        Ok(Split { parts, plan: plan.clone(), steps: 0 })
    }

    /// One step of all parts: stencil and layers, the source's sample, then the exchange.
    ///
    /// # Errors
    /// A device refuses.
    pub fn step(&mut self) -> Result<()> {
        let k = self.steps;
        for part in &mut self.parts {
            part.cuda.device().make_current()?;
            let (cur, next) = (part.levels[k % 2], part.levels[(k + 1) % 2]);
            let boundary = Some(part.layers).filter(|_| self.plan.layers > 0).into();
            part.engine.step(Step { prev: next, cur, next, boundary, region: Region::All })?;
            if let Some(source) = part.source.filter(|_| k < self.plan.nt) {
                part.engine.inject(next, source, k)?;
            }
            part.stepped.set(part.cuda.device().lab().stream())?;
        }
        self.steps += 1;
        self.exchange()
    }

    /// Gives each part its neighbours' outermost planes of the new level. The host waits for
    /// nothing: a part's stream waits until its neighbours have made the level, then fetches.
    /// Nobody overwrites planes that a neighbour still fetches: before the step after the next, its
    /// own fetch of the next level waits for that neighbour.
    fn exchange(&mut self) -> Result<()> {
        let level = self.steps % 2;
        for i in 0..self.parts.len() {
            let to = &self.parts[i];
            to.cuda.device().make_current()?;
            let (before_first, _) = to.layout.planes_at_start();
            let (_, behind_last) = to.layout.planes_at_end();
            if let Some(left) = i.checked_sub(1).map(|i| &self.parts[i]) {
                to.fetch(left, left.layout.planes_at_end().0, before_first, level)?;
            }
            if let Some(right) = self.parts.get(i + 1) {
                to.fetch(right, right.layout.planes_at_start().1, behind_last, level)?;
            }
        }
        Ok(())
    }

    /// The latest level of the whole grid.
    ///
    /// # Errors
    /// A device refuses.
    pub fn read(&mut self) -> Result<Cube<T>> {
        let mut values = Vec::with_capacity(self.plan.grid.len());
        let level = self.steps % 2;
        for part in &mut self.parts {
            part.cuda.device().make_current()?;
            values.extend(part.engine.read(part.levels[level])?.values);
        }
        Cube::from_values(self.plan.grid, values)
    }

    /// Waits for all devices.
    ///
    /// # Errors
    /// A kernel failed.
    pub fn wait(&self) -> Result<()> {
        self.parts.iter().try_for_each(|part| {
            part.cuda.device().make_current()?;
            part.cuda.device().synchronize()
        })
    }
}

impl<T: Real + DeviceCopy> Part<'_, T> {
    /// Copies a neighbour's planes of a level into this part's, on this part's stream, behind the
    /// neighbour's step.
    fn fetch(
        &self,
        from: &Part<'_, T>,
        planes: Range<usize>,
        to: Range<usize>,
        level: usize,
    ) -> Result<()> {
        let stream = self.cuda.device().lab().stream();
        from.stepped.hold(stream)?;
        let source: &DeviceBuffer<T> = from.engine.level(from.levels[level]);
        // A view of the device's memory, not of ours: writing through it needs no unique borrow.
        let mut target = self.engine.level(self.levels[level]).index(to);
        // SAFETY: both arrays live as long as their engines, which wait for their streams before
        // they free memory.
        unsafe { target.async_copy_from(&source.index(planes), stream)? };
        Ok(())
    }
}

/// The traces whose points lie in planes `first .. first + n`, in that part's coordinates.
fn part_of<T: Real>(traces: &Traces<T>, first: usize, n: usize) -> Option<Traces<T>> {
    let inside = |p: &Point| (first..first + n).contains(&p[0]);
    let kept: Vec<usize> =
        (0..traces.points.len()).filter(|i| inside(&traces.points[*i])).collect();
    (!kept.is_empty()).then(|| Traces {
        points: kept.iter().map(|i| traces.points[*i]).map(|[x, y, z]| [x - first, y, z]).collect(),
        samples: kept.iter().flat_map(|i| traces.trace(*i)).copied().collect(),
        ..*traces
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_grid() {
        assert_eq!(cuts(10, 3, 0, 1), [0, 3, 6, 10]);
        assert_eq!(cuts(768, 2, 16, 33), [0, 384, 768]);
        assert_eq!(cuts(768, 4, 16, 33), [0, 176, 384, 592, 768]);
        // Too few planes for a balance.
        assert_eq!(cuts(25, 3, 3, 7), [0, 8, 16, 25]);
    }
}
