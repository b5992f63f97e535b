//! The CUDA back end: a shot runs in the memory of one GPU, and nothing passes between it and the
//! host from its first to its last time step but, now and then, one number: whether the field is
//! still finite.
//!
//! Kernels are files below `rtm/kernels/cuda`; they run on a GPU through NVRTC, and on the emulated
//! device, which checks each access, without one. [`variants`] lists those for a time step;
//! [`device`] and [`layout`] are what any kernels of this crate need: set-up, loading, arrays, the
//! padded layout. Rounding is that of the CPU: unless `contract` is set, results of all kernels but
//! `in-plane` have the same bits.

pub mod bench;
pub mod calibrate;
pub mod device;
mod engine;
mod lanes;
pub mod layout;
pub mod split;
pub mod times;
pub mod variants;

use std::fmt;

use crate::engine::{Backend, Engine, Room};
use crate::grid::Velocity;
use crate::{Error, Plan, Result};
use device::Device;
use engine::CudaEngine;
use variants::Variant;

/// Kernels of the absorbing layers (`pml_stencil_kernel`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerKernel {
    /// 1: a launch per face and pass, neighbouring threads along x.
    Naive,
    /// 2: neighbouring threads along z, a launch per axis and pass.
    Improved,
    /// 3: psi of all faces in one launch, the rest within the step; for the vector kernels, else 2.
    Fused,
    /// 4: a launch per axis, whose blocks own whole lines across a layer; for up to 128 layers,
    /// else 2.
    Lines,
}

/// Kernels of the imaging condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageKernel {
    /// `imgcond` 0: neighbouring threads along x.
    Naive,
    /// `imgcond` 7: neighbouring threads along z.
    Improved,
    /// 16 bytes a thread.
    Vector,
}

/// Which kernels, and how they are launched.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The kernel of a time step.
    pub variant: &'static Variant,
    /// Threads of its block instead of the variant's own.
    pub threads: Option<[u32; 3]>,
    /// Kernels of the layers.
    pub layers: LayerKernel,
    /// Block of the naive layer kernels.
    pub layer_block: [u32; 3],
    /// Kernel of the imaging condition.
    pub image: ImageKernel,
    /// Block of the naive and the improved one.
    pub image_block: [u32; 3],
    /// Fuse multiplications and additions: another rounding than the CPU's.
    pub contract: bool,
    /// Blocks of the vector kernels that a multiprocessor should hold: limits their registers.
    pub min_blocks: u32,
    /// Planes that the vector kernels compute without moving their queue; 1 is the shortest code.
    pub unroll: u32,
    /// Marches are cut into pieces until there are four blocks for each of so many multiprocessors:
    /// several times those of the card, so that little of it is idle at the end of a step.
    pub processors: usize,
    /// Let what does not wait for the layers' kernels run beside them, on a second stream.
    pub overlap: bool,
    /// Threads of a block of the kernels that own lines, at most; more where there are more layers.
    pub line_threads: u32,
    /// Blocks of theirs that a multiprocessor should hold; 0: no limit to their registers.
    pub line_blocks: u32,
}

impl Options {
    /// The fastest kernels.
    pub fn best() -> Options {
        Options::of(&variants::VARIANTS[10])
    }

    /// A kernel of a time step with the fastest kernels beside it.
    pub fn of(variant: &'static Variant) -> Options {
        Options {
            variant,
            threads: None,
            layers: LayerKernel::Lines,
            layer_block: [8, 8, 4],
            image: ImageKernel::Vector,
            image_block: [32, 4, 2],
            contract: false,
            min_blocks: 1,
            unroll: 1,
            processors: 528,
            overlap: true,
            line_threads: 256,
            line_blocks: 0,
        }
    }

    /// Everything as the thesis' first version has it.
    pub fn naive() -> Options {
        Options {
            layers: LayerKernel::Naive,
            image: ImageKernel::Naive,
            overlap: false,
            ..Options::of(&variants::VARIANTS[0])
        }
    }

    /// `prop_stencil_kernel` and `pml_stencil_kernel`; a number of 0 leaves the choice.
    ///
    /// # Errors
    /// There is no kernel of that number.
    pub fn of_numbers(stencil: u32, layers: u32) -> Result<Options> {
        let mut options = match stencil {
            0 => Options::best(),
            n => Options::of(Variant::find(&n.to_string())?),
        };
        match layers {
            0 => {}
            1 => options.layers = LayerKernel::Naive,
            2 => options.layers = LayerKernel::Improved,
            3 => options.layers = LayerKernel::Fused,
            4 => options.layers = LayerKernel::Lines,
            n => {
                return Err(Error::refused(
                    format!("pml_stencil_kernel = {n}"),
                    "there is no such kernel",
                    "1 naive, 2 improved, 3 fused with the step, 4 lines, 0 the fastest",
                ));
            }
        }
        Ok(options)
    }

    /// Threads of the step's block.
    pub fn block(&self) -> [u32; 3] {
        self.threads.unwrap_or(self.variant.block)
    }

    fn check(&self) -> Result<()> {
        let [x, y, z] = self.block();
        let threads = u64::from(x) * u64::from(y) * u64::from(z);
        if !(1..=1024).contains(&threads) || z > 64 {
            return Err(Error::refused(
                format!("--block {x},{y},{z}"),
                format!("{threads} threads"),
                "a block has 1 to 1024 threads, at most 64 along its third axis",
            ));
        }
        Ok(())
    }
}

/// A GPU with the choice of kernels.
pub struct Cuda {
    device: Device,
    options: Options,
}

impl fmt::Debug for Cuda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {:?}", self.device.name(), self.options)
    }
}

impl Cuda {
    /// The device of a number with these kernels.
    ///
    /// # Errors
    /// There is no such device; a block is too large.
    pub fn new(index: u32, options: Options) -> Result<Cuda> {
        options.check()?;
        Ok(Cuda { device: Device::open(index)?, options })
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The same device with other kernels.
    ///
    /// # Errors
    /// A block is too large.
    pub fn set_options(&mut self, options: Options) -> Result<()> {
        options.check()?;
        self.options = options;
        Ok(())
    }

    /// The choice of kernels.
    pub fn options(&self) -> &Options {
        &self.options
    }
}

/// For each type by itself, so that the engine is compiled with this crate.
macro_rules! backend {
    ($T:ty) => {
        impl Backend<$T> for Cuda {
            fn name(&self) -> String {
                format!(
                    "cuda ({}, kernel {}, {})",
                    self.device.name(),
                    self.options.variant.name,
                    <$T as crate::Real>::NAME
                )
            }

            fn room(&self) -> Result<Room> {
                let spare_bytes = self.device.spare_bytes()?;
                Ok(Room { spare_bytes, shot_bytes: engine::shot_bytes::<$T> })
            }

            fn engine<'a>(
                &'a self,
                plan: &Plan,
                velocity: &Velocity,
            ) -> Result<Box<dyn Engine<$T> + 'a>> {
                Ok(Box::new(CudaEngine::<$T>::new(&self.device, self.options, plan, velocity)?))
            }
        }
    };
}

backend!(f32);
backend!(f64);
