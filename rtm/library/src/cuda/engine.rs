//! A shot on a device: all its levels, layers, traces, shells and sums lie there until it is done.

mod pair;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use cust::memory::{CopyDestination, DeviceBuffer, DeviceCopy, DevicePointer};
use labkit::{KernelFile, kernel_file};

use super::device::{Argument, Device, Extent, Kernels, address};
use super::lanes::{Lane, Lanes, Place, Uses};
use super::layout::{LayerLayout, LayerPointers, LevelLayout, Shape, Weights, Z_HALO};
use super::options::{ImageKernel, LayerKernel, Options};
use super::repeats::{Call, Graph, Repeats, Run, Waiting};
use super::slabs::Slabs;
use super::variants::Form;
use crate::engine::{
    Boundary, Engine, Field, Layers, Points, Region, Shells, Step, Sums, no_shell,
};
use crate::grid::{Cube, Velocity};
use crate::plan::{Face, Generator, Plan, RandRange, RandomBoundary, Strategy};
use crate::strategy::memory::Parts;
use crate::strategy::random::Bounds;
use crate::{Error, Grid, Real, Result, Traces};

const LAYERS: KernelFile = kernel_file!("cuda/layers.cu");
const LINES: KernelFile = kernel_file!("cuda/layers_line.cu");
const SLABS: KernelFile = kernel_file!("cuda/layers_slab.cu");
const IMAGE: KernelFile = kernel_file!("cuda/image_vector.cu");
const SHOT: KernelFile = kernel_file!("cuda/shot.cu");
const RANDOM: KernelFile = kernel_file!("cuda/random.cu");

/// Layers that the kernels take whose blocks own lines across them, at most.
const MOST_BY_LINES: usize = 128;
/// Rows of a face that a block of the layers' kernels does one after the other.
const ROWS_OF_A_BLOCK: usize = 2;
/// Blocks of the sum over a level.
const ENERGY_BLOCKS: usize = 512;

/// Zeros around psi of the z faces: kernels that own lines need none, and rows without gaps between
/// them are read faster.
fn z_halo(by_lines: bool) -> usize {
    if by_lines { 0 } else { Z_HALO }
}

/// psi and zeta of each face.
struct LayerState<T: DeviceCopy> {
    psi: [Option<DeviceBuffer<T>>; 6],
    zeta: [Option<DeviceBuffer<T>>; 6],
    uses: Uses,
}

/// A level.
struct Level<T: DeviceCopy> {
    values: DeviceBuffer<T>,
    uses: Uses,
}

/// The shells of all levels.
struct ShellStore<T: DeviceCopy> {
    values: DeviceBuffer<T>,
    uses: Uses,
}

impl<T: DeviceCopy> LayerState<T> {
    fn buffers(&mut self) -> impl Iterator<Item = &mut DeviceBuffer<T>> {
        self.psi.iter_mut().chain(&mut self.zeta).flatten()
    }
}

/// Traces on the device, sorted by point.
struct PointSet<T: DeviceCopy> {
    /// Without samples.
    traces: Traces<T>,
    /// `[k][i]`, i in the order below.
    samples: DeviceBuffer<T>,
    order: Vec<usize>,
    first: DeviceBuffer<i32>,
    place: DeviceBuffer<i64>,
    uses: Uses,
}

/// The random layers of strategy 3.
struct RandomLayers<T: DeviceCopy> {
    v2: DeviceBuffer<T>,
    uses: Uses,
    states: Option<DeviceBuffer<u64>>,
    envelope: DeviceBuffer<f64>,
    constants: RandomConstants,
    kernels: Arc<Kernels>,
    epoch: usize,
    /// Points of the layers.
    points: usize,
}

/// `Random` of random.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct RandomConstants {
    seed: u64,
    dt_s: f64,
    low: f64,
    high: f64,
    nyquist: f64,
    stable: f64,
    symmetric: i32,
    with_state: i32,
    free_surface: i32,
    unused: i32,
}

/// A kernel of the time step.
struct StepKernel {
    kernels: Arc<Kernels>,
    block: [u32; 3],
    /// Blocks that the device runs at a time.
    resident: usize,
}

impl StepKernel {
    /// `real_bytes`: of a number.
    fn new(
        kernels: Arc<Kernels>,
        options: &Options,
        block: [u32; 3],
        half: usize,
        real_bytes: usize,
    ) -> Result<StepKernel> {
        let variant = options.variant;
        let one = super::layout::Points { ends: [0, 1, 0, 1, 0, 1] };
        let (extent, _) = variant.extent(&one, block, half, real_bytes, 1);
        let resident = match options.resident {
            0 => kernels.resident(variant.function, block, extent.shared)?,
            n => n,
        };
        Ok(StepKernel { kernels, block, resident })
    }
}

/// A shot on a device.
pub struct CudaEngine<'a, T: DeviceCopy> {
    device: &'a Device,
    options: Options,
    improved_block: Option<[u32; 3]>,
    plan: Plan,
    layout: LevelLayout,
    shape: Shape,
    weights: Weights<T>,
    table: DeviceBuffer<T>,
    model: DeviceBuffer<T>,
    random: Option<RandomLayers<T>>,
    layers: LayerLayout<T>,
    profile: DeviceBuffer<T>,
    fields: Vec<Level<T>>,
    states: Vec<LayerState<T>>,
    points: Vec<PointSet<T>>,
    shells: Vec<ShellStore<T>>,
    sums: [Option<DeviceBuffer<T>>; 3],
    of_sums: Uses,
    /// Levels that the image's sums still lack.
    waiting: Cell<Waiting>,
    /// The kernel for steps of two fields in one launch, which needs levels in turn by three.
    pairs: Option<(Arc<Kernels>, [u32; 3])>,
    /// Both streams; none: the device's own for everything.
    lanes: Option<Lanes>,
    /// Calls that wait to be issued together; none: each is issued at once.
    repeats: RefCell<Option<Repeats>>,
    /// The time from which the calls that are issued count theirs.
    first: DeviceBuffer<i32>,
    of_first: Uses,
    partial: DeviceBuffer<f64>,
    energy: DeviceBuffer<f64>,
    bare: StepKernel,
    /// The one that does zeta as well.
    fused: Option<StepKernel>,
    /// Whether the layers' kernels are those that own lines.
    by_lines: bool,
    of_layers: Option<Arc<Kernels>>,
    /// In their place: those that make the step of the layers' points, too.
    slabs: Option<(Slabs, Arc<Kernels>)>,
    images: Arc<Kernels>,
    shot: Arc<Kernels>,
}

