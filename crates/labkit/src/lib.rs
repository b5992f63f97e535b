//! What the labs' host code uses beside cust: kernels, launch reports, errors for people, files.
//!
//! ```no_run
//! use cust::prelude::*;
//! use labkit::{During, Lab, LabError, kernel_file};
//!
//! fn add(c: &mut [i32], a: &[i32], b: &[i32]) -> Result<(), LabError> {
//!     let lab = Lab::new()?;
//!     let module = lab.module(kernel_file!("add.cu"), &["-DELEM=int"])?;
//!     let kernel = module.get_function("add_kernel")?;
//!     let (a, b) = (DeviceBuffer::from_slice(a)?, DeviceBuffer::from_slice(b)?);
//!     let sum = DeviceBuffer::<i32>::zeroed(c.len())?;
//!     let stream = lab.stream();
//!     // SAFETY: three pointers, as the kernel has them, to buffers of one element per thread.
//!     unsafe {
//!         launch!(kernel<<<1, c.len() as u32, 0, stream>>>(
//!             sum.as_device_ptr(),
//!             a.as_device_ptr(),
//!             b.as_device_ptr()
//!         ))
//!         .during("launch of add_kernel")?;
//!     }
//!     sum.copy_to(c)?;
//!     Ok(())
//! }
//! ```
//!
//! The same program runs on an NVIDIA GPU, where kernels are compiled by NVRTC, and on the emulated
//! device of `cuda-driver`, which needs nothing installed.

pub mod csv;
mod error;
pub mod input;
mod kernel;
mod lab;
pub mod meeting;
mod nvrtc;
pub mod picture;
pub mod serve;

pub use cuda_driver::{After, Backend, GraphBuilder, LaunchGraph, Node, backend, launch_early};
pub use emulation::calls::keep_none as log_no_calls;
pub use error::{During, LabError, check_len, exit};
pub use figures;
pub use kernel::{KernelFile, Source};
pub use lab::Lab;
pub use nvrtc::ptx;
pub use simt::report::LaunchReport;
pub use wire::ApiCall;
