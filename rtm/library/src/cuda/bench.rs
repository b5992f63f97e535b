//! How fast a device is: time steps, what memory can do, and whole shots against the bound that
//! their traffic sets.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use cust::memory::{CopyDestination, DeviceCopy};
use labkit::{KernelFile, kernel_file};

use super::Cuda;
use super::device::{Device, Extent, KernelTimes};
use super::engine::CudaEngine;
use super::layout::LevelLayout;
use super::split::Split;
use crate::engine::{Backend, Engine, Region, Step};
use crate::grid::Cube;
use crate::plan::{FaceKind, Strategy};
use crate::strategy::memory::Sizes;
use crate::verify::problem::Problem;
use crate::{Error, Grid, Plan, Real, Result, Shot, Traces, fd, strategy};

const COPY: KernelFile = kernel_file!("cuda/copy.cu");

/// Bytes per second of a copy in the device's memory, reads and writes together: the better of the
/// driver's copy and of a kernel's, arrays of `bytes`, the best of `repeats`.
///
/// # Errors
/// There is too little memory.
pub fn copy_bandwidth(device: &Device, bytes: usize, repeats: usize) -> Result<f64> {
    device.make_current()?;
    let n = bytes / 16;
    let from = device.zeros::<f32>(4 * n)?;
    let mut to = device.zeros::<f32>(4 * n)?;
    let kernels = device.kernels(COPY, &[])?;
    let mut best = f64::INFINITY;
    for _ in 0..=repeats {
        let by_driver = device.time_ms(|| Ok(to.copy_from(&from)?))?;
        let by_kernel = device.time_ms(|| {
            // SAFETY: the parameters of copy; both arrays hold n vectors of 16 bytes.
            unsafe {
                device.launch(
                    &kernels,
                    "copy",
                    Extent::line(n.div_ceil(4), 256),
                    &[&to.as_device_ptr(), &from.as_device_ptr(), &(n as i64)],
                )
            }
        })?;
        best = best.min(by_driver).min(by_kernel);
    }
    Ok(2.0 * (16 * n) as f64 / (best * 1e-3))
}

/// A time step's speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Points of the grid.
    pub points: usize,
    /// Milliseconds of a step.
    pub ms: f64,
    /// Bytes of a point that must be moved: two levels and the velocity read, one level written.
    pub bytes_per_point: usize,
}

impl Rate {
    /// 1e9 points a second.
    pub fn gpoints_per_s(&self) -> f64 {
        self.points as f64 / self.ms * 1e-6
    }

    /// 1e9 bytes a second.
    pub fn gb_per_s(&self) -> f64 {
        self.gpoints_per_s() * self.bytes_per_point as f64
    }
}

/// Times steps in a homogeneous medium of `n` points with absorbing layers (0: the bare update),
/// the best of `repeats`. The second result is the threads of the step's block.
///
/// # Errors
/// The device refuses.
pub fn step_rate<T: Real + DeviceCopy>(
    cuda: &Cuda,
    n: [usize; 3],
    order: usize,
    layers: usize,
    steps: usize,
    repeats: usize,
) -> Result<(Rate, [u32; 3])> {
    let grid = Grid::uniform(n, 10.0);
    let dt_s = 0.9 * fd::dt_max_s(order, 10.0, 2000.0);
    let plan = Plan {
        layers,
        faces: [FaceKind::absorbing_if(layers > 0); 6],
        ..Plan::new(grid, order, dt_s, 10, 15.0)
    };
    let velocity = Cube::constant(grid, 2000.0f32);
    // An engine that gathers no calls: they are timed between events.
    let mut engine = CudaEngine::<T>::new(cuda.device(), *cuda.options(), &plan, &velocity)?;
    let levels = [engine.new_field()?, engine.new_field()?];
    let state = if layers > 0 { Some(engine.new_layers()?) } else { None };
    let mut run = |steps: usize| {
        cuda.device().time_ms(|| {
            (0..steps).try_for_each(|k| {
                let (cur, next) = (levels[k % 2], levels[(k + 1) % 2]);
                let (boundary, region) = (state.into(), Region::All);
                engine.step(Step { prev: next, cur, next, boundary, region })
            })
        })
    };
    run(2)?;
    let mut ms = f64::INFINITY;
    for _ in 0..repeats.max(1) {
        ms = ms.min(run(steps)? / steps as f64);
    }
    Ok((Rate { points: grid.len(), ms, bytes_per_point: 4 * T::BYTES }, engine.block()))
}

