//! The step on a GPU, or on the emulated device: `kernels/cuda/tti_*.cu` through
//! [`rtm::cuda::device::Device`]. Kernels are data, read when a shot begins.

use std::sync::Arc;

use cust::memory::{CopyDestination, DeviceBuffer, DevicePointer, mem_get_info};
use labkit::{LaunchReport, kernel_file};
use rtm::Result;
use rtm::cuda::device::{Argument, Device, Extent, Kernels};

use super::cpu::check_source;
use super::kernel::{Kernel, Tunable};
use super::layout::VolumeLayout;
use super::{Method, Model, Propagator};

/// Threads of a block, on every GPU that CUDA still knows.
const THREADS: usize = 1024;

/// The kernels' first argument, as `tti.cuh` has it.
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
    squares: [f32; 3],
}

/// A shot in a model on a device.
///
/// Buffers are dropped before the context they live in: fields are dropped in the order in which
/// they stand.
pub struct Gpu {
    kernel: Kernel,
    kernels: Arc<Kernels>,
    coefficients: Vec<DeviceBuffer<f32>>,
    /// The present level: p and q, or pairs of both for the best kernel.
    level: Vec<DeviceBuffer<f32>>,
    /// The level before, which becomes the next.
    old: Vec<DeviceBuffer<f32>>,
    layout: VolumeLayout,
    grid: Grid,
    dt_s: f64,
    source: i32,
    device: Arc<Device>,
}

impl Gpu {
    /// The fields at rest on device 0. `source` is the computed point that emits.
    ///
    /// # Errors
    /// The time step is not stable in the model, or a medium cannot be; the source lies outside;
    /// there is no device, it has not the memory, or the kernel does not compile.
    pub fn new(model: &Model, kernel: Kernel, dt_s: f64, source: [usize; 3]) -> Result<Gpu> {
        model.check(dt_s)?;
        let layout = model.layout;
        let source = check_source(&layout, source)?;
        let device = Arc::new(Device::open(0)?);
        let (free, _) = mem_get_info()?;
        kernel.check(&layout, free as u64, THREADS)?;
        Ok(Gpu {
            kernels: load(&device, &kernel, &layout)?,
            coefficients: upload(&device, &kernel, model, dt_s)?,
            level: kernel.level(&layout, |n| device.zeros(n))?,
            old: kernel.level(&layout, |n| device.zeros(n))?,
            grid: Grid {
                n: layout.n.map(|n| n as i32),
                first: layout.first as i32,
                row: layout.row as i32,
                plane: layout.plane as i32,
                chunk: kernel.planes(&layout) as i32,
                inverse: layout.inverse_spacings(),
                dt2: (dt_s * dt_s) as f32,
                squares: layout.d_m.map(|d| (d * d) as f32),
            },
            dt_s,
            source: source as i32,
            kernel,
            layout,
            device,
        })
    }

    /// Counters of the launches since the last time; empty on a real GPU.
    pub fn take_reports(&self) -> Vec<LaunchReport> {
        self.device.lab().take_reports()
    }

    /// What the emulated device found beside results: memory never written, leaks; empty on a real
    /// GPU.
    pub fn take_findings(&self) -> Vec<String> {
        self.device.lab().take_faults().iter().map(ToString::to_string).collect()
    }

