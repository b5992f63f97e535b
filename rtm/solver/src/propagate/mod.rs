//! The native CPU back end: rayon over tiles, vectors along z.

pub mod cpml;
mod lanes;
pub mod medium;
pub mod shell;
mod stencil;
mod tile;

use std::ops::Range;

use rayon::prelude::*;

use crate::engine::{
    self, Backend, Boundary, Engine, Field, Layers, Points, Region, Shells, Step, Sums,
};
use crate::grid::{Cube, Velocity};
use crate::plan::{Face, Plan, Strategy};
use crate::{Error, Real, Result, Traces, Volume, metrics};
use cpml::{Profile, States, Window};
use medium::{MediumRows, Model, RandomLayers};
use shell::Shell;
use stencil::{Ahead, Weights};
pub use stencil::{fetch_ahead, fetch_line};
use tile::{AHEAD_BYTES, Injection, Shared, Task, Tile};

/// The CPU.
#[derive(Default)]
pub struct Cpu {
    pool: Option<rayon::ThreadPool>,
    tile: Option<[usize; 2]>,
}

impl Cpu {
    /// All cores (rayon's global pool).
    pub fn new() -> Cpu {
        Cpu::default()
    }

    /// As many threads as given.
    ///
    /// # Errors
    /// If the operating system refuses them.
    pub fn with_threads(threads: usize) -> Result<Cpu> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|e| Error::Device(format!("cannot start {threads} threads: {e}")))?;
        Ok(Cpu { pool: Some(pool), tile: None })
    }

    /// Tiles of about this many points along x and y instead of the automatic choice. No result
    /// depends on it.
    pub fn with_tile(self, x: usize, y: usize) -> Cpu {
        Cpu { tile: Some([x, y]), ..self }
    }

    /// Threads at work.
    pub fn threads(&self) -> usize {
        self.pool.as_ref().map_or_else(rayon::current_num_threads, |p| p.current_num_threads())
    }

    fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Tiles whose planes stay in a core's cache while the march goes along x, and at least two per
    /// thread.
    fn tiles<T: Real>(&self, plan: &Plan) -> Vec<Tile> {
        const CACHE_BYTES: usize = 640 << 10;
        let [nx, ny, nz] = plan.grid.n;
        let [x, y] = self.tile.unwrap_or_else(|| {
            let planes = plan.order + 3;
            let rows = CACHE_BYTES / (planes * nz * T::BYTES).max(1);
            let rows = rows.saturating_sub(plan.order).clamp(8, 64);
            [nx, rows.min(ny.div_ceil(2 * self.threads())).max(1)]
        });
        let ys = tile::cut(ny, plan.layers, y);
        // Where y alone does not give each thread a tile, x is cut, too.
        let parts = if self.tile.is_some() { 1 } else { self.threads().div_ceil(ys.len()) };
        let xs = tile::cut(nx, plan.layers, x.div_ceil(parts).max(2 * plan.order));
        xs.iter().flat_map(|x| ys.iter().map(|y| Tile { x: x.clone(), y: y.clone() })).collect()
    }
}

/// For each type by itself, so that the loops are compiled with this crate and not with every
/// program that uses it.
macro_rules! backend {
    ($T:ty) => {
        impl Backend<$T> for Cpu {
            fn name(&self) -> String {
                format!("cpu ({} threads, {})", self.threads(), <$T as Real>::NAME)
            }

            fn engine<'a>(
                &'a self,
                plan: &Plan,
                velocity: &Velocity,
            ) -> Result<Box<dyn Engine<$T> + 'a>> {
                Ok(Box::new(CpuEngine::<$T>::new(self, plan, velocity)?))
            }
        }
    };
}

backend!(f32);
backend!(f64);

