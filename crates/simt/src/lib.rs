//! Compiler and executor for CUDA C and OpenCL C kernels on the CPU, with checks and counters.
//!
//! The pipeline, each stage in its own module: [`source`] text -> tokens -> tree -> typed [`hir`] -> bytecode ->
//! warps in lockstep over device [`memory`]. [`fault`] says what went wrong, [`report`] what was counted,
//! [`device`] which GPU is stood in for. Nothing here knows of labs, of the driver API, or of the host's memory.
#![forbid(unsafe_code)]

mod ast;
mod builtins;
pub mod bytecode;
pub mod cc;
pub mod compile;
pub mod debug;
pub mod device;
pub mod diag;
pub mod exec;
pub mod fault;
pub mod hir;
pub mod language;
mod lex;
mod listing;
mod lower;
pub mod memory;
pub mod occupancy;
pub mod opencl;
mod parse;
pub mod pattern;
mod pp;
pub mod predict;
pub mod program;
pub mod render;
pub mod report;
mod sema;
pub mod source;
mod stack;
pub mod stages;
mod suggest;
mod tree;
mod walk;

pub use compile::{expression_in_scope, front_end};
pub use exec::{ExecOptions, Launch, Range, launch, launch_debug, patterns};
pub use language::{CompileOptions, Language};
pub use memory::{AllocationInfo, Memory, MemoryError, ReadState};
pub use program::{GlobalInfo, Instance, KernelInfo, ParamInfo, Program};