impl<'a, T: Real + DeviceCopy> CudaEngine<'a, T> {
    /// The engine of a plan's shot.
    ///
    /// # Errors
    /// The plan or the velocities cannot be; the device refuses.
    pub fn new(
        device: &'a Device,
        options: Options,
        plan: &Plan,
        velocity: &Velocity,
    ) -> Result<Self> {
        Self::with_v_max(device, options, plan, velocity, 0.0)
    }

    /// As `new`, for a part of a model: the layers' profiles are those of the larger of the model's
    /// largest velocity and `v_max_mps`.
    ///
    /// # Errors
    /// As `new`.
    pub fn with_v_max(
        device: &'a Device,
        options: Options,
        plan: &Plan,
        velocity: &Velocity,
        v_max_mps: f64,
    ) -> Result<Self> {
        device.make_current()?;
        crate::engine::check_volume(plan)?;
        let v_max = crate::engine::check(plan, velocity)?.max(v_max_mps);
        let layout = LevelLayout::new(plan.grid.n, plan.order, plan.layers);
        let by_lines = options.layers.owns_lines() && plan.layers <= MOST_BY_LINES;
        let z_halo = z_halo(by_lines);
        let pairs = turns(plan, options.makes_pairs()) == 3;
        let layers = LayerLayout::<T>::new(plan, &layout, v_max, z_halo);
        let weights = Weights::<T>::new(plan.order, plan.grid.d_m);
        let sum = |wanted: bool| wanted.then(|| device.zeros::<T>(layout.elements())).transpose();
        let condition = plan.condition;
        let mut common = Self::common_options(&options, plan);
        common.push(format!("-DZ_HALO={z_halo}"));
        common.push(format!("-DEARLY={}", u32::from(device.starts_early())));
        let with = |more: &[String]| [common.clone(), more.to_vec()].concat();
        let copies = format!("-DASYNC={}", u32::from(device.copies_async()));
        let vector = |block: [u32; 3], min_blocks: u32, tile: bool, more: &str| {
            let number = |name: &str, n: u32| format!("-D{name}={n}");
            with(&[
                number("BZ", block[0]),
                number("BY", block[1]),
                number("MIN_BLOCKS", min_blocks),
                number("UNROLL", options.unroll),
                number("TILE", u32::from(tile)),
                copies.clone(),
                more.to_owned(),
            ])
        };
        let step = |definitions: &[String], block: [u32; 3]| {
            let kernels = device.kernels(options.variant.file, definitions)?;
            StepKernel::new(kernels, &options, block, plan.order / 2, T::BYTES)
        };
        let block = options.block();
        let room = device.shared_of_a_block();
        let (bare, fused) = match options.variant.form {
            Form::Vector { tile } => {
                let fused = options.layers == LayerKernel::Fused;
                let kernel =
                    |(block, min_blocks), more| step(&vector(block, min_blocks, tile, more), block);
                let absorbing = || kernel((block, options.min_blocks.max(1)), "-DABSORB=1");
                let rows = plan.grid.n[1].saturating_sub(2 * plan.layers);
                let blocks = options.step_blocks(plan.order, T::BYTES, rows, room);
                (kernel(blocks, "-DABSORB=0")?, fused.then(absorbing).transpose()?)
            }
            _ => (step(&common, block)?, None),
        };
        let pair_block = options.pair_block(plan.order, T::BYTES, room);
        let of_pairs = options.pair_min_blocks(plan.order, T::BYTES);
        let of_pairs = vector(pair_block, of_pairs, true, "-DPAIR_OF_STEPS=1");
        let of_pairs = pairs.then(|| device.kernels(options.variant.file, &of_pairs));
        let pairs = of_pairs.transpose()?.map(|kernels| (kernels, pair_block));
        // A block of lines has a thread for each layer at least.
        let line_threads = options.line_threads.max(plan.layers as u32).clamp(32, 512);
        let of_lines = with(&[
            format!("-DLINE_THREADS={line_threads}"),
            format!("-DLINE_BLOCKS={}", options.line_blocks.max(1)),
            copies.clone(),
        ]);
        let slabs = match options.layers {
            LayerKernel::Slabs => true,
            // The field, the level before and v2.
            LayerKernel::LinesOrSlabs => 3 * layout.elements() * T::BYTES > device.cache_bytes(),
            _ => false,
        };
        let slabs = slabs
            && by_lines
            && plan.layers > 0
            && matches!(options.variant.form, Form::Vector { .. });
        let slabs = slabs.then(|| Slabs::new(plan, &layers, line_threads as usize, room)).flatten();
        let compiled = slabs.map(|slabs| {
            let definitions = [slabs.definitions(), vec![copies.clone()]].concat();
            Ok::<_, Error>((slabs, device.kernels(SLABS, &with(&definitions))?))
        });
        let slabs = compiled.transpose()?;
        let of_layers = match (&slabs, by_lines) {
            (Some((slabs, _)), _) if slabs.at_z() => None,
            (_, true) => Some(device.kernels(LINES, &of_lines)?),
            (_, false) => Some(device.kernels(LAYERS, &common)?),
        };
        let mut engine = CudaEngine {
            device,
            plan: plan.clone(),
            shape: layout.shape(),
            table: device.upload(&weights.table())?,
            weights,
            model: device.zeros(layout.elements())?,
            random: None,
            profile: device.upload(&layers.profile)?,
            layers,
            fields: Vec::new(),
            states: Vec::new(),
            points: Vec::new(),
            shells: Vec::new(),
            sums: [
                sum(true)?,
                sum(plan.illumination || condition.needs_source_energy())?,
                sum(plan.illumination || condition.needs_receiver_energy())?,
            ],
            of_sums: Uses::default(),
            waiting: Cell::default(),
            pairs,
            lanes: options.overlap.then(Lanes::new).transpose()?,
            repeats: RefCell::default(),
            first: device.zeros(1)?,
            of_first: Uses::default(),
            partial: device.zeros(ENERGY_BLOCKS)?,
            energy: device.zeros(1)?,
            bare,
            fused,
            by_lines,
            of_layers,
            slabs,
            images: device.kernels(IMAGE, &common)?,
            shot: device.kernels(SHOT, &common)?,
            layout,
            options: Options { line_threads, ..options },
            improved_block: None,
        };
        engine.scale_model(velocity)?;
        if let Strategy::RandomBoundaries(boundary) = plan.strategy {
            engine.random = Some(engine.random_layers(boundary)?);
            engine.randomise(0)?;
        }
        Ok(engine)
    }

    /// The same engine, which gathers calls, makes pairs of steps, and issues what comes again as
    /// graphs of launches, if that is wanted and there are two lanes.
    pub(super) fn gathering(self) -> Self {
        let graphs = self.options.graphs && self.lanes.is_some();
        let pairs = self.pairs.is_some();
        self.repeats.replace((pairs || graphs).then(|| Repeats::new(pairs, graphs)));
        self
    }