    /// Issues one step: source, kernel, and the levels change their places.
    fn step(&mut self, sample: f32) -> Result<()> {
        let addresses = |arrays: &[DeviceBuffer<f32>]| -> Vec<DevicePointer<f32>> {
            arrays.iter().map(|array| array.as_device_ptr()).collect()
        };
        let (level, old) = (addresses(&self.level), addresses(&self.old));
        let one = Extent::line(1, 1);
        let arrays = level.iter().map(|array| array as &dyn Argument);
        let arguments: Vec<&dyn Argument> =
            arrays.chain([&self.source as _, &sample as _]).collect();
        // SAFETY: the volumes of a level, and a point inside.
        unsafe {
            self.device.launch(&self.kernels, self.kernel.inject(), one, &arguments)?;
        }
        let [bx, by] = self.kernel.block;
        let extent = Extent {
            grid: self.kernel.blocks(&self.layout).map(|n| n as u32),
            block: [bx, by, 1],
            shared: self.kernel.ring_bytes() as u32,
        };
        let coefficients = addresses(&self.coefficients);
        let arrays = coefficients.iter().chain(&level).chain(&old);
        let arrays = arrays.map(|array| array as &dyn Argument);
        let arguments: Vec<&dyn Argument> =
            std::iter::once(&self.grid as &dyn Argument).chain(arrays).collect();
        // SAFETY: the arguments are those of the kernels: the grid, the coefficients, two levels,
        // all volumes of `grid`'s layout; the kernels check which of their points exist.
        unsafe {
            self.device.launch(&self.kernels, self.kernel.symbol(), extent, &arguments)?;
        }
        std::mem::swap(&mut self.level, &mut self.old);
        Ok(())
    }
}

fn load(device: &Device, kernel: &Kernel, layout: &VolumeLayout) -> Result<Arc<Kernels>> {
    let file = match kernel.method {
        Method::Base => kernel_file!("cuda/tti_base.cu"),
        Method::Shared => kernel_file!("cuda/tti_shared.cu"),
        Method::SharedQueue => kernel_file!("cuda/tti_shared_queue.cu"),
        Method::Best => kernel_file!("cuda/tti_best.cu"),
    };
    let [x, y] = kernel.block;
    // A fused multiply and add rounds once: kernels are compiled with it everywhere, as nvcc does.
    let mut options = vec!["-fmad=true".into(), format!("-DBX={x}"), format!("-DBY={y}")];
    if kernel.strides {
        options.extend([format!("-DROW={}", layout.row), format!("-DPLANE={}", layout.plane)]);
    }
    if kernel.method == Method::Best {
        options.push(format!("-DASYNC={}", u32::from(device.copies_async())));
    }
    options.extend(kernel.options.iter().cloned());
    device.kernels(file, &options)
}

fn upload(
    device: &Device,
    kernel: &Kernel,
    model: &Model,
    dt_s: f64,
) -> Result<Vec<DeviceBuffer<f32>>> {
    kernel.coefficients(model, dt_s).iter().map(|volume| device.upload(volume)).collect()
}

impl Tunable for Gpu {
    fn change_kernel(&mut self, model: &Model, kernel: Kernel) -> Result<()> {
        kernel.check(&self.layout, u64::MAX, THREADS)?;
        self.kernels = load(&self.device, &kernel, &self.layout)?;
        if kernel.pairs() != self.kernel.pairs() {
            self.coefficients.clear();
            self.coefficients = upload(&self.device, &kernel, model, self.dt_s)?;
            for level in [&mut self.level, &mut self.old] {
                level.clear();
                *level = kernel.level(&self.layout, |n| self.device.zeros(n))?;
            }
        }
        self.grid.chunk = kernel.planes(&self.layout) as i32;
        self.kernel = kernel;
        for field in self.level.iter_mut().chain(&mut self.old) {
            field.set_zero()?;
        }
        Ok(())
    }
}

impl Propagator for Gpu {
    fn name(&self) -> String {
        let times = if self.device.is_emulated() { ", times are predicted" } else { "" };
        format!("{}{times}; {}", self.device.name(), self.kernel.label())
    }

    fn advance(&mut self, samples: &[f32]) -> Result<f64> {
        let device = self.device.clone();
        let ms = device.time_ms(|| samples.iter().try_for_each(|sample| self.step(*sample)))?;
        Ok(ms * 1e-3)
    }

    fn fields(&mut self) -> Result<[Vec<f32>; 2]> {
        let volumes = self.level.iter().map(|array| self.device.download(array));
        Ok(Kernel::split(volumes.collect::<Result<_>>()?))
    }

    fn set_fields(&mut self, now: [&[f32]; 2], before: [&[f32]; 2]) -> Result<()> {
        for (level, fields) in [(&mut self.level, now), (&mut self.old, before)] {
            for (array, volume) in level.iter_mut().zip(self.kernel.join(fields)) {
                array.copy_from(&volume)?;
            }
        }
        Ok(())
    }
}
