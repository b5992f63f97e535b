//! The migration's back end over OpenCL: every field of a shot lives on the device, kernels do what
//! the CPU's rows do, in the same order of sums.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use ocl::{Buffer, Kernel, OclPrm, Program};

use super::device::{Device, Session, add_ints, failed};
use crate::engine::{
    self, Backend, Boundary, Engine, Field, Layers, Points, Region, Room, Shells, Step, Sums,
};
use crate::grid::{Cube, Velocity};
use crate::plan::{Face, Generator, Plan, RandRange, RandomBoundary, Strategy};
use crate::propagate::cpml;
use crate::propagate::medium::{Model, RandomLayers};
use crate::propagate::shell::Shell;
use crate::strategy::memory::{Parts, Sizes, layer_words};
use crate::strategy::random::Bounds;
use crate::{Error, Grid, Real, Result, Traces, fd, metrics};

/// An OpenCL device as a back end.
pub struct OpenCl {
    device: Device,
}

impl OpenCl {
    /// The device that a word selects; see [`Device::select`].
    ///
    /// # Errors
    /// There is no such device.
    pub fn new(word: &str) -> Result<OpenCl> {
        Ok(OpenCl { device: Device::select(word)? })
    }

    /// A device.
    pub fn on(device: Device) -> OpenCl {
        OpenCl { device }
    }
}

macro_rules! backend {
    ($T:ty) => {
        impl Backend<$T> for OpenCl {
            fn name(&self) -> String {
                format!("opencl ({}, {})", self.device.name, <$T as Real>::NAME)
            }

            fn room(&self) -> Result<Room> {
                let spare_bytes = self.device.spare_bytes();
                let shot_bytes = match self.device.limits.double {
                    true => shot_bytes::<$T, true>,
                    false => shot_bytes::<$T, false>,
                };
                Ok(Room { spare_bytes, shot_bytes })
            }

            fn engine<'a>(
                &'a self,
                plan: &Plan,
                velocity: &Velocity,
            ) -> Result<Box<dyn Engine<$T> + 'a>> {
                Ok(Box::new(ClEngine::<$T>::new(&self.device, plan, velocity)?))
            }
        }
    };
}

backend!(f32);
backend!(f64);

/// How a padded field lies in its buffer.
#[derive(Clone, Copy)]
struct BufferLayout {
    /// Elements from one x, and one y, to the next.
    strides: [usize; 2],
    /// Where point 0, 0, 0 lies.
    base: usize,
    /// All elements.
    len: usize,
}

impl BufferLayout {
    /// Zeros before each row: a multiple of what memory transactions want, and at least half a
    /// stencil of order 16.
    const LEAD: usize = 16;

    fn new([nx, ny, nz]: [usize; 3], half: usize) -> BufferLayout {
        let sy = (Self::LEAD + nz + half).next_multiple_of(32);
        let sx = sy * (ny + 2 * half);
        let base = half * sx + half * sy + Self::LEAD;
        BufferLayout { strides: [sx, sy], base, len: sx * (nx + 2 * half) }
    }

    fn index(&self, [ix, iy, iz]: [usize; 3]) -> usize {
        self.base + ix * self.strides[0] + iy * self.strides[1] + iz
    }
}

/// A box of points.
#[derive(Clone, Copy)]
struct Part {
    first: [usize; 3],
    n: [usize; 3],
}

impl Part {
    /// Work-items, z fastest, and their groups.
    fn range(&self) -> [[usize; 3]; 2] {
        let width = self.n[2].next_power_of_two().min(64);
        [[self.n[2], self.n[1], self.n[0]], [width, (256 / width).min(16), 1]]
    }
}

/// An absorbing layer.
struct Layer<T: OclPrm> {
    face: Face,
    part: Part,
    /// a, then b.
    profile: Buffer<T>,
}

/// Traces on the device: `samples[k * traces + i]`, those of one point together.
struct PointSet<T: OclPrm> {
    traces: Traces<T>,
    order: Vec<usize>,
    samples: Buffer<T>,
    cells: Buffer<i32>,
    first: Buffer<i32>,
    points: usize,
}