    /// (v dt)^2 of the model, as the kernels want it.
    fn scale_model(&self, velocity: &Velocity) -> Result<()> {
        let dense = self.device.upload(&velocity.values)?;
        let [nx, ny, nz] = self.plan.grid.n;
        let model = self.model.as_device_ptr();
        let arguments: [&dyn Argument; 4] =
            [&model, &dense.as_device_ptr(), &self.shape, &self.plan.dt_s];
        let extent = Extent::cover([nz, ny, nx], [64, 4, 1]);
        self.launch(&self.shot, "scale_model", extent, &arguments)?;
        self.device.synchronize()
    }

    /// The points of a box of a level, for the host.
    fn dense(&self, level: &DeviceBuffer<T>, grid: Grid, first: [usize; 3]) -> Result<Cube<T>> {
        let [nx, ny, nz] = grid.n;
        let dense = self.device.zeros::<T>(grid.len())?;
        let ends = std::array::from_fn(|i| (first[i / 2] + (i % 2) * grid.n[i / 2]) as i32);
        let arguments: [&dyn Argument; 4] = [
            &dense.as_device_ptr(),
            &level.as_device_ptr(),
            &self.shape,
            &super::layout::Points { ends },
        ];
        let extent = Extent::cover([nz, ny, nx], [64, 4, 1]);
        self.join()?;
        self.launch(&self.shot, "crop", extent, &arguments)?;
        self.device.download_cube(&dense, grid)
    }

    /// The array of a level.
    pub fn level(&self, field: Field) -> &DeviceBuffer<T> {
        &self.fields[field.0].values
    }

    /// Lets the device's own stream wait for all that was asked for.
    fn join(&self) -> Result<()> {
        self.lanes.as_ref().map_or(Ok(()), |lanes| lanes.join(self.device))
    }