/// A shot on the CPU.
struct CpuEngine<'a, T> {
    cpu: &'a Cpu,
    plan: Plan,
    tiles: Vec<Tile>,
    model: Model<T>,
    random: Option<RandomLayers<T>>,
    profiles: [Profile<T>; 6],
    windows: [Window<T>; 2],
    fields: Vec<Volume<T>>,
    layers: Vec<States<T>>,
    points: Vec<PointSet<T>>,
    shells: Vec<Vec<T>>,
    shell: Option<Shell>,
    sums: Sums<T>,
    #[cfg(test)]
    registers: tile::Registers,
}

/// What a step does beside the step.
#[derive(Default)]
struct Fused {
    points: Option<(Points, usize)>,
    source: Option<Field>,
}

/// Traces, sample after sample, sorted by row: `samples[k * points + i]` is that of trace
/// `order[i]`.
struct PointSet<T> {
    /// Without samples.
    traces: Traces<T>,
    samples: Vec<T>,
    order: Vec<usize>,
    first: Vec<u32>,
    iz: Vec<u32>,
}

impl<T: Real> PointSet<T> {
    fn new(traces: &Traces<T>, [nx, ny, _]: [usize; 3]) -> Self {
        let row = |trace: &usize| traces.points[*trace][0] * ny + traces.points[*trace][1];
        let n = traces.points.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(row);
        let mut first = vec![0u32; nx * ny + 1];
        order.iter().for_each(|trace| first[row(trace) + 1] += 1);
        for i in 0..nx * ny {
            first[i + 1] += first[i];
        }
        let mut samples = vec![T::ZERO; n * traces.nt];
        for (i, trace) in order.iter().enumerate() {
            for (k, sample) in traces.trace(*trace).iter().enumerate() {
                samples[k * n + i] = *sample;
            }
        }
        let iz = order.iter().map(|trace| traces.points[*trace][2] as u32).collect();
        let traces = Traces { samples: Vec::new(), points: traces.points.clone(), ..*traces };
        PointSet { traces, samples, order, first, iz }
    }

    /// Time k.
    fn injection(&self, k: usize) -> Injection<'_, T> {
        let n = self.order.len();
        let samples = &self.samples[k * n..(k + 1) * n];
        Injection { first: &self.first, iz: &self.iz, samples }
    }
}

impl<'a, T: Real> CpuEngine<'a, T> {
    fn new(cpu: &'a Cpu, plan: &Plan, velocity: &Velocity) -> Result<Self> {
        let v_max = engine::check(plan, velocity)?;
        let interior = plan.interior()?;
        let random = match plan.strategy {
            Strategy::RandomBoundaries(boundary) => Some(RandomLayers::new(plan, boundary)),
            _ => None,
        };
        let half = plan.order / 2;
        let shell = interior.n.iter().all(|&n| n > 2 * half).then(|| Shell::new(interior.n, half));
        let sum = |wanted: bool| wanted.then(|| Cube::constant(interior, T::ZERO));
        let mut engine = CpuEngine {
            cpu,
            tiles: cpu.tiles::<T>(plan),
            model: Model::new(velocity, plan.dt_s),
            random,
            windows: [Face::Top, Face::Bottom].map(|face| {
                Window::new(&cpml::profile(plan, face, v_max), face.is_max(), plan.grid.n[2])
            }),
            profiles: Face::ALL.map(|face| cpml::profile(plan, face, v_max)),
            fields: Vec::new(),
            layers: Vec::new(),
            points: Vec::new(),
            shells: Vec::new(),
            shell,
            sums: Sums {
                correlation: Cube::constant(interior, T::ZERO),
                source_energy: sum(plan.illumination || plan.condition.needs_source_energy()),
                receiver_energy: sum(plan.illumination || plan.condition.needs_receiver_energy()),
            },
            plan: plan.clone(),
            #[cfg(test)]
            registers: tile::Registers::default(),
        };
        if engine.random.is_some() {
            engine.randomise(0)?;
        }
        Ok(engine)
    }

