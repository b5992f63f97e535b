//! The OpenCL API for programs that use ocl: the platforms of this machine, and one more that
//! `simt` serves.
//!
//! This crate exports the `cl*` symbols that ocl refers to, so that unmodified ocl links and starts
//! with no OpenCL installed. A program needs nothing but `use opencl_icd as _;` (a program that
//! uses `labkit` has that already). The platform `simt` with its one device, such as
//! `NVIDIA H200 (emulated)`, is always there; if `libOpenCL.so.1` loads, its platforms are there
//! too, and calls on their objects are handed to it.
//!
//! Environment variables are those of `cuda-driver`: `LAB_DEVICE` (`auto`: platforms with a GPU
//! come first, then `simt`, then the others; `cuda`: those of the machine come first, and one of
//! them must have a GPU; `emulated`: `simt` alone), `LAB_GPU`, `LAB_STEP_LIMIT`,
//! `LAB_DEVICE_MEMORY`, `LAB_TRACE`. Launch reports, faults and findings are found where those of
//! CUDA kernels are: [`emulation::findings`].
//!
//! The emulated platform is OpenCL 1.2; on a judge's device it has no images. A command runs as
//! soon as the events that it waits for are complete, usually while it is enqueued. A kernel's
//! fault is the result of that call (`CL_OUT_OF_RESOURCES`), with the source line in
//! [`last_error_text`] and in the context's callback, and it spoils the context for later commands,
//! as it does on a real GPU. The program may *know* that a command is complete only after it
//! waited, so a first question about an event is answered with "running", and profiling times are
//! available only after a wait. These times come from the model of the named GPU, not from a clock.

mod api;
mod code;
mod emulated;
mod failure;
pub mod judge;
mod notify;
mod real;
mod remote;

pub use api::SYMBOLS;
pub use code::status_name;
pub use failure::{LastError, last_error, last_error_text};
pub use real::has_opencl;

/// Name of the emulated platform.
pub const PLATFORM_NAME: &str = "simt";