/// Times steps of one field over several devices, exchange included, by the host's clock; the best
/// of `repeats`.
///
/// # Errors
/// A device refuses.
pub fn split_rate(
    devices: &[Cuda],
    n: [usize; 3],
    order: usize,
    layers: usize,
    steps: usize,
    repeats: usize,
) -> Result<Rate> {
    let grid = Grid::uniform(n, 10.0);
    let dt_s = 0.9 * fd::dt_max_s(order, 10.0, 2000.0);
    let plan = Plan {
        layers,
        faces: [FaceKind::absorbing_if(layers > 0); 6],
        ..Plan::new(grid, order, dt_s, 10, 15.0)
    };
    let velocity = Cube::constant(grid, 2000.0f32);
    let source = Traces::source(dt_s, n.map(|n| n / 2), vec![1.0f32; 10]);
    let mut split = Split::new(devices, &plan, &velocity, &source)?;
    let mut ms = f64::INFINITY;
    for _ in 0..=repeats.max(1) {
        split.wait()?;
        let start = Instant::now();
        (0..steps).try_for_each(|_| split.step())?;
        split.wait()?;
        ms = ms.min(start.elapsed().as_secs_f64() * 1e3 / steps as f64);
    }
    Ok(Rate { points: grid.len(), ms, bytes_per_point: 16 })
}

/// A whole shot's migration.
#[derive(Debug, Clone, PartialEq)]
pub struct ShotTime {
    /// Seconds from the first copy to the device to the image on the host; on the emulated device
    /// those that its model gives the kernels.
    pub seconds: f64,
    /// Of them: until the first time step was asked for (model and traces go to the device, memory
    /// is allocated).
    pub start_s: f64,
    /// Of them: until the last one was asked for. The device is behind the host, so this is what
    /// the host takes to ask.
    pub asked_s: f64,
    /// Bytes that must at least be moved in the device's memory.
    pub bound_bytes: f64,
    /// Bytes allocated.
    pub allocated: usize,
    /// Stencil evaluations.
    pub steps: usize,
    /// Times of each kernel, if they were asked for.
    pub kernels: BTreeMap<String, KernelTimes>,
}

/// Bytes that a shot's migration must move at least, each array once per step: 16 bytes a point for
/// a step (in single precision), psi and zeta of each face read and written, the shell written and
/// read, and 12 bytes a point for the image of a step (the other field read, the sum read and
/// written; the receivers' field is at hand).
pub fn bound_bytes<T: Real>(plan: &Plan) -> f64 {
    let s = Sizes::of(plan);
    let (v, layers) = (s.volume as f64, s.layers as f64);
    let deep: f64 =
        plan.grid.n.iter().map(|n| n.saturating_sub(2 * plan.layers + plan.order) as f64).product();
    let steps = (plan.nt - 1) as f64;
    let absorbing = 4.0 * v + 2.0 * layers;
    let image = steps / plan.ks as f64 * 3.0 * s.interior as f64;
    let words = match plan.strategy {
        Strategy::SaveBoundaries => {
            2.0 * steps * absorbing + steps * (4.0 * deep + 2.0 * s.shell as f64) + image
        }
        Strategy::RandomBoundaries(_) => steps * (absorbing + 2.0 * 4.0 * v) + image,
        _ => strategy::schedule::stencils(plan) as f64 * absorbing + image,
    };
    words * T::BYTES as f64
}