    fn any_step(&mut self, step: Step, fused: Fused) -> Result<()> {
        step.check()?;
        if fused.source == Some(step.next) {
            return Err(Error::Device("a step cannot overwrite the level it images".into()));
        }
        let mut next = std::mem::take(&mut self.fields[step.next.0]);
        let mut layers = step.boundary.layers().map(|l| std::mem::take(&mut self.layers[l.0]));
        let [nx, ny, nz] = self.plan.grid.n;
        let inset = match step.region {
            Region::All => 0,
            Region::Deep => self.plan.layers + self.plan.order / 2,
        };
        let shared = Shared {
            cur: &self.fields[step.cur.0],
            prev: (step.prev != step.next).then(|| &self.fields[step.prev.0]),
            medium: MediumRows {
                model: &self.model,
                random: match step.boundary {
                    Boundary::Random => self.random.as_ref(),
                    Boundary::Cpml(_) | Boundary::Reflecting => None,
                },
            },
            profiles: &self.profiles,
            windows: &self.windows,
            weights: &Weights::new(self.plan.order, self.plan.spacings_m()),
            layers: self.plan.layers,
            insets: self.plan.insets(),
            free_surface: self.plan.has_free_surface() && step.region == Region::All,
            rows_ahead: AHEAD_BYTES / (self.fields[step.cur.0].stride() * T::BYTES),
            region: [nx, ny].map(|n| inset..n.saturating_sub(inset).max(inset)),
            injection: fused.points.map(|(points, k)| self.points[points.0].injection(k)),
            source: fused.source.map(|field| &self.fields[field.0]),
            #[cfg(test)]
            registers: self.registers,
        };
        let mut states = layers.as_mut().map(|states| states.tiles().into_iter());
        // Hands each tile its rows of the new level and of the image.
        let (stride, insets) = (next.stride(), self.plan.insets());
        let (first, between) = (next.row_range(0, 0).start, next.plane() - ny * stride);
        let rows = &mut next.elements_mut()[first..];
        let mut levels = tile::deal(&self.tiles, rows, stride, between, [0..nx, 0..ny]).into_iter();
        let inner = [insets[0]..nx - insets[0], insets[1]..ny - insets[1]];
        let sums = &mut self.sums;
        let mut sums = [
            Some(&mut sums.correlation),
            sums.source_energy.as_mut(),
            sums.receiver_energy.as_mut(),
        ]
        .map(|cube| {
            let values = cube.filter(|_| fused.source.is_some())?.values.as_mut_slice();
            Some(tile::deal(&self.tiles, values, nz - 2 * insets[2], 0, inner.clone()).into_iter())
        });
        let mut tasks: Vec<Task<'_, T>> = self
            .tiles
            .iter()
            .map(|tile| Task {
                tile,
                next: levels.next().unwrap_or_default(),
                sums: sums.each_mut().map(|s| s.as_mut().and_then(Iterator::next)),
                state: states.as_mut().and_then(Iterator::next),
            })
            .collect();
        self.cpu.install(|| {
            tasks.par_iter_mut().with_max_len(1).for_each(|task| tile::run(&shared, task));
        });
        drop(tasks);
        self.fields[step.next.0] = next;
        if let (Some(handle), Some(states)) = (step.boundary.layers(), layers) {
            self.layers[handle.0] = states;
        }
        Ok(())
    }

    /// The shell that boundary saving keeps, and how far from the grid's faces it starts.
    fn shell_rows(&self) -> Result<(Shell, usize)> {
        let shell = self.shell.ok_or_else(|| engine::no_shell(&self.plan))?;
        Ok((shell, self.plan.layers))
    }
}

/// The parts of an interior row that belong to the shell.
fn shell_parts(shell: &Shell, whole: bool) -> [Range<usize>; 2] {
    let (nz, t) = (shell.n()[2], shell.thickness());
    if whole { [0..nz, nz..nz] } else { [0..t, nz - t..nz] }
}

/// Cuts `values` into the given lengths.
fn split<T>(mut values: &mut [T], lengths: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    lengths
        .map(|n| {
            let (part, rest) = std::mem::take(&mut values).split_at_mut(n);
            values = rest;
            part
        })
        .collect()
}

