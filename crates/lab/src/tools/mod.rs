//! Tools around kernels: run one without host code, count, debug, and look into the compiler.
//!
//! Every tool is a clap `Args` struct with `run`, which writes to the given stream and returns the
//! exit code. Texts for people go to that stream; what stops a tool is a [`Failure`].

use std::io::Write;

use clap::Subcommand;

pub mod cc;
pub mod check;
pub mod compile;
pub mod debug;
mod failure;
pub mod kernel;
pub mod matgen;
pub mod occupancy;
pub mod outside;
pub mod profile;
mod run_file;
pub mod sass;
pub mod session;
mod timeline;

pub use failure::Failure;
pub use workbench::{args, npy};

/// The tools, as subcommands of `cargo lab`.
#[derive(Debug, Subcommand)]
pub enum Tool {
    /// Run a kernel with no host code
    Kernel(kernel::Args),
    /// Check a file with kernels as it stands: compile, run by a run file, findings and counters
    Check(check::Args),
    /// Count what a kernel or a program does, by launch and by source line
    Profile(profile::Args),
    /// Stop a kernel at statements and look at its variables and memory
    Debug(debug::Args),
    /// Resident warps by block size, and what limits them
    Occupancy(occupancy::Args),
    /// Write down every stage between the source and the machine code
    Compile(compile::Args),
    /// Compile as nvcc does, from options on the command line
    Cc(cc::Args),
    /// Show the machine code of a kernel
    Sass(sass::Args),
    /// Write a random matrix and its product with its transpose, for lab 2
    Matgen(matgen::Args),
}

impl Tool {
    /// Runs the tool; the result is the exit code.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn run(&self, out: &mut (dyn Write + Send)) -> Result<u8, Failure> {
        match self {
            Tool::Kernel(args) => args.run(out),
            Tool::Check(args) => args.run(out),
            Tool::Profile(args) => args.run(out),
            Tool::Debug(args) => args.run(out),
            Tool::Occupancy(args) => args.run(out),
            Tool::Compile(args) => args.run(out),
            Tool::Cc(args) => args.run(out),
            Tool::Sass(args) => args.run(out),
            Tool::Matgen(args) => args.run(out),
        }
    }
}
