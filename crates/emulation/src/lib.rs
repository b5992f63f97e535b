//! What the emulated devices of a process share, whichever API they are behind: the settings of the
//! environment, whether a GPU's driver or the emulated one serves the CUDA API, and the one place
//! for launch reports, faults and the log of calls.
//!
//! `cuda-driver` and `opencl-icd` are siblings over this crate, so `LAB_GPU`, `LAB_DEVICE_MEMORY`,
//! `LAB_STEP_LIMIT` and `LAB_TRACE` mean the same for CUDA and OpenCL, and a judge finds the
//! launches of both in one list.

pub mod backend;
pub mod calls;
pub mod evidence;
pub mod findings;
pub mod image;
pub mod judge;
pub mod programs;
pub mod remote;
pub mod settings;
mod symbol;
pub mod telling;
mod texts;
pub mod threads;
pub mod trace;

pub use backend::{Backend, backend};
pub use symbol::Symbol;
