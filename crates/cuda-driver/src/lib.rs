//! The CUDA driver API for programs that use cust: forwarded to the real driver of an NVIDIA GPU,
//! or served by `simt`.
//!
//! This crate exports the `cu*` symbols that cust refers to, so that unmodified cust links and
//! starts with nothing installed. Which driver answers is decided at the first call, see
//! [`backend()`]. A program needs nothing but `use cuda_driver as _;` (a program that uses `labkit`
//! has that already).
//!
//! Environment variables: `LAB_DEVICE` (`auto`, `emulated`, `cuda`), `LAB_GPU` (which GPU is stood
//! in for, such as `h200`), `LAB_STEP_LIMIT` (warp instructions of a launch), `LAB_DEVICE_MEMORY`
//! (memory of the emulated device, such as `512M`; 4 GiB if not set), `LAB_TRACE` (a file that gets
//! a [`wire::Trace`] when the process ends).
//!
//! The emulated device behaves as a real one with `CUDA_LAUNCH_BLOCKING=1`: work is done when it is
//! issued, and a fault is the result of the launch that caused it, with the source line in
//! [`last_error_text`]. As on a real device, a fault spoils its context for all later calls, and
//! events and streams count as finished only after the program waited for them. Times come from the
//! model of the named GPU, not from a clock.

mod abi;
mod api;
mod arguments;
mod code;
mod early;
mod emulated;
mod failure;
mod graphs;
mod launch_details;
pub mod library;
mod names;
mod remote;

pub use api::{SYMBOLS, missing_symbols};
pub use code::{result_name, result_text};
pub use early::launch_early;
pub use emulated::device_model;
pub use emulation::image::{IMAGE_MARK, ImageHeader, image};
pub use emulation::{Backend, backend};
pub use failure::{LastError, last_error, last_error_text};
pub use graphs::{After, GraphBuilder, LaunchGraph, Node};
pub use remote::judge;
