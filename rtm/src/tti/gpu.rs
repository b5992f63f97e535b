//! The step on a GPU, or on the emulated device: `kernels/cuda/tti_*.cu` through cust. Kernels are data, read when a shot begins.

use cust::event::{Event, EventFlags};
use cust::launch;
use cust::memory::{CopyDestination, DeviceBuffer, DeviceCopy, mem_get_info};
use cust::module::Module;
use labkit::{During, Lab, LabError, LaunchReport, kernel_file};

use super::cpu::{check_source, inverse_spacings};
use super::layout::Layout;
use super::{Method, Model, Propagator};
use crate::{Error, Result};

/// A method with the shape of its blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Which kernel.
    pub method: Method,
    /// Threads of a block along x and y.
    pub block: [u32; 2],
    /// Planes that a block computes; 0: all. Fewer make more blocks, of which each begins with 8 planes of which nothing is computed
    /// yet (best method only).
    pub chunk: usize,
    /// Further options of the compiler, such as `-DMIN_BLOCKS=2`.
    pub options: Vec<String>,
}

impl Kernel {
    /// The shape that was fastest on an H200, see docs/measurements.md.
    pub fn new(method: Method) -> Kernel {
        let (block, chunk, options) = match method {
            Method::Base => ([32, 16], 64, &[][..]),
            Method::Shared => ([64, 4], 64, &["-DMIN_BLOCKS=2"][..]),
            Method::Best => ([64, 4], 0, &["-DMIN_BLOCKS=2", "-DUNROLL=9"][..]),
        };
        Kernel { method, block, chunk, options: options.iter().map(|&o| o.to_owned()).collect() }
    }

    /// The same with blocks of another shape.
    #[must_use]
    pub fn with_block(self, x: u32, y: u32) -> Kernel {
        Kernel { block: [x, y], ..self }
    }

    /// The same with so many planes a block.
    #[must_use]
    pub fn with_chunk(self, chunk: usize) -> Kernel {
        Kernel { chunk, ..self }
    }

    /// The same with these options of the compiler.
    #[must_use]
    pub fn with_options(self, options: &[&str]) -> Kernel {
        Kernel { options: options.iter().map(|&o| o.to_owned()).collect(), ..self }
    }

    /// For people: `best 32x8, chunk 64, -DMIN_BLOCKS=2`.
    pub fn label(&self) -> String {
        let [x, y] = self.block;
        let mut label = format!("{} {x}x{y}", self.method.name());
        if self.chunk > 0 {
            label += &format!(", chunk {}", self.chunk);
        }
        self.options.iter().for_each(|o| label += &format!(" {o}"));
        label
    }

    fn symbol(&self) -> String {
        format!("tti_{}", self.method.name())
    }

    fn load(&self, lab: &Lab) -> Result<Module> {
        let file = match self.method {
            Method::Base => kernel_file!("cuda/tti_base.cu"),
            Method::Shared => kernel_file!("cuda/tti_shared.cu"),
            Method::Best => kernel_file!("cuda/tti_best.cu"),
        };
        let [x, y] = self.block.map(|n| n.to_string());
        let (x, y) = (format!("-DBX={x}"), format!("-DBY={y}"));
        // A fused multiply and add rounds once: kernels are compiled with it everywhere, as nvcc does.
        let mut options = vec!["-fmad=true", &x, &y];
        options.extend(self.options.iter().map(String::as_str));
        lab.module(file, &options).map_err(Error::from)
    }
}

/// A call's name for the driver's error.
fn call<T>(result: cust::error::CudaResult<T>, what: &str) -> Result<T> {
    result.during(what).map_err(Error::from)
}

/// The argument of every kernel, as `tti.cuh` has it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Grid {
    n: [i32; 3],
    first: i32,
    row: i32,
    plane: i32,
    chunk: i32,
    inverse: [f32; 6],
    dt2: f32,
}

// SAFETY: plain numbers without padding, as the kernel's struct.
unsafe impl DeviceCopy for Grid {}