/// Shells of several levels, some to a buffer.
struct ShellStore<T: OclPrm> {
    per_buffer: usize,
    buffers: Vec<Buffer<T>>,
}

/// Which kernel with which handles: its buffers never change.
type Key = (&'static str, [usize; 4]);

struct ClEngine<T: Real + OclPrm> {
    session: Session,
    program: Program,
    plan: Plan,
    layout: BufferLayout,
    weights: Buffer<T>,
    model: Buffer<T>,
    random: Option<Random<T>>,
    profiles: Vec<Layer<T>>,
    fields: Vec<Buffer<T>>,
    /// psi, then zeta, of each absorbing face.
    states: Vec<Vec<Buffer<T>>>,
    points: Vec<PointSet<T>>,
    shells: Vec<ShellStore<T>>,
    /// The cells of a shell, made when first asked for.
    shell: Option<(usize, Buffer<i32>)>,
    interior: Grid,
    /// `p_s p_r`, `p_s^2`, `p_r^2`.
    sums: [Option<Buffer<T>>; 3],
    kernels: RefCell<HashMap<Key, Rc<Kernel>>>,
}

/// Strategy 3's velocities.
struct Random<T: Real + OclPrm> {
    cells: Buffer<i32>,
    /// `v^2 dt^2` with random layers.
    medium: Buffer<T>,
    draws: Draws<T>,
}

/// Who draws them.
enum Draws<T: Real + OclPrm> {
    /// The device.
    Device(Drawing),
    /// The host, for a device without double precision.
    Host { model: Model<T>, layers: RandomLayers<T>, values: Buffer<T> },
}

/// What the device draws with.
struct Drawing {
    program: Program,
    boundary: RandomBoundary,
    epoch: usize,
    states: Option<Buffer<u64>>,
    envelope: Buffer<f64>,
    limits: Buffer<f64>,
}

impl Drawing {
    fn new(
        session: &Session,
        real: &str,
        plan: &Plan,
        boundary: RandomBoundary,
    ) -> Result<Drawing> {
        let text = include_str!("../../kernels/opencl/random.cl");
        let program = session.program("random.cl", &[text], &[format!("REAL={real}")])?;
        let depths = (0..=plan.layers).map(|d| d as f64 / plan.layers.max(1) as f64);
        let envelope: Vec<f64> = depths.map(|d| boundary.envelope.at(d)).collect();
        let bounds = Bounds::of(plan);
        let (low, high) = boundary.range.limits_mps(&bounds, 0.0);
        let limits = [plan.dt_s, low, high, bounds.nyquist_mps(), bounds.stable_mps()];
        let drawing = Drawing {
            states: None,
            envelope: session.buffer_of(&envelope)?,
            limits: session.buffer_of(&limits)?,
            program,
            boundary,
            epoch: 0,
        };
        if boundary.generator == Generator::Counter {
            return Ok(drawing);
        }
        let points = Shell::new(plan.grid.n, plan.layers).len();
        let states = session.buffer(points, 0u64)?;
        let kernel = session.kernel(&drawing.program, "lcg_start", |k| {
            k.arg(&states).arg(boundary.seed).arg(points as i32);
        })?;
        session.launch(&kernel, [points, 1, 1], [64, 1, 1])?;
        Ok(Drawing { states: Some(states), ..drawing })
    }

    /// Brings the generators to an epoch.
    fn turn_to(&mut self, session: &Session, epoch: usize) -> Result<()> {
        let Some(states) = &self.states else { return Ok(()) };
        let points = states.len();
        while self.epoch != epoch {
            let forward = self.epoch < epoch;
            let kernel = session.kernel(&self.program, "lcg_step", |k| {
                k.arg(states).arg(self.boundary.seed).arg(i32::from(forward)).arg(points as i32);
            })?;
            session.launch(&kernel, [points, 1, 1], [64, 1, 1])?;
            self.epoch = if forward { self.epoch + 1 } else { self.epoch - 1 };
        }
        Ok(())
    }

    /// Draws the velocities of an epoch.
    fn draw<T: Real + OclPrm>(
        &mut self,
        session: &Session,
        plan: &Plan,
        layout: &BufferLayout,
        [medium, model]: [&Buffer<T>; 2],
        cells: &Buffer<i32>,
        epoch: usize,
    ) -> Result<()> {
        self.turn_to(session, epoch)?;
        let (points, b) = (cells.len(), &self.boundary);
        // Without generators the kernel does not look there.
        let none = session.buffer(1, 0u64)?;
        let kernel = session.kernel(&self.program, "randomise", |k| {
            k.arg(medium).arg(model).arg(cells).arg(self.states.as_ref().unwrap_or(&none));
            k.arg(&self.envelope).arg(&self.limits);
            let flags =
                [self.states.is_some(), b.range == RandRange::Symmetric, plan.has_free_surface()];
            add_ints(k, flags.map(i32::from));
            k.arg(b.seed);
            let ([nx, ny, nz], [sx, sy]) = (plan.grid.n, layout.strides);
            add_ints(k, [plan.layers, nx, ny, nz, sx, sy, layout.base, points].map(|n| n as i32));
            k.arg(epoch as u64);
        })?;
        session.launch(&kernel, [points, 1, 1], [64, 1, 1])
    }
}

impl<T: Real + OclPrm> ClEngine<T> {
    fn new(device: &Device, plan: &Plan, velocity: &Velocity) -> Result<Self> {
        engine::check_volume(plan)?;
        let v_max = engine::check(plan, velocity)?;
        if T::BYTES == 8 && !device.limits.double {
            return Err(Error::Device(format!(
                "{} does not compute in double precision: take single (precision=f32), or another \
                 device",
                device.name
            )));
        }
        let interior = plan.interior()?;
        let half = plan.order / 2;
        let layout = BufferLayout::new(plan.grid.n, half);
        if layout.len > i32::MAX as usize {
            return Err(Error::Memory(format!(
                "a field of {} values is more than a 32-bit index counts: use the CPU, or a \
                 smaller model",
                layout.len
            )));
        }
        let session = Session::open(device, false)?;
        let real = if T::BYTES == 8 { "double" } else { "float" };
        let mut defines = vec![format!("H={half}"), format!("REAL={real}"), T::tiny_definition()];
        if device.limits.double {
            defines.push("FP64".into());
        }
        let text = include_str!("../../kernels/opencl/cpml.cl");
        let program = session.program("cpml.cl", &[text], &defines)?;
        let scaled = Model::<T>::new(velocity, plan.dt_s);
        let mut values = vec![T::ZERO; layout.len];
        for ix in 0..plan.grid.n[0] {
            for iy in 0..plan.grid.n[1] {
                let at = layout.index([ix, iy, 0]);
                values[at..at + plan.grid.n[2]]
                    .copy_from_slice(&scaled.row(ix, iy)[..plan.grid.n[2]]);
            }
        }
        let random = match plan.strategy {
            Strategy::RandomBoundaries(boundary) => {
                let shell = Shell::new(plan.grid.n, plan.layers);
                let cells = shell_cells(&shell, 0, &layout);
                let draws = match device.limits.double {
                    true => Draws::Device(Drawing::new(&session, real, plan, boundary)?),
                    false => Draws::Host {
                        model: scaled,
                        layers: RandomLayers::new(plan, boundary),
                        values: session.buffer(cells.len(), T::ZERO)?,
                    },
                };
                Some(Random {
                    draws,
                    cells: session.buffer_of(&cells)?,
                    medium: session.buffer_of(&values)?,
                })
            }
            _ => None,
        };
        let profiles = Face::ALL
            .into_iter()
            .filter(|face| plan.absorbs(*face) && plan.layers > 0)
            .map(|face| {
                let (mut first, mut n) = ([0; 3], plan.grid.n);
                let axis = face.axis();
                n[axis] = plan.layers;
                if face.is_max() {
                    first[axis] = plan.grid.n[axis] - plan.layers;
                }
                let profile = cpml::profile::<T>(plan, face, v_max);
                let profile = session.buffer_of(&[profile.a, profile.b].concat())?;
                Ok(Layer { face, part: Part { first, n }, profile })
            })
            .collect::<Result<_>>()?;
        let sum =
            |wanted: bool| wanted.then(|| session.buffer(interior.len(), T::ZERO)).transpose();
        let mut engine = ClEngine {
            weights: session.buffer_of(&weights::<T>(plan))?,
            model: session.buffer_of(&values)?,
            random,
            profiles,
            fields: Vec::new(),
            states: Vec::new(),
            points: Vec::new(),
            shells: Vec::new(),
            shell: None,
            sums: [
                sum(true)?,
                sum(plan.illumination || plan.condition.needs_source_energy())?,
                sum(plan.illumination || plan.condition.needs_receiver_energy())?,
            ],
            interior,
            layout,
            program,
            session,
            plan: plan.clone(),
            kernels: RefCell::default(),
        };
        if engine.random.is_some() {
            engine.randomise(0)?;
        }
        Ok(engine)
    }

    /// The kernel of a key, made when it is first wanted.
    fn kernel(&self, key: Key, make: impl FnOnce() -> Result<Kernel>) -> Result<Rc<Kernel>> {
        if let Some(known) = self.kernels.borrow().get(&key) {
            return Ok(known.clone());
        }
        let made = Rc::new(make()?);
        self.kernels.borrow_mut().insert(key, made.clone());
        Ok(made)
    }

    /// Sizes, strides and first element of a part: what all kernels over boxes are told.
    fn place(&self, part: Part) -> [i32; 6] {
        let ([nx, ny, nz], [sx, sy]) = (part.n, self.layout.strides);
        [nx, ny, nz, sx, sy, self.layout.index(part.first)].map(|n| n as i32)
    }

    /// `v^2 dt^2` of a step.
    fn medium(&self, step: Step) -> &Buffer<T> {
        match &self.random {
            Some(layers) if step.boundary == Boundary::Random => &layers.medium,
            _ => &self.model,
        }
    }

    /// The free surface's share of a step.
    fn mirror(&self, step: Step) -> Result<()> {
        let n = self.plan.grid.n;
        let random = usize::from(step.boundary == Boundary::Random);
        let kernel = self.kernel(("mirror", [step.cur.0, step.next.0, random, 0]), || {
            let [next, cur] = [step.next, step.cur].map(|f| &self.fields[f.0]);
            self.session.kernel(&self.program, "mirror", |k| {
                k.arg(next).arg(cur).arg(self.medium(step)).arg(&self.weights);
                add_ints(k, self.place(Part { first: [0; 3], n }));
            })
        })?;
        self.session.launch(&kernel, [n[1], n[0], 1], [64, 1, 1])
    }

    fn laplacian(&self, step: Step, part: Part) -> Result<()> {
        let random = step.boundary == Boundary::Random;
        let v = self.medium(step);
        let key = [step.prev.0, step.cur.0, step.next.0, usize::from(random) + 2 * part.first[0]];
        let kernel = self.kernel(("time_step", key), || {
            let [next, prev, cur] = [step.next, step.prev, step.cur].map(|f| &self.fields[f.0]);
            self.session.kernel(&self.program, "time_step", |k| {
                k.arg(next).arg(prev).arg(cur).arg(v).arg(&self.weights);
                add_ints(k, self.place(part));
            })
        })?;
        let [global, group] = part.range();
        self.session.launch(&kernel, global, group)
    }

    /// psi or zeta of all faces.
    fn absorb(&self, step: Step, layers: Layers, name: &'static str) -> Result<()> {
        let (cur, next) = (&self.fields[step.cur.0], &self.fields[step.next.0]);
        for (i, layer) in self.profiles.iter().enumerate() {
            let kernel = self.kernel((name, [step.cur.0, step.next.0, layers.0, i]), || {
                let axis = layer.face.axis();
                let [_, by, bz] = layer.part.n;
                let stride = [self.layout.strides[0], self.layout.strides[1], 1][axis] as i32;
                let box_stride = [by * bz, bz, 1][axis] as i32;
                let state = &self.states[layers.0][i];
                self.session.kernel(&self.program, name, |k| {
                    if name == "psi" {
                        k.arg(state).arg(cur).arg(&self.weights);
                    } else {
                        k.arg(next).arg(state).arg(cur).arg(&self.model).arg(&self.weights);
                    }
                    k.arg(&layer.profile).arg(axis as i32).arg(self.plan.layers as i32);
                    add_ints(k, self.place(layer.part));
                    k.arg(stride);
                    if name == "zeta" {
                        k.arg(box_stride);
                    }
                })
            })?;
            let [global, group] = layer.part.range();
            self.session.launch(&kernel, global, group)?;
        }
        Ok(())
    }

    /// `inject` or `record`: sample k of a set of points and a field.
    fn points_with(
        &self,
        name: &'static str,
        field: Field,
        points: Points,
        k: usize,
    ) -> Result<()> {
        let set = &self.points[points.0];
        let field_buffer = &self.fields[field.0];
        let kernel = self.kernel((name, [field.0, points.0, 0, 0]), || {
            self.session.kernel(&self.program, name, |kernel| {
                if name == "inject" {
                    kernel.arg(field_buffer).arg(&set.cells).arg(&set.first).arg(&set.samples);
                } else {
                    kernel.arg(&set.samples).arg(&set.cells).arg(&set.first).arg(field_buffer);
                }
                kernel.arg(0i32).arg(set.points as i32);
            })
        })?;
        kernel
            .set_arg(4, (k * set.order.len()) as i32)
            .map_err(failed(format!("argument of {name}")))?;
        self.session.launch(&kernel, [set.points, 1, 1], [64, 1, 1])
    }

    /// `gather` or `scatter`: a level's shell.
    fn shell_with(
        &self,
        name: &'static str,
        field: Field,
        shells: Shells,
        level: usize,
    ) -> Result<()> {
        let (len, cells) = self.shell.as_ref().ok_or_else(|| engine::no_shell(&self.plan))?;
        let store = &self.shells[shells.0];
        let which = level / store.per_buffer;
        let (buffer, field_buffer) = (&store.buffers[which], &self.fields[field.0]);
        let kernel = self.kernel((name, [field.0, shells.0, which, 0]), || {
            self.session.kernel(&self.program, name, |k| {
                match name {
                    "gather" => k.arg(buffer).arg(field_buffer),
                    _ => k.arg(field_buffer).arg(buffer),
                };
                k.arg(cells).arg(0i32).arg(*len as i32);
            })
        })?;
        kernel
            .set_arg(3, (level % store.per_buffer * len) as i32)
            .map_err(failed(format!("argument of {name}")))?;
        self.session.launch(&kernel, [*len, 1, 1], [64, 1, 1])
    }
}

/// What [`Engine::bytes`] will say of a plan's run on a device with double precision, or without.
fn shot_bytes<T: Real, const DOUBLE: bool>(plan: &Plan, samples: usize) -> usize {
    let (n, sizes) = (plan.grid.n, Sizes::of(plan));
    let volume = BufferLayout::new(n, plan.order / 2).len;
    let layers = layer_words(plan, n[2]);
    let points = sizes.volume - sizes.interior;
    let random = if DOUBLE { volume } else { volume + points };
    let parts = Parts { volume, layers, image: sizes.interior, random, turns: 2 };
    // Where the host draws, the generators' states stay with it.
    let states = match plan.strategy {
        Strategy::RandomBoundaries(b) if !DOUBLE => b.generator.state_bytes(),
        _ => 0,
    };
    parts.bytes::<T>(plan, samples) + volume * T::BYTES - states * points
}

/// Weights in the order that the kernels want.
fn weights<T: Real>(plan: &Plan) -> Vec<T> {
    let (c, d) = (fd::second(plan.order), fd::first(plan.order));
    let spacings = plan.grid.d_m;
    let centres = spacings.map(|s| c[0] / (s * s));
    let mut weights = vec![T::of(centres.iter().sum())];
    weights.extend(spacings.iter().flat_map(|s| c[1..].iter().map(move |c| T::of(c / (s * s)))));
    weights.extend(centres.map(T::of));
    weights.extend(spacings.iter().flat_map(|s| d[1..].iter().map(move |d| T::of(d / s))));
    weights
}

/// Where the points of a shell, which begins `inset` points from the grid's faces, lie in a field.
fn shell_cells(shell: &Shell, inset: usize, layout: &BufferLayout) -> Vec<i32> {
    let ([nx, ny, nz], t) = (shell.n(), shell.thickness());
    let mut cells = Vec::with_capacity(shell.len());
    for ix in 0..nx {
        for iy in 0..ny {
            let (_, whole) = shell.row(ix, iy);
            let outer = |iz: &usize| whole || *iz < t || *iz >= nz - t;
            let place = |iz| layout.index([ix + inset, iy + inset, iz + inset]) as i32;
            cells.extend((0..nz).filter(outer).map(place));
        }
    }
    cells
}

impl<T: Real + OclPrm> Engine<T> for ClEngine<T> {
    fn new_field(&mut self) -> Result<Field> {
        self.fields.push(self.session.buffer(self.layout.len, T::ZERO)?);
        Ok(Field(self.fields.len() - 1))
    }

    fn new_layers(&mut self) -> Result<Layers> {
        let state = |layer: &Layer<T>| {
            self.session.buffer(2 * layer.part.n.iter().product::<usize>(), T::ZERO)
        };
        self.states.push(self.profiles.iter().map(state).collect::<Result<_>>()?);
        Ok(Layers(self.states.len() - 1))
    }

    fn new_points(&mut self, traces: &Traces<T>) -> Result<Points> {
        traces.check("trace", &self.plan.grid, self.plan.nt)?;
        let cell = |trace: &usize| self.layout.index(traces.points[*trace]);
        let n = traces.points.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(cell);
        let (mut cells, mut first) = (Vec::new(), Vec::new());
        for (i, trace) in order.iter().enumerate() {
            let place = cell(trace) as i32;
            if cells.last() != Some(&place) {
                cells.push(place);
                first.push(i as i32);
            }
        }
        first.push(n as i32);
        let mut samples = vec![T::ZERO; n * traces.nt];
        for (i, trace) in order.iter().enumerate() {
            for (k, sample) in traces.trace(*trace).iter().enumerate() {
                samples[k * n + i] = *sample;
            }
        }
        self.points.push(PointSet {
            traces: Traces { samples: Vec::new(), points: traces.points.clone(), ..*traces },
            order,
            samples: self.session.buffer_of(&samples)?,
            points: cells.len(),
            cells: self.session.buffer_of(&cells)?,
            first: self.session.buffer_of(&first)?,
        });
        Ok(Points(self.points.len() - 1))
    }

    fn new_shells(&mut self, levels: usize) -> Result<Shells> {
        let half = self.plan.order / 2;
        if self.interior.n.iter().any(|&n| n <= 2 * half) {
            return Err(engine::no_shell(&self.plan));
        }
        if self.shell.is_none() {
            let shell = Shell::new(self.interior.n, half);
            let cells = shell_cells(&shell, self.plan.layers, &self.layout);
            self.shell = Some((cells.len(), self.session.buffer_of(&cells)?));
        }
        let len = self.shell.as_ref().map_or(1, |(len, _)| *len);
        // As many levels to a buffer as the device and a 32-bit index allow.
        let limit = self.session.device.limits.buffer_bytes as usize / T::BYTES;
        let limit = if limit == 0 { i32::MAX as usize } else { limit.min(i32::MAX as usize) };
        let per_buffer = (limit / len).clamp(1, levels.max(1));
        let buffers = (0..levels.div_ceil(per_buffer))
            .map(|i| per_buffer.min(levels - i * per_buffer) * len)
            .map(|floats| self.session.buffer(floats, T::ZERO))
            .collect::<Result<_>>()?;
        self.shells.push(ShellStore { per_buffer, buffers });
        Ok(Shells(self.shells.len() - 1))
    }

    fn clear_field(&mut self, field: Field) -> Result<()> {
        self.session.fill(&self.fields[field.0], T::ZERO)
    }

    fn clear_layers(&mut self, layers: Layers) -> Result<()> {
        self.states[layers.0].iter().try_for_each(|state| self.session.fill(state, T::ZERO))
    }

    fn copy_field(&mut self, from: Field, to: Field) -> Result<()> {
        if from == to {
            return Ok(());
        }
        self.session.copy(&self.fields[from.0], &self.fields[to.0])
    }

    fn copy_layers(&mut self, from: Layers, to: Layers) -> Result<()> {
        if from == to {
            return Ok(());
        }
        let pairs = self.states[from.0].iter().zip(&self.states[to.0]);
        pairs.into_iter().try_for_each(|(from, to)| self.session.copy(from, to))
    }

    fn step(&mut self, step: Step) -> Result<()> {
        step.check()?;
        let inset = match step.region {
            Region::All => 0,
            Region::Deep => self.plan.layers + self.plan.order / 2,
        };
        let n = self.plan.grid.n.map(|n| n.saturating_sub(2 * inset));
        if let Some(layers) = step.boundary.layers() {
            self.absorb(step, layers, "psi")?;
        }
        if !n.contains(&0) {
            self.laplacian(step, Part { first: [inset; 3], n })?;
        }
        if let Some(layers) = step.boundary.layers() {
            self.absorb(step, layers, "zeta")?;
        }
        match self.plan.has_free_surface() && step.region == Region::All {
            true => self.mirror(step),
            false => Ok(()),
        }
    }

    fn inject(&mut self, field: Field, points: Points, k: usize) -> Result<()> {
        self.points_with("inject", field, points, k)
    }

    fn record(&mut self, field: Field, points: Points, k: usize) -> Result<()> {
        self.points_with("record", field, points, k)
    }

    fn traces(&mut self, points: Points) -> Result<Traces<T>> {
        let set = &self.points[points.0];
        let n = set.order.len();
        let samples = self.session.read(&set.samples, 0, n * set.traces.nt)?;
        let mut traces = Traces::zeros(set.traces.nt, set.traces.dt_s, set.traces.points.clone());
        for (i, trace) in set.order.iter().enumerate() {
            for (k, sample) in traces.trace_mut(*trace).iter_mut().enumerate() {
                *sample = samples[k * n + i];
            }
        }
        Ok(traces)
    }

    fn save_shell(&mut self, field: Field, shells: Shells, level: usize) -> Result<()> {
        self.shell_with("gather", field, shells, level)
    }

    fn load_shell(&mut self, field: Field, shells: Shells, level: usize) -> Result<()> {
        self.shell_with("scatter", field, shells, level)
    }

    fn randomise(&mut self, epoch: usize) -> Result<()> {
        let Some(random) = &mut self.random else {
            return Err(Error::Device("the plan has no random layers".into()));
        };
        let Random { cells, medium, draws } = random;
        let (session, plan) = (&self.session, &self.plan);
        match draws {
            Draws::Device(drawing) => {
                drawing.draw(session, plan, &self.layout, [medium, &self.model], cells, epoch)
            }
            Draws::Host { model, layers, values } => {
                layers.randomise(plan, model, epoch)?;
                let drawn = layers.values();
                session.write(values, 0, drawn)?;
                let kernel = session.kernel(&self.program, "scatter", |k| {
                    k.arg(&*medium).arg(&*values).arg(&*cells).arg(0i32).arg(drawn.len() as i32);
                })?;
                session.launch(&kernel, [drawn.len(), 1, 1], [64, 1, 1])
            }
        }
    }

    fn image(&mut self, source: Field, receivers: Field) -> Result<()> {
        let part = Part { first: [self.plan.layers; 3], n: self.interior.n };
        let pairs = [[source, receivers], [source, source], [receivers, receivers]];
        for (i, (sum, [a, b])) in self.sums.iter().zip(pairs).enumerate() {
            let Some(sum) = sum else { continue };
            let kernel = self.kernel(("correlate", [a.0, b.0, i, 0]), || {
                self.session.kernel(&self.program, "correlate", |k| {
                    k.arg(sum).arg(&self.fields[a.0]).arg(&self.fields[b.0]);
                    add_ints(k, self.place(part));
                })
            })?;
            let [global, group] = part.range();
            self.session.launch(&kernel, global, group)?;
        }
        Ok(())
    }

    fn sums(&mut self) -> Result<Sums<T>> {
        let read = |sum: &Option<Buffer<T>>| -> Result<Option<Cube<T>>> {
            let Some(sum) = sum else { return Ok(None) };
            let values = self.session.read(sum, 0, self.interior.len())?;
            Cube::from_values(self.interior, values).map(Some)
        };
        let [correlation, source_energy, receiver_energy] = &self.sums;
        Ok(Sums {
            correlation: read(correlation)?
                .unwrap_or_else(|| Cube::constant(self.interior, T::ZERO)),
            source_energy: read(source_energy)?,
            receiver_energy: read(receiver_energy)?,
        })
    }

    fn read(&mut self, field: Field) -> Result<Cube<T>> {
        let all = self.session.read(&self.fields[field.0], 0, self.layout.len)?;
        let grid = self.plan.grid;
        let [nx, ny, nz] = grid.n;
        let rows = (0..nx).flat_map(|ix| (0..ny).map(move |iy| (ix, iy)));
        let values = rows
            .flat_map(|(ix, iy)| {
                let at = self.layout.index([ix, iy, 0]);
                all[at..at + nz].iter().copied()
            })
            .collect();
        Cube::from_values(grid, values)
    }

    fn energy(&mut self, field: Field) -> Result<f64> {
        // The padding is zero.
        let (field, len) = (&self.fields[field.0], self.layout.len);
        if !self.session.device.limits.double {
            let all = self.session.read(field, 0, len)?;
            return Ok(all.chunks(1 << 16).map(metrics::energy).sum());
        }
        let n = len.min(1 << 14);
        let sums = self.session.buffer(n, 0f64)?;
        let kernel = self.session.kernel(&self.program, "energy", |k| {
            k.arg(&sums).arg(field).arg(len as i32).arg(n as i32);
        })?;
        self.session.launch(&kernel, [n, 1, 1], [64, 1, 1])?;
        Ok(self.session.read(&sums, 0, n)?.iter().sum())
    }

    fn wait(&mut self) -> Result<()> {
        self.session.finish()
    }

    fn bytes(&self) -> usize {
        let fields = self.fields.iter().chain([&self.model]);
        let random = self.random.iter().flat_map(|r| {
            let values = match &r.draws {
                Draws::Host { values, .. } => Some(values),
                Draws::Device(_) => None,
            };
            std::iter::once(&r.medium).chain(values)
        });
        let generators = self.random.iter().filter_map(|r| match &r.draws {
            Draws::Device(drawing) => drawing.states.as_ref(),
            Draws::Host { .. } => None,
        });
        let states_bytes: usize = generators.map(|g| g.len() * size_of::<u64>()).sum();
        let states = self.states.iter().flatten();
        let shells = self.shells.iter().flat_map(|s| &s.buffers);
        let points = self.points.iter().map(|p| &p.samples);
        let sums = self.sums.iter().flatten();
        let all = fields.chain(random).chain(states).chain(shells).chain(points).chain(sums);
        states_bytes + T::BYTES * all.map(|buffer| buffer.len()).sum::<usize>()
    }
}