impl<T: Real> Engine<T> for CpuEngine<'_, T> {
    fn new_field(&mut self) -> Result<Field> {
        self.fields.push(Volume::zeros(self.plan.grid.n, self.plan.order / 2));
        Ok(Field(self.fields.len() - 1))
    }

    fn new_layers(&mut self) -> Result<Layers> {
        let words = self.tiles.iter().map(|tile| tile.face_words::<T>(&self.plan)).collect();
        self.layers.push(States::new(words));
        Ok(Layers(self.layers.len() - 1))
    }

    fn new_points(&mut self, traces: &Traces<T>) -> Result<Points> {
        traces.check("trace", &self.plan.grid, self.plan.nt)?;
        self.points.push(PointSet::new(traces, self.plan.grid.n));
        Ok(Points(self.points.len() - 1))
    }

    fn new_shells(&mut self, levels: usize) -> Result<Shells> {
        let (shell, _) = self.shell_rows()?;
        self.shells.push(bytemuck::allocation::zeroed_vec(levels * shell.len()));
        Ok(Shells(self.shells.len() - 1))
    }

    fn clear_field(&mut self, field: Field) -> Result<()> {
        self.fields[field.0].clear();
        Ok(())
    }

    fn clear_layers(&mut self, layers: Layers) -> Result<()> {
        self.layers[layers.0].clear();
        Ok(())
    }

    fn copy_field(&mut self, from: Field, to: Field) -> Result<()> {
        if from != to {
            let mut target = std::mem::take(&mut self.fields[to.0]);
            target.copy_from(&self.fields[from.0]);
            self.fields[to.0] = target;
        }
        Ok(())
    }

    fn copy_layers(&mut self, from: Layers, to: Layers) -> Result<()> {
        if from != to {
            let mut target = std::mem::take(&mut self.layers[to.0]);
            target.copy_from(&self.layers[from.0]);
            self.layers[to.0] = target;
        }
        Ok(())
    }

    fn step(&mut self, step: Step) -> Result<()> {
        self.any_step(step, Fused::default())
    }

    fn inject(&mut self, field: Field, points: Points, k: usize) -> Result<()> {
        let set = &self.points[points.0];
        for (trace, sample) in set.order.iter().zip(set.injection(k).samples) {
            *self.fields[field.0].at_mut(set.traces.points[*trace]) += *sample;
        }
        Ok(())
    }

    fn record(&mut self, field: Field, points: Points, k: usize) -> Result<()> {
        let set = &mut self.points[points.0];
        let n = set.order.len();
        for (trace, sample) in set.order.iter().zip(&mut set.samples[k * n..(k + 1) * n]) {
            *sample = self.fields[field.0].at(set.traces.points[*trace]);
        }
        Ok(())
    }

    fn traces(&mut self, points: Points) -> Result<Traces<T>> {
        let set = &self.points[points.0];
        let mut traces = Traces::zeros(set.traces.nt, set.traces.dt_s, set.traces.points.clone());
        for (i, trace) in set.order.iter().enumerate() {
            for (k, sample) in traces.trace_mut(*trace).iter_mut().enumerate() {
                *sample = set.samples[k * set.order.len() + i];
            }
        }
        Ok(traces)
    }

    fn save_shell(&mut self, field: Field, shells: Shells, level: usize) -> Result<()> {
        let (shell, inset) = self.shell_rows()?;
        let field = &self.fields[field.0];
        let [nx, ny, nz] = shell.n();
        let values = &mut self.shells[shells.0][level * shell.len()..(level + 1) * shell.len()];
        let mut planes = split(values, (0..nx).map(|ix| shell.plane(ix)));
        let save = |(ix, plane): (usize, &mut &mut [T])| {
            let mut at = 0;
            for iy in 0..ny {
                let row = &field.row(ix + inset, iy + inset)[inset..inset + nz];
                for part in shell_parts(&shell, shell.row(ix, iy).1) {
                    plane[at..at + part.len()].copy_from_slice(&row[part.clone()]);
                    at += part.len();
                }
            }
        };
        self.cpu.install(|| planes.par_iter_mut().enumerate().for_each(save));
        Ok(())
    }

    fn load_shell(&mut self, field: Field, shells: Shells, level: usize) -> Result<()> {
        let (shell, inset) = self.shell_rows()?;
        let [nx, ny, nz] = shell.n();
        let values = &self.shells[shells.0][level * shell.len()..(level + 1) * shell.len()];
        let field = &mut self.fields[field.0];
        let (first, plane, stride) =
            (field.row_range(inset, 0).start, field.plane(), field.stride());
        let planes = &mut field.elements_mut()[first..];
        let load = |(ix, plane): (usize, &mut [T])| {
            for iy in 0..ny {
                let (mut at, whole) = shell.row(ix, iy);
                let row = &mut plane[(iy + inset) * stride + inset..][..nz];
                for part in shell_parts(&shell, whole) {
                    row[part.clone()].copy_from_slice(&values[at..at + part.len()]);
                    at += part.len();
                }
            }
        };
        self.cpu.install(|| {
            planes.par_chunks_mut(plane).take(nx).enumerate().for_each(load);
        });
        Ok(())
    }

    fn randomise(&mut self, epoch: usize) -> Result<()> {
        match &mut self.random {
            Some(random) => self.cpu.install(|| random.randomise(&self.plan, &self.model, epoch)),
            None => Err(Error::Device("the plan has no random layers".into())),
        }
    }

    fn image(&mut self, source: Field, receivers: Field) -> Result<()> {
        let (s, r) = (&self.fields[source.0], &self.fields[receivers.0]);
        let insets = self.plan.insets();
        let add = |sum: &mut Cube<T>, a: &Volume<T>, b: &Volume<T>| {
            let [_, ny, nz] = sum.grid.n;
            sum.values.par_chunks_mut(nz).enumerate().for_each(|(row, sum)| {
                let (ix, iy) = (insets[0] + row / ny, insets[1] + row % ny);
                let (a, b) = (&a.row(ix, iy)[insets[2]..], &b.row(ix, iy)[insets[2]..]);
                stencil::accumulate::<T::Plain, 0>(sum, a, b, &Ahead::new([]));
            });
        };
        let sums = &mut self.sums;
        self.cpu.install(|| {
            add(&mut sums.correlation, s, r);
            if let Some(sum) = &mut sums.source_energy {
                add(sum, s, s);
            }
            if let Some(sum) = &mut sums.receiver_energy {
                add(sum, r, r);
            }
        });
        Ok(())
    }

    fn step_inject_image(
        &mut self,
        step: Step,
        points: Points,
        k: usize,
        source: Option<Field>,
    ) -> Result<()> {
        self.any_step(step, Fused { points: Some((points, k)), source })
    }

    fn sums(&mut self) -> Result<Sums<T>> {
        Ok(self.sums.clone())
    }

    fn read(&mut self, field: Field) -> Result<Cube<T>> {
        Ok(self.fields[field.0].to_cube(self.plan.grid))
    }

    fn energy(&mut self, field: Field) -> Result<f64> {
        // The padding is zero. Parts of fixed length, summed in order: no result depends on the
        // threads.
        let parts: Vec<f64> = self.cpu.install(|| {
            self.fields[field.0].elements().par_chunks(1 << 16).map(metrics::energy).collect()
        });
        Ok(parts.iter().sum())
    }

    fn bytes(&self) -> usize {
        let sums = &self.sums;
        let images = 1
            + usize::from(sums.source_energy.is_some())
            + usize::from(sums.receiver_energy.is_some());
        let words = images * sums.correlation.values.len()
            + self.layers.iter().map(States::words).sum::<usize>()
            + self.points.iter().map(|p| p.samples.len()).sum::<usize>()
            + self.shells.iter().map(Vec::len).sum::<usize>();
        words * T::BYTES
            + self.model.bytes()
            + self.fields.iter().map(Volume::bytes).sum::<usize>()
            + self.random.as_ref().map_or(0, RandomLayers::bytes)
    }
}

#[cfg(test)]
mod tests;