/// A shot in a model on a device.
///
/// Buffers are dropped before the context they live in: fields are dropped in the order in which they stand.
pub struct Gpu {
    kernel: Kernel,
    module: Module,
    coefficients: Vec<DeviceBuffer<f32>>,
    p: DeviceBuffer<f32>,
    q: DeviceBuffer<f32>,
    /// The level before, which becomes the next.
    old_p: DeviceBuffer<f32>,
    old_q: DeviceBuffer<f32>,
    layout: Layout,
    grid: Grid,
    source: i32,
    lab: Lab,
}

impl Gpu {
    /// The fields at rest on device 0. `source` is the computed point that emits.
    ///
    /// # Errors
    /// The time step is not stable in the model, or a medium cannot be; the source lies outside; there is no device, it has not the
    /// memory, or the kernel does not compile.
    pub fn new(model: &Model, kernel: Kernel, dt_s: f64, source: [usize; 3]) -> Result<Gpu> {
        model.check(dt_s)?;
        let layout = model.layout;
        let source = check_source(&layout, source)?;
        if i32::try_from(layout.len()).is_err() {
            return Err(Error::Memory(format!(
                "{:?} points: a volume has {} elements, and kernels count to 2^31: make the model smaller",
                layout.n,
                layout.len()
            )));
        }
        let lab = Lab::new()?;
        let volumes = 4 + coefficient_count(kernel.method);
        let needed = volumes * layout.len() * size_of::<f32>();
        let (free, _) = call(mem_get_info(), "cuMemGetInfo")?;
        if needed > free {
            return Err(Error::Memory(format!(
                "{volumes} volumes of {:?} points need {} MiB, the device has {} MiB free: make the model smaller, or take \
                 --method best, which needs three volumes less",
                layout.n,
                needed >> 20,
                free >> 20
            )));
        }
        let zeros = || call(DeviceBuffer::zeroed(layout.len()), "allocation of a field");
        Ok(Gpu {
            module: kernel.load(&lab)?,
            coefficients: upload(model, kernel.method)?,
            p: zeros()?,
            q: zeros()?,
            old_p: zeros()?,
            old_q: zeros()?,
            grid: Grid {
                n: layout.n.map(|n| n as i32),
                first: layout.first as i32,
                row: layout.row as i32,
                plane: layout.plane as i32,
                chunk: 0,
                inverse: inverse_spacings(layout.d_m),
                dt2: (dt_s * dt_s) as f32,
            },
            source: source as i32,
            kernel,
            layout,
            lab,
        })
    }

    /// Goes on with another kernel, fields at rest again. `model` must be the one that the shot began with.
    ///
    /// # Errors
    /// As [`Gpu::new`].
    pub fn change_kernel(&mut self, model: &Model, kernel: Kernel) -> Result<()> {
        if coefficient_count(kernel.method) != self.coefficients.len() {
            self.coefficients.clear();
            self.coefficients = upload(model, kernel.method)?;
        }
        self.module = kernel.load(&self.lab)?;
        self.kernel = kernel;
        for field in [&mut self.p, &mut self.q, &mut self.old_p, &mut self.old_q] {
            call(field.set_zero(), "clearing a field")?;
        }
        Ok(())
    }

    /// The kernel at work.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Counters of the launches since the last time; empty on a real GPU.
    pub fn take_reports(&self) -> Vec<LaunchReport> {
        self.lab.take_reports()
    }

    /// What the emulated device found beside results: memory never written, leaks; empty on a real GPU.
    pub fn take_findings(&self) -> Vec<String> {
        self.lab.take_faults().iter().map(ToString::to_string).collect()
    }