    /// Runs kernels on a lane, behind what they need: the arrays that they read and write. Where
    /// launches are timed, or there is one stream only, everything is on the main lane.
    fn on(
        &self,
        lane: Lane,
        reads: &[&Uses],
        writes: &[&Uses],
        work: impl FnOnce(Place<'_>) -> Result<()>,
    ) -> Result<()> {
        let own = Place::Stream(self.device.lab().stream());
        let Some(lanes) = &self.lanes else { return work(own) };
        let lane = if self.device.is_timing() { Lane::Main } else { lane };
        work(lanes.begin(self.device, lane, reads, writes)?)?;
        lanes.end(self.device, lane)
    }

    /// Threads of the step's block.
    pub fn block(&self) -> [u32; 3] {
        self.bare.block
    }

    /// Other blocks for kernels that take any (all but the vector kernels), for studies of them.
    ///
    /// # Errors
    /// No multiprocessor can run such a block.
    pub fn set_blocks(&mut self, step: [u32; 3], image: [u32; 3]) -> Result<()> {
        self.options.threads = Some(step);
        self.options.image_block = image;
        let (kernels, half) = (self.bare.kernels.clone(), self.plan.order / 2);
        self.bare = StepKernel::new(kernels, &self.options, step, half, T::BYTES)?;
        Ok(())
    }

    /// Another block for each launch of the improved kernels of the layers, for studies of them; it
    /// has one thread along the third axis.
    pub fn set_layer_block(&mut self, block: [u32; 3]) {
        self.improved_block = Some(block);
    }

    /// What `volume.cuh` asks for.
    fn volume_options(plan: &Plan) -> Vec<String> {
        let real = if T::BYTES == 4 { "float" } else { "double" };
        vec![
            format!("-DREAL={real}"),
            format!("-D{}", T::tiny_definition()),
            format!("-DH={}", plan.order / 2),
        ]
    }

    fn common_options(options: &Options, plan: &Plan) -> Vec<String> {
        let more = [
            format!("-DVEC={}", 16 / T::BYTES),
            format!("-DSURFACE={}", u32::from(plan.has_free_surface())),
            format!("-fmad={}", options.contract),
        ];
        [Self::volume_options(plan), more.to_vec()].concat()
    }

    /// How a step with these layers mirrors the free surface, as `Shape::surface` has it; 0: by a
    /// launch of its own, behind everything.
    fn surface(&self, step: &Step, layers: bool) -> i32 {
        let vectors = matches!(self.options.variant.form, Form::Vector { .. });
        if !self.plan.has_free_surface() || step.region == Region::Deep || !vectors {
            return 0;
        }
        match (layers, &self.fused) {
            (false, _) | (true, Some(_)) => 1,
            (true, None) if self.by_lines => {
                let later = Face::ALL[..4].iter().filter(|face| self.plan.absorbs(**face));
                1 + later.map(|face| 2 << *face as i32).sum::<i32>()
            }
            (true, None) => 0,
        }
    }

    fn random_layers(&self, boundary: RandomBoundary) -> Result<RandomLayers<T>> {
        let (plan, device) = (&self.plan, self.device);
        let mut v2 = device.zeros::<T>(self.layout.elements())?;
        v2.copy_from(&self.model)?;
        let interior = plan.interior()?;
        let points = plan.grid.len() - interior.len();
        let bounds = Bounds::of(plan);
        let (low, high) = boundary.range.limits_mps(&bounds, 0.0);
        let (_, stable) = RandRange::Full.limits_mps(&bounds, 0.0);
        let envelope: Vec<f64> = (0..=plan.layers)
            .map(|d| if plan.layers == 0 { 0.0 } else { d as f64 / plan.layers as f64 })
            .map(|d| boundary.envelope.at(d))
            .collect();
        let with_state = boundary.generator == Generator::Lcg;
        let kernels = device.kernels(RANDOM, &Self::volume_options(plan))?;
        let states = with_state.then(|| device.zeros::<u64>(points.max(1))).transpose()?;
        if let Some(states) = &states {
            // SAFETY: the parameters of lcg_start; as many states as points.
            unsafe {
                device.launch(
                    &kernels,
                    "lcg_start",
                    Extent::line(points, 256),
                    &[&states.as_device_ptr(), &boundary.seed, &(points as i64)],
                )?;
            }
        }
        Ok(RandomLayers {
            v2,
            uses: Uses::default(),
            states,
            envelope: device.upload(&envelope)?,
            constants: RandomConstants {
                seed: boundary.seed,
                dt_s: plan.dt_s,
                low,
                high,
                nyquist: 2.0 * plan.peak_hz * plan.grid.d_max_m(),
                stable,
                symmetric: i32::from(boundary.range == RandRange::Symmetric),
                with_state: i32::from(with_state),
                free_surface: i32::from(plan.has_free_surface()),
                unused: 0,
            },
            kernels,
            epoch: 0,
            points,
        })
    }

    /// A launch of one of our kernels.
    fn launch(
        &self,
        kernels: &Kernels,
        name: &str,
        extent: Extent,
        arguments: &[&dyn Argument],
    ) -> Result<()> {
        let place = Place::Stream(self.device.lab().stream());
        self.launch_on(place, kernels, name, extent, arguments)
    }

    fn launch_on(
        &self,
        place: Place<'_>,
        kernels: &Kernels,
        name: &str,
        extent: Extent,
        arguments: &[&dyn Argument],
    ) -> Result<()> {
        // SAFETY: every call in this file passes a kernel's parameters in their order and type;
        // arrays are allocated with the sizes of `LevelLayout` and `LayerLayout`, which are those
        // that the kernels compute from the shape.
        unsafe { place.launch(self.device, false, kernels, name, extent, arguments) }
    }

    /// As `launch_on`, for kernels that call `follow`.
    fn launch_behind(
        &self,
        place: Place<'_>,
        kernels: &Kernels,
        name: &str,
        extent: Extent,
        arguments: &[&dyn Argument],
    ) -> Result<()> {
        // SAFETY: as above; these kernels wait for the one in front of them.
        unsafe { place.launch(self.device, true, kernels, name, extent, arguments) }
    }

    fn field(&self, field: Field) -> DevicePointer<T> {
        self.fields[field.0].values.as_device_ptr()
    }

    fn layer_pointers(&self, layers: Layers) -> LayerPointers {
        let state = &self.states[layers.0];
        let at = |buffer: &Option<DeviceBuffer<T>>| address(buffer.as_ref()).as_raw();
        LayerPointers {
            psi: state.psi.each_ref().map(at),
            zeta: state.zeta.each_ref().map(at),
            profile: self.profile.as_device_ptr().as_raw(),
            length: self.layers.length as i32,
            z_psi: self.layers.z_psi as i32,
            z_zeta: self.layers.z_zeta as i32,
            shift: self.layers.shift as i32,
        }
    }

    /// psi of all faces in one launch, before the fused step.
    fn psi_all(
        &self,
        place: Place<'_>,
        fused: &Kernels,
        cur: Field,
        pointers: LayerPointers,
    ) -> Result<()> {
        let ([nx, ny, nz], l) = (self.plan.grid.n, self.plan.layers);
        let vec = 16 / T::BYTES;
        let threads =
            2 * l * (ny + nx) * nz.div_ceil(vec) + 2 * nx * ny * (self.layers.z_zeta / vec);
        let arguments: [&dyn Argument; 4] =
            [&self.field(cur), &self.shape, &self.weights, &pointers];
        self.launch_on(place, fused, "psi_all", Extent::line(threads, 256), &arguments)
    }

    /// One of the passes over the layers as kernels of their own: `psi`, or `zeta` with what it
    /// adds to the new level.
    fn layer_pass(
        &self,
        place: Place<'_>,
        psi: bool,
        step: &Step,
        pointers: LayerPointers,
        v2: DevicePointer<T>,
    ) -> Result<()> {
        let ([nx, ny, nz], l) = (self.plan.grid.n, self.plan.layers);
        let (next, cur) = (self.field(step.next), self.field(step.cur));
        let arguments: [&dyn Argument; 6] =
            [&next, &cur, &v2, &self.shape, &self.weights, &pointers];
        let Some(of_layers) = &self.of_layers else { return Ok(()) };
        match self.options.layers {
            LayerKernel::Naive => {
                for face in Face::ALL.into_iter().filter(|f| self.plan.absorbs(*f)) {
                    let side = ["left", "right", "back", "front", "top", "bottom"][face as usize];
                    let name = if psi { "psi_" } else { "apply_cpml_" };
                    let mut extent = [nx, ny, nz];
                    extent[face.axis()] = l;
                    let extent = Extent::cover(extent, self.options.layer_block);
                    self.launch_on(place, of_layers, &format!("{name}{side}"), extent, &arguments)?;
                }
            }
            _ => {
                let name = if psi { "psi_" } else { "zeta_" };
                let z_lanes = (l.next_power_of_two() as u32).clamp(4, 32);
                for (axis, points, block) in [
                    ("x", [nz, ny, 2 * l], [32, 8, 1]),
                    ("y", [nz, nx, 2 * l], [32, 8, 1]),
                    ("z", [l, nx * ny, 2], [z_lanes, 256 / z_lanes, 1]),
                ] {
                    let extent = Extent::cover(points, self.improved_block.unwrap_or(block));
                    self.launch_on(place, of_layers, &format!("{name}{axis}"), extent, &arguments)?;
                }
            }
        }
        Ok(())
    }

    /// Both passes, an axis after the other, by blocks that own whole lines across a layer.
    fn layer_lines(
        &self,
        place: Place<'_>,
        step: &Step,
        shape: &Shape,
        pointers: LayerPointers,
        v2: DevicePointer<T>,
    ) -> Result<()> {
        let ([nx, ny, nz], l, half) = (self.plan.grid.n, self.plan.layers, self.plan.order / 2);
        let vec = 16 / T::BYTES;
        let (next, cur) = (self.field(step.next), self.field(step.cur));
        let arguments: [&dyn Argument; 6] = [&next, &cur, &v2, shape, &self.weights, &pointers];
        if let Some((slabs, kernels)) = &self.slabs {
            let prev = self.field(step.prev);
            for (name, extent, [chunk, z_start]) in slabs.launches() {
                let arguments: [&dyn Argument; 9] =
                    [&next, &cur, &prev, &v2, shape, &self.weights, &pointers, &chunk, &z_start];
                self.launch_behind(place, kernels, name, extent, &arguments)?;
            }
        }
        let Some(of_layers) = &self.of_layers else { return Ok(()) };
        let (threads, room) = (self.options.line_threads as usize, self.device.shared_of_a_block());
        // Two buffers: one is computed while the other fills.
        let shared_of_lanes = |lanes: usize| 2 * (5 * l + 4 * half) * lanes * 16;
        let fits = |lanes: &usize| shared_of_lanes(*lanes) <= room;
        let lanes = (1..=(threads / l).clamp(1, 32)).rev().find(fits).unwrap_or(1);
        let absorbing = |axis: usize| {
            Face::ALL.into_iter().any(|face| face.axis() == axis && self.plan.absorbs(face))
        };
        for (axis, name, rows) in [(0, "absorb_x", ny), (1, "absorb_y", nx)] {
            let extent = Extent {
                grid: [nz.div_ceil(vec * lanes) as u32, rows.div_ceil(ROWS_OF_A_BLOCK) as u32, 2],
                block: [lanes as u32, l as u32, 1],
                shared: shared_of_lanes(lanes) as u32,
            };
            if absorbing(axis) && self.slabs.is_none() {
                self.launch_behind(place, of_layers, name, extent, &arguments)?;
            }
        }
        let vectors = self.layers.z_zeta / vec;
        let shared_of_lines =
            |lines: usize| 2 * lines * (5 * vectors + 4 * half.div_ceil(vec)) * 16;
        let fits = |lines: &usize| shared_of_lines(*lines) <= room;
        let lines = (1..=(threads / vectors).max(1)).rev().find(fits).unwrap_or(1);
        let extent = Extent {
            grid: [(nx * ny).div_ceil(lines * ROWS_OF_A_BLOCK) as u32, 1, 2],
            block: [vectors as u32, lines as u32, 1],
            shared: shared_of_lines(lines) as u32,
        };
        if absorbing(2) {
            self.launch_behind(place, of_layers, "absorb_z", extent, &arguments)?;
        }
        Ok(())
    }

    /// Adds the levels of one time or two to the image's sums.
    fn image_of(&self, first: [Field; 2], later: Option<[Field; 2]>) -> Result<()> {
        let [nx, ny, nz] = self.plan.interior()?.n;
        let vec = 16 / T::BYTES;
        let vectors = (nz + self.plan.layers % vec).div_ceil(vec);
        let extent = Extent::cover([vectors, ny, nx], [32, 8, 1]);
        let sums = self.sums.each_ref().map(|s| address(s.as_ref()));
        let [ps, pr] = first.map(|f| self.field(f));
        let [later_ps, later_pr] =
            later.map_or([DevicePointer::null(); 2], |pair| pair.map(|f| self.field(f)));
        let arguments: [&dyn Argument; 8] =
            [&sums[0], &sums[1], &sums[2], &ps, &pr, &later_ps, &later_pr, &self.shape];
        let fields = first.into_iter().chain(later.into_iter().flatten());
        let reads: Vec<_> = fields.map(|f| &self.fields[f.0].uses).collect();
        self.on(Lane::Side, &reads, &[&self.of_sums], |place| {
            self.launch_on(place, &self.images, "image_vector", extent, &arguments)
        })
    }

    /// Adds the levels that wait for the image's next ones, if this one of them is about to change;
    /// `None`: in any case.
    fn image_waiting(&self, changes: Option<Field>) -> Result<()> {
        let waiting = self.waiting.get();
        let changed = |field| waiting.iter().flatten().flatten().any(|of| *of == field);
        match waiting {
            [Some(first), later] if changes.is_none_or(changed) => {
                self.waiting.take();
                self.image_of(first, later)
            }
            _ => Ok(()),
        }
    }

    /// (v dt)^2 as steps with this boundary see it.
    fn v2(&self, boundary: Boundary) -> Result<DevicePointer<T>> {
        match (boundary, &self.random) {
            (Boundary::Cpml(_) | Boundary::Reflecting, _) => Ok(self.model.as_device_ptr()),
            (Boundary::Random, Some(random)) => Ok(random.v2.as_device_ptr()),
            (Boundary::Random, None) => Err(Error::Device("the plan has no random layers".into())),
        }
    }

    /// The points of a region; for the vector kernels whole vectors: points too many get a value
    /// that nobody uses.
    fn points_of(&self, region: Region) -> super::layout::Points {
        let deep = self.plan.layers + self.plan.order / 2;
        let mut points = self.layout.points(if region == Region::Deep { deep } else { 0 });
        if matches!(self.options.variant.form, Form::Vector { .. }) {
            points.ends[4] -= points.ends[4] % (16 / T::BYTES) as i32;
        }
        points
    }

    fn run_step(&self, step: &Step) -> Result<()> {
        self.image_waiting(Some(step.next))?;
        let (v2, points) = (self.v2(step.boundary)?, self.points_of(step.region));
        if points.is_empty() {
            return Ok(());
        }
        let layers = step.boundary.layers().filter(|_| self.plan.layers > 0);
        // What does without layers is the source's way back: it goes on beside the receivers'
        // field.
        let deep = step.region == Region::Deep || step.boundary == Boundary::Random;
        let lane = if deep { Lane::Side } else { Lane::Main };
        let [cur, prev, next] = [step.cur, step.prev, step.next].map(|f| &self.fields[f.0].uses);
        let mut reads = vec![cur, prev];
        reads.extend(self.random.as_ref().map(|r| &r.uses));
        let mut writes = vec![next];
        writes.extend(layers.map(|l| &self.states[l.0].uses));
        self.on(lane, &reads, &writes, |place| self.step_on(place, step, layers, v2, points))
    }

    fn step_on(
        &self,
        place: Place<'_>,
        step: &Step,
        layers: Option<Layers>,
        v2: DevicePointer<T>,
        points: super::layout::Points,
    ) -> Result<()> {
        let half = self.plan.order / 2;
        let pointers = layers.map(|layers| self.layer_pointers(layers));
        let fused = self.fused.as_ref().filter(|_| pointers.is_some());
        let by_lines = self.by_lines;
        match (pointers, fused) {
            (Some(pointers), Some(fused)) => {
                self.psi_all(place, &fused.kernels, step.cur, pointers)?
            }
            (Some(pointers), None) if !by_lines => {
                self.layer_pass(place, true, step, pointers, v2)?
            }
            _ => {}
        }
        let variant = self.options.variant;
        let (kernel, points, count) = match (pointers, fused, &self.slabs) {
            (Some(_), Some(fused), _) => (fused, points, 10),
            (Some(_), None, Some((slabs, _))) => (&self.bare, slabs.others(&self.plan), 9),
            _ => (&self.bare, points, 9),
        };
        let (extent, chunk) =
            variant.extent(&points, kernel.block, half, T::BYTES, kernel.resident);
        let chunk = chunk as i32;
        let (next, cur, prev) =
            (self.field(step.next), self.field(step.cur), self.field(step.prev));
        let table = self.table.as_device_ptr();
        let nothing = LayerPointers {
            psi: [0; 6],
            zeta: [0; 6],
            profile: 0,
            length: 0,
            z_psi: 0,
            z_zeta: 0,
            shift: 0,
        };
        let of_layers = pointers.unwrap_or(nothing);
        let shape = Shape { surface: self.surface(step, pointers.is_some()), ..self.shape };
        let arguments: [&dyn Argument; 10] =
            [&next, &cur, &prev, &v2, &shape, &points, &self.weights, &table, &chunk, &of_layers];
        let (kernels, name, arguments) = (&kernel.kernels, variant.function, &arguments[..count]);
        match variant.form {
            // All are of the layers.
            _ if points.is_empty() => {}
            Form::Vector { .. } => self.launch_behind(place, kernels, name, extent, arguments)?,
            _ => self.launch_on(place, kernels, name, extent, arguments)?,
        }
        match (pointers, fused) {
            (Some(pointers), None) if by_lines => {
                self.layer_lines(place, step, &shape, pointers, v2)?
            }
            (Some(pointers), None) => self.layer_pass(place, false, step, pointers, v2)?,
            _ => {}
        }
        if !self.plan.has_free_surface() || step.region == Region::Deep || shape.surface != 0 {
            return Ok(());
        }
        let [nx, ny, _] = self.plan.grid.n;
        let arguments: [&dyn Argument; 5] = [&next, &cur, &v2, &self.shape, &self.weights];
        self.launch_on(place, &self.shot, "mirror", Extent::line(nx * ny, 256), &arguments)
    }

    fn at_points(&self, kernel: &str, field: Field, points: Points, k: i32) -> Result<()> {
        let (of_field, first) = (&self.fields[field.0].uses, &self.of_first);
        let set = &self.points[points.0];
        if set.order.is_empty() {
            return Ok(());
        }
        let n = set.place.len();
        let (n, traces) = (n as i32, set.order.len() as i32);
        let arguments: [&dyn Argument; 8] = [
            &self.field(field),
            &set.samples.as_device_ptr(),
            &set.first.as_device_ptr(),
            &set.place.as_device_ptr(),
            &n,
            &traces,
            &k,
            &self.first.as_device_ptr(),
        ];
        let extent = Extent::line(set.place.len(), 128);
        match kernel {
            // Behind a step, for which all wait.
            "inject" => self.on(of_field.writer(), &[&set.uses, first], &[of_field], |place| {
                self.launch_behind(place, &self.shot, kernel, extent, &arguments)
            }),
            _ => self.on(Lane::Side, &[of_field, first], &[&set.uses], |place| {
                self.launch_on(place, &self.shot, kernel, extent, &arguments)
            }),
        }
    }

    fn shell_points(&self) -> Result<usize> {
        self.layout.shell().ok_or_else(|| no_shell(&self.plan))
    }

    /// Whether there is room for the shell of a level.
    fn check_shell(&self, shells: Shells, level: usize) -> Result<()> {
        if (level + 1) * self.shell_points()? > self.shells[shells.0].values.len() {
            return Err(Error::Device(format!("there is no room for the shell of level {level}")));
        }
        Ok(())
    }

    fn shell(&self, kernel: &str, field: Field, shells: Shells, level: i32) -> Result<()> {
        let n = self.shell_points()?;
        let ShellStore { values: store, uses } = &self.shells[shells.0];
        let points = n as u32;
        let arguments: [&dyn Argument; 6] = [
            &self.field(field),
            &store.as_device_ptr(),
            &self.shape,
            &points,
            &level,
            &self.first.as_device_ptr(),
        ];
        let of_field = &self.fields[field.0].uses;
        let (lane, read, written) = match kernel {
            "save_shell" => (Lane::Side, of_field, uses),
            _ => (of_field.writer(), uses, of_field),
        };
        self.on(lane, &[read, &self.of_first], &[written], |place| {
            self.launch_on(place, &self.shot, kernel, Extent::line(n, 256), &arguments)
        })
    }

    /// Issues a call, or lets it wait for others.
    fn call(&self, call: Call) -> Result<()> {
        let ends = self.repeats.borrow().as_ref().is_some_and(|repeats| repeats.ends_before(&call));
        if ends {
            self.issue()?;
        }
        match self.repeats.borrow_mut().as_mut() {
            Some(repeats) => {
                repeats.add(call);
                Ok(())
            }
            None => self.run(&call),
        }
    }

    /// Issues the calls that wait: as a graph, if the same came before.
    fn issue(&self) -> Result<()> {
        let mut repeats = self.repeats.borrow_mut();
        let Some(known) = repeats.as_mut() else { return Ok(()) };
        let (run, first) = known.take(self.waiting.get());
        if run.calls.is_empty() {
            return Ok(());
        }
        self.count_from(first)?;
        let lanes = match &self.lanes {
            Some(lanes) if !self.device.is_timing() && !known.is_new(&run) => lanes,
            _ => return self.run_all(&run),
        };
        if let Some(graph) = known.graph(&run) {
            self.waiting.set(graph.waiting);
            return lanes.issue(self.device, &graph.launches);
        }
        let launches = lanes.graph_of(self.device, || self.run_all(&run))?;
        let waiting = self.waiting.replace(run.waiting);
        let Some(launches) = launches else {
            known.graphs = false;
            return self.run_all(&run);
        };
        self.waiting.set(waiting);
        lanes.issue(self.device, &launches)?;
        known.keep(&run, Graph { launches, waiting });
        Ok(())
    }

    /// The time from which the next calls count theirs.
    fn count_from(&self, first: i32) -> Result<()> {
        self.on(Lane::Main, &[], &[&self.of_first], |_| self.device.set_number(&self.first, first))
    }

    fn run_all(&self, run: &Run) -> Result<()> {
        run.calls.iter().try_for_each(|call| self.run(call))
    }

    fn run(&self, call: &Call) -> Result<()> {
        match *call {
            Call::Step(step) => self.run_step(&step),
            Call::Pair(first, second) => self.run_pair(&first, &second),
            Call::Inject(field, points, k) => {
                self.image_waiting(Some(field))?;
                self.at_points("inject", field, points, k)
            }
            Call::Record(field, points, k) => self.at_points("record", field, points, k),
            Call::SaveShell(field, shells, level) => self.shell("save_shell", field, shells, level),
            Call::LoadShell(field, shells, level) => {
                self.image_waiting(Some(field))?;
                self.shell("load_shell", field, shells, level)
            }
            Call::Image(source, receivers) => self.run_image(source, receivers),
        }
    }

    fn run_image(&self, source: Field, receivers: Field) -> Result<()> {
        if self.options.image == ImageKernel::Vector {
            // The levels of two times together, if the first ones are still there then; where steps
            // become pairs, one of these may take them.
            let levels = Some([source, receivers]);
            let (waits, done) = match self.waiting.take() {
                [None, _] => ([levels, None], None),
                [Some(first), None] if self.pairs.is_none() => {
                    ([None, None], Some((first, levels)))
                }
                [Some(first), None] => ([Some(first), levels], None),
                [Some(first), later] => ([levels, None], Some((first, later))),
            };
            self.waiting.set(waits);
            return done.map_or(Ok(()), |(first, later)| self.image_of(first, later));
        }
        let inner = self.plan.interior()?.n;
        let [nx, ny, nz] = inner;
        let block = self.options.image_block;
        let (name, extent) = match self.options.image {
            ImageKernel::Naive => ("image_naive", Extent::cover(inner, block)),
            _ => ("image_improved", Extent::cover([nz, ny, nx], block)),
        };
        let sums = self.sums.each_ref().map(|s| address(s.as_ref()));
        let [ps, pr] = [self.field(source), self.field(receivers)];
        let arguments: [&dyn Argument; 6] = [&sums[0], &sums[1], &sums[2], &ps, &pr, &self.shape];
        let reads = [source, receivers].map(|f| &self.fields[f.0].uses);
        self.on(Lane::Side, &reads, &[&self.of_sums], |place| {
            self.launch_on(place, &self.shot, name, extent, &arguments)
        })
    }
}

/// How many levels of a field that goes back in time take turns, where kernels make pairs of steps
/// or not.
fn turns(plan: &Plan, pairs: bool) -> usize {
    let back = matches!(plan.strategy, Strategy::SaveBoundaries | Strategy::RandomBoundaries(_));
    if pairs && back && plan.layers <= MOST_BY_LINES { 3 } else { 2 }
}

/// What [`Engine::bytes`] will say of a plan's run, with kernels for layers that own lines, and
/// with those for pairs of steps.
pub(super) fn shot_bytes<T: Real, const LINES: bool, const PAIRS: bool>(
    plan: &Plan,
    samples: usize,
) -> usize {
    let layout = LevelLayout::new(plan.grid.n, plan.order, plan.layers);
    let z_halo = z_halo(LINES && plan.layers <= MOST_BY_LINES);
    let of_layers = LayerLayout::<T>::new(plan, &layout, 1.0, z_halo);
    let layers = of_layers.psi.iter().chain(&of_layers.zeta).sum();
    let volume = layout.elements();
    let turns = turns(plan, PAIRS);
    let parts = Parts { volume, layers, image: volume, random: volume, turns };
    parts.bytes::<T>(plan, samples) + volume * T::BYTES
}

/// The traces in the order of their points, and where each point's begin.
fn by_point(
    traces: &[[usize; 3]],
    index: impl Fn([usize; 3]) -> usize,
) -> (Vec<usize>, Vec<i32>, Vec<i64>) {
    let mut order: Vec<usize> = (0..traces.len()).collect();
    order.sort_by_key(|trace| index(traces[*trace]));
    let (mut first, mut place) = (Vec::new(), Vec::<i64>::new());
    for (i, trace) in order.iter().enumerate() {
        let at = index(traces[*trace]) as i64;
        if place.last() != Some(&at) {
            place.push(at);
            first.push(i as i32);
        }
    }
    first.push(order.len() as i32);
    (order, first, place)
}

impl<T: DeviceCopy> Drop for CudaEngine<'_, T> {
    fn drop(&mut self) {
        // What a survey's next shot needs again. The default place, which clears it for that,
        // waits for this shot's kernels.
        if let Some(shells) = self.shells.pop() {
            self.device.keep(shells.values);
        }
    }
}

