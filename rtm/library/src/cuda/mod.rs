//! The CUDA back end: a shot runs in the memory of one GPU, and nothing passes between it and the
//! host from its first to its last time step but, now and then, one number: whether the field is
//! still finite.
//!
//! Kernels are files below `rtm/library/kernels/cuda`; they run on a GPU through NVRTC, and on the
//! emulated device, which checks each access, without one. [`variants`] lists those for a time
//! step; [`device`] and [`layout`] are what any kernels of this crate need: set-up, loading,
//! arrays, the padded layout. Rounding is that of the CPU: unless `contract` is set, results of all
//! kernels but `in-plane` have the same bits.

pub mod bench;
pub mod device;
pub mod engine;
mod lanes;
pub mod layout;
mod options;
mod repeats;
mod slabs;
pub mod split;
pub mod variants;

use std::fmt;

use crate::engine::{Backend, Engine, Room};
use crate::grid::Velocity;
use crate::{Plan, Result};
use device::Device;
use engine::CudaEngine;
pub use options::{ImageKernel, LayerKernel, Options};

/// A GPU with the choice of kernels.
pub struct Cuda {
    device: Device,
    options: Options,
    /// Shots that the device has at the same time.
    at_once: u64,
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
        Ok(Cuda { device: Device::open(index)?, options, at_once: 1 })
    }

    /// The device of a number as often as it shall compute shots at the same time: each has a
    /// stream of its own and its part of the memory.
    ///
    /// # Errors
    /// As [`Cuda::new`].
    pub fn shared(index: u32, options: Options, at_once: usize) -> Result<Vec<Cuda>> {
        let first = Cuda { at_once: at_once.max(1) as u64, ..Cuda::new(index, options)? };
        let others = (1..at_once)
            .map(|_| Ok(Cuda { device: first.device.again()?, ..first }))
            .collect::<Result<Vec<_>>>()?;
        Ok([first].into_iter().chain(others).collect())
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
                let spare_bytes = self.device.spare_bytes()? / self.at_once;
                let (lines, pairs) = (self.options.layers.owns_lines(), self.options.makes_pairs());
                let shot_bytes = match (lines, pairs) {
                    (true, true) => engine::shot_bytes::<$T, true, true>,
                    (true, false) => engine::shot_bytes::<$T, true, false>,
                    _ => engine::shot_bytes::<$T, false, false>,
                };
                Ok(Room { spare_bytes, shot_bytes })
            }

            fn engine<'a>(
                &'a self,
                plan: &Plan,
                velocity: &Velocity,
            ) -> Result<Box<dyn Engine<$T> + 'a>> {
                let engine = CudaEngine::<$T>::new(&self.device, self.options, plan, velocity)?;
                Ok(Box::new(engine.gathering()))
            }
        }
    };
}

backend!(f32);
backend!(f64);
