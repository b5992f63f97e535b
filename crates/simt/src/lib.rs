//! Compiler and executor for CUDA C and OpenCL C kernels on the CPU, with checks and counters.
//!
//! The crate `compiler` turns [`source`] text into typed [`hir`] and [`bytecode`]; here warps
//! execute it in lockstep over device [`memory`]. [`fault`] says what went wrong, [`report`] what
//! was counted, [`device`] which GPU is stood in for. Nothing here knows of labs, of the driver
//! API, or of the host's memory.
#![forbid(unsafe_code)]

pub mod cc;
mod counters;
pub mod debug;
pub mod device;
pub mod exec;
pub mod fault;
pub mod memory;
pub mod occupancy;
pub mod opencl;
pub mod pattern;
pub mod predict;
pub mod program;
pub mod render;
pub mod report;
mod schedule;
pub mod stages;
pub mod texture;

pub use compiler::{builtins, bytecode, compile, diag, files, hir, language, order, round, source};

pub use compile::{expression_in_scope, front_end};
pub use exec::{ExecOptions, Launch, Range, launch, launch_debug, patterns};
pub use language::{CompileOptions, Language};
pub use memory::{AllocationInfo, Memory, MemoryError, ReadState};
pub use program::{GlobalInfo, Instance, KernelInfo, ParamInfo, Program};