/// A problem of `n` points, `layers` on each side included, with receivers at every fourth point
/// under its surface.
pub fn problem(
    n: [usize; 3],
    layers: usize,
    order: usize,
    nt: usize,
    strategy: Strategy,
) -> Problem {
    let mut problem =
        Problem::lens(n.map(|n| n.saturating_sub(2 * layers).max(1)), layers, order, nt);
    problem.plan.strategy = strategy;
    let places = |n: usize| (layers..n - layers).step_by(4);
    problem.receivers =
        places(n[0]).flat_map(|x| places(n[1]).map(move |y| [x, y, layers + 1])).collect();
    problem
}

/// The problem's shot with made-up traces: each is the wavelet, later by 7 samples than its
/// neighbour's.
fn made_up_shot<T: Real>(problem: &Problem) -> Shot<T> {
    let source = problem.wavelet::<T>();
    let nt = problem.plan.nt;
    let mut receivers = Traces::zeros(nt, problem.plan.dt_s, problem.receivers.clone());
    for (i, sample) in receivers.samples.iter_mut().enumerate() {
        let late = 7 * ((i / nt) % 50);
        *sample = (i % nt).checked_sub(late).map_or(T::ZERO, |k| source.samples[k]);
    }
    Shot { source, receivers }
}

/// When the first and the last time step were asked for.
struct StepClock {
    start: Instant,
    first_s: Option<f64>,
    last_s: f64,
}

impl<T> strategy::Observer<T> for StepClock {
    fn progress(&mut self, _: usize, _: usize) -> bool {
        self.last_s = self.start.elapsed().as_secs_f64();
        self.first_s.get_or_insert(self.last_s);
        true
    }
}

/// Seconds that so many shots of a problem take on several devices, each of which takes the next
/// shot when it is done with one.
///
/// # Errors
/// A device refuses.
pub fn shots_time(devices: &[Cuda], problem: &Problem, shots: usize) -> Result<f64> {
    let shot = made_up_shot::<f32>(problem);
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    let work = |cuda: &Cuda| -> Result<()> {
        while next.fetch_add(1, Ordering::Relaxed) < shots {
            problem.migrate::<f32>(cuda, &shot, problem.plan.strategy)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = devices.iter().map(|cuda| scope.spawn(|| work(cuda))).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(Error::Device("a shot's thread panicked".into())))
        })
    })?;
    Ok(start.elapsed().as_secs_f64())
}

/// Migrates one shot of a problem with made-up traces. With `profile` each launch is timed, which
/// costs a little.
///
/// # Errors
/// The device refuses.
pub fn shot_time<T: Real + DeviceCopy>(
    cuda: &Cuda,
    problem: &Problem,
    profile: bool,
) -> Result<ShotTime>
where
    Cuda: Backend<T>,
{
    let shot = made_up_shot::<T>(problem);
    // The emulator's time is that of its model; the clock on the wall would be that of this
    // machine.
    let emulated = cuda.device().is_emulated();
    if profile || emulated {
        cuda.device().start_timing();
    }
    let mut clock = StepClock { start: Instant::now(), first_s: None, last_s: 0.0 };
    let image = strategy::migrate::<T>(cuda, &problem.plan, &problem.velocity, &shot, &mut clock)?;
    let mut seconds = clock.start.elapsed().as_secs_f64();
    let mut kernels = BTreeMap::new();
    if profile || emulated {
        kernels = cuda.device().stop_timing()?;
    }
    if emulated {
        seconds = 1e-3 * kernels.values().map(|k| k.ms).sum::<f64>();
    }
    Ok(ShotTime {
        seconds,
        start_s: clock.first_s.unwrap_or(0.0),
        asked_s: clock.last_s,
        bound_bytes: bound_bytes::<T>(&problem.plan),
        allocated: image.bytes,
        steps: image.counts.stencil,
        kernels,
    })
}

/// Bytes of a level in the device's layout.
pub fn level_bytes<T: Real>(n: [usize; 3], order: usize) -> usize {
    LevelLayout::new(n, order, 0).elements() * T::BYTES
}