impl<T: Real + DeviceCopy> Engine<T> for CudaEngine<'_, T> {
    fn new_field(&mut self) -> Result<Field> {
        let values = self.device.zeros(self.layout.elements())?;
        self.fields.push(Level { values, uses: Uses::default() });
        Ok(Field(self.fields.len() - 1))
    }

    fn turns(&self) -> usize {
        if self.pairs.is_some() { 3 } else { 2 }
    }

    fn new_layers(&mut self) -> Result<Layers> {
        let (psi, zeta) = ([const { None }; 6], [const { None }; 6]);
        let mut state = LayerState { psi, zeta, uses: Uses::default() };
        for face in 0..6 {
            if self.layers.psi[face] > 0 && self.plan.layers > 0 {
                state.psi[face] = Some(self.device.zeros(self.layers.psi[face])?);
                state.zeta[face] = Some(self.device.zeros(self.layers.zeta[face])?);
            }
        }
        self.states.push(state);
        Ok(Layers(self.states.len() - 1))
    }

    fn new_points(&mut self, traces: &Traces<T>) -> Result<Points> {
        traces.check("trace", &self.plan.grid, self.plan.nt)?;
        let (order, first, place) = by_point(&traces.points, |p| self.layout.index(p));
        // The device sorts the samples: it is good at it, and the host has them to copy only.
        let sorted = self.device.zeros::<T>(traces.samples.len())?;
        if !order.is_empty() {
            let given = self.device.upload(&traces.samples)?;
            let places: Vec<i32> = order.iter().map(|i| *i as i32).collect();
            let places = self.device.upload(&places)?;
            let (n, nt) = (order.len() as i32, traces.nt as i32);
            let (to, from) = (sorted.as_device_ptr(), given.as_device_ptr());
            let arguments: [&dyn Argument; 5] = [&to, &from, &places.as_device_ptr(), &n, &nt];
            let mut extent = Extent::cover([order.len(), traces.nt, 1], [32, 8, 1]);
            extent.grid[1] = extent.grid[1].min(1024);
            self.launch(&self.shot, "sort_traces", extent, &arguments)?;
            self.device.synchronize()?;
        }
        self.points.push(PointSet {
            traces: Traces { samples: Vec::new(), points: traces.points.clone(), ..*traces },
            samples: sorted,
            order,
            first: self.device.upload(&first)?,
            place: self.device.upload(&place)?,
            uses: Uses::default(),
        });
        Ok(Points(self.points.len() - 1))
    }

    fn new_shells(&mut self, levels: usize) -> Result<Shells> {
        let n = self.shell_points()?;
        let values = self.device.large_zeros(levels * n)?;
        self.shells.push(ShellStore { values, uses: Uses::default() });
        Ok(Shells(self.shells.len() - 1))
    }

    fn clear_field(&mut self, field: Field) -> Result<()> {
        self.issue()?;
        self.image_waiting(Some(field))?;
        Ok(self.fields[field.0].values.set_zero()?)
    }

    fn clear_layers(&mut self, layers: Layers) -> Result<()> {
        self.issue()?;
        self.states[layers.0].buffers().try_for_each(|b| Ok(b.set_zero()?))
    }

    fn copy_field(&mut self, from: Field, to: Field) -> Result<()> {
        self.issue()?;
        self.image_waiting(Some(to))?;
        if from != to {
            let [from, to] = self
                .fields
                .get_disjoint_mut([from.0, to.0])
                .map_err(|_| Error::Device("there is no such level".into()))?;
            to.values.copy_from(&from.values)?;
        }
        Ok(())
    }

    fn copy_layers(&mut self, from: Layers, to: Layers) -> Result<()> {
        self.issue()?;
        if from != to {
            let [from, to] = self
                .states
                .get_disjoint_mut([from.0, to.0])
                .map_err(|_| Error::Device("there are no such layers".into()))?;
            for (to, from) in to.buffers().zip(from.buffers()) {
                to.copy_from(&*from)?;
            }
        }
        Ok(())
    }

    fn step(&mut self, step: Step) -> Result<()> {
        step.check()?;
        self.call(Call::Step(step))
    }

    fn inject(&mut self, field: Field, points: Points, k: usize) -> Result<()> {
        self.call(Call::Inject(field, points, k as i32))
    }

    fn record(&mut self, field: Field, points: Points, k: usize) -> Result<()> {
        self.call(Call::Record(field, points, k as i32))
    }

    fn traces(&mut self, points: Points) -> Result<Traces<T>> {
        self.issue()?;
        let set = &self.points[points.0];
        self.join()?;
        let samples = self.device.download(&set.samples)?;
        let mut traces = Traces::zeros(set.traces.nt, set.traces.dt_s, set.traces.points.clone());
        for (i, trace) in set.order.iter().enumerate() {
            for (k, sample) in traces.trace_mut(*trace).iter_mut().enumerate() {
                *sample = samples[k * set.order.len() + i];
            }
        }
        Ok(traces)
    }

    fn save_shell(&mut self, field: Field, shells: Shells, level: usize) -> Result<()> {
        self.check_shell(shells, level)?;
        self.call(Call::SaveShell(field, shells, level as i32))
    }

    fn load_shell(&mut self, field: Field, shells: Shells, level: usize) -> Result<()> {
        self.check_shell(shells, level)?;
        self.call(Call::LoadShell(field, shells, level as i32))
    }

    fn randomise(&mut self, epoch: usize) -> Result<()> {
        self.issue()?;
        let Some(mut random) = self.random.take() else {
            return Err(Error::Device("the plan has no random layers".into()));
        };
        let result = self.draw(&mut random, epoch);
        self.random = Some(random);
        result
    }

    fn image(&mut self, source: Field, receivers: Field) -> Result<()> {
        self.call(Call::Image(source, receivers))
    }

    fn sums(&mut self) -> Result<Sums<T>> {
        self.issue()?;
        self.image_waiting(None)?;
        let interior = self.plan.interior()?;
        let first = [self.plan.layers; 3];
        let mut cubes = Vec::new();
        for sum in &self.sums {
            cubes.push(match sum {
                Some(sum) => Some(self.dense(sum, interior, first)?),
                None => None,
            });
        }
        let [correlation, source_energy, receiver_energy] =
            <[Option<Cube<T>>; 3]>::try_from(cubes).unwrap_or_default();
        let correlation = correlation.unwrap_or_else(|| Cube::constant(interior, T::ZERO));
        Ok(Sums { correlation, source_energy, receiver_energy })
    }

    fn read(&mut self, field: Field) -> Result<Cube<T>> {
        self.issue()?;
        self.dense(&self.fields[field.0].values, self.plan.grid, [0; 3])
    }

    fn energy(&mut self, field: Field) -> Result<f64> {
        self.issue()?;
        let level = &self.fields[field.0];
        let n = level.values.len() as i64;
        let (partial, blocks) = (self.partial.as_device_ptr(), ENERGY_BLOCKS as u32);
        let extent = Extent { grid: [blocks, 1, 1], block: [256, 1, 1], shared: 0 };
        let one = Extent { grid: [1, 1, 1], ..extent };
        let (total, parts) = (self.energy.as_device_ptr(), ENERGY_BLOCKS as i32);
        self.on(Lane::Main, &[&level.uses], &[], |place| {
            let field = self.field(field);
            self.launch_on(place, &self.shot, "energy", extent, &[&field, &partial, &n])?;
            self.launch_on(place, &self.shot, "energy_total", one, &[&partial, &total, &parts])
        })?;
        self.device.look(&self.energy)
    }

    fn wait(&mut self) -> Result<()> {
        self.issue()?;
        self.image_waiting(None)?;
        self.join()?;
        self.device.synchronize()
    }

    fn bytes(&self) -> usize {
        let sums = self.sums.iter().flatten().map(|s| s.len()).sum::<usize>();
        let layers: usize = self.layers.psi.iter().chain(&self.layers.zeta).sum();
        let words = self.model.len()
            + sums
            + self.fields.iter().map(|f| f.values.len()).sum::<usize>()
            + self.states.len() * layers
            + self.points.iter().map(|p| p.samples.len()).sum::<usize>()
            + self.shells.iter().map(|s| s.values.len()).sum::<usize>()
            + self.random.as_ref().map_or(0, |r| r.v2.len());
        let states = self.random.as_ref().and_then(|r| r.states.as_ref());
        words * T::BYTES + states.map_or(0, |s| 8 * s.len())
    }
}