    /// Issues one step: source, kernel, and the levels change their places.
    fn step(&mut self, sample: f32) -> std::result::Result<(), LabError> {
        let stream = self.lab.stream();
        let inject = self.module.get_function("tti_inject")?;
        let symbol = self.kernel.symbol();
        let kernel = self.module.get_function(&symbol)?;
        let (p, q) = (self.p.as_device_ptr(), self.q.as_device_ptr());
        let (old_p, old_q) = (self.old_p.as_device_ptr(), self.old_q.as_device_ptr());
        // SAFETY: two volumes, and a point inside.
        unsafe {
            launch!(inject<<<1, 1, 0, stream>>>(p, q, self.source, sample))
                .during("launch of tti_inject")?;
        }
        let [nx, ny, nz] = self.layout.n;
        let chunk = if self.kernel.chunk == 0 { nz } else { self.kernel.chunk.min(nz) };
        let grid = Grid { chunk: chunk as i32, ..self.grid };
        let [bx, by] = self.kernel.block;
        let blocks =
            ((nx as u32).div_ceil(bx), (ny as u32).div_ceil(by), nz.div_ceil(chunk) as u32);
        let c: Vec<_> = self.coefficients.iter().map(|c| c.as_device_ptr()).collect();
        // SAFETY: the arguments are those of the kernels: the grid, ten or seven coefficients, four fields, all volumes of
        // `grid`'s layout; the kernels check which of their points exist.
        unsafe {
            match c[..] {
                [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9] => {
                    launch!(kernel<<<blocks, (bx, by, 1), 0, stream>>>(
                        grid, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, p, q, old_p, old_q
                    ))
                }
                [c0, c1, c2, c3, c4, c5, c6] => launch!(kernel<<<blocks, (bx, by, 1), 0, stream>>>(
                    grid, c0, c1, c2, c3, c4, c5, c6, p, q, old_p, old_q
                )),
                _ => return Err(LabError::msg("a kernel has seven or ten coefficients")),
            }
            .during(format!("launch of {symbol}"))?;
        }
        std::mem::swap(&mut self.p, &mut self.old_p);
        std::mem::swap(&mut self.q, &mut self.old_q);
        Ok(())
    }

    fn timed(&mut self, samples: &[f32]) -> std::result::Result<f64, LabError> {
        let (start, stop) = (Event::new(EventFlags::DEFAULT)?, Event::new(EventFlags::DEFAULT)?);
        start.record(self.lab.stream())?;
        samples.iter().try_for_each(|sample| self.step(*sample))?;
        stop.record(self.lab.stream())?;
        stop.synchronize()?;
        Ok(f64::from(stop.elapsed_time_f32(&start)?) * 1e-3)
    }
}

fn coefficient_count(method: Method) -> usize {
    if method == Method::Best { 7 } else { 10 }
}

fn upload(model: &Model, method: Method) -> Result<Vec<DeviceBuffer<f32>>> {
    let volumes = match method {
        Method::Best => Vec::from(model.compact()),
        _ => Vec::from(model.coefficients()),
    };
    let copy = |v: &Vec<f32>| call(DeviceBuffer::from_slice(v), "allocation of a coefficient");
    volumes.iter().map(copy).collect()
}

impl Propagator for Gpu {
    fn name(&self) -> String {
        let gpu = self.lab.gpu_name().unwrap_or_else(|_| "GPU".into());
        let emulated = match labkit::backend() {
            labkit::Backend::Cuda => "",
            labkit::Backend::Emulated => " (emulated: times are predicted)",
        };
        format!("{gpu}{emulated}, {}", self.kernel.label())
    }

    fn advance(&mut self, samples: &[f32]) -> Result<f64> {
        self.timed(samples).map_err(Error::from)
    }

    fn fields(&mut self) -> Result<[Vec<f32>; 2]> {
        let read = |from: &DeviceBuffer<f32>| {
            let mut to = vec![0f32; from.len()];
            call(from.copy_to(&mut to), "copy of a field to the host").map(|()| to)
        };
        Ok([read(&self.p)?, read(&self.q)?])
    }

    fn set_fields(&mut self, now: [&[f32]; 2], before: [&[f32]; 2]) -> Result<()> {
        let [now_p, now_q] = now;
        let [before_p, before_q] = before;
        for (to, from) in [
            (&mut self.p, now_p),
            (&mut self.q, now_q),
            (&mut self.old_p, before_p),
            (&mut self.old_q, before_q),
        ] {
            call(to.copy_from(from), "copy of a field to the device")?;
        }
        Ok(())
    }
}