impl<T: Real + DeviceCopy> CudaEngine<'_, T> {
    /// The velocities of an epoch.
    fn draw(&self, random: &mut RandomLayers<T>, epoch: usize) -> Result<()> {
        let first = random.epoch;
        random.epoch = epoch;
        self.on(Lane::Side, &[], &[&random.uses], |place| self.draw_on(place, random, first, epoch))
    }

    fn draw_on(
        &self,
        place: Place<'_>,
        random: &RandomLayers<T>,
        mut now: usize,
        epoch: usize,
    ) -> Result<()> {
        let [nx, ny, nz] = self.plan.grid.n;
        if let Some(states) = &random.states {
            let points = random.points as i64;
            while now != epoch {
                let forward = i32::from(now < epoch);
                let arguments: [&dyn Argument; 4] =
                    [&states.as_device_ptr(), &random.constants.seed, &points, &forward];
                let extent = Extent::line(random.points, 256);
                self.launch_on(place, &random.kernels, "lcg_step", extent, &arguments)?;
                now = if forward == 1 { now + 1 } else { now - 1 };
            }
        }
        let arguments: [&dyn Argument; 7] = [
            &random.v2.as_device_ptr(),
            &self.model.as_device_ptr(),
            &address(random.states.as_ref()),
            &random.envelope.as_device_ptr(),
            &self.shape,
            &random.constants,
            &(epoch as u64),
        ];
        let extent = Extent::cover([nz, ny, nx], [32, 8, 1]);
        self.launch_on(place, &random.kernels, "randomise", extent, &arguments)
    }
}
