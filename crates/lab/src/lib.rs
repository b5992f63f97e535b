//! The command `cargo lab`: [`course`] for students and instructors, [`tools`] around kernels.

use clap::{Parser, Subcommand};

pub mod course;
pub mod tools;

/// The lab course: what to do next, and how well it is done
#[derive(Debug, Parser)]
#[command(name = "cargo lab", bin_name = "cargo lab", version)]
pub struct Cli {
    /// What to do; without it, the course's status.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// All that the command can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Exercises and marks.
    #[command(flatten)]
    Course(course::Command),
    /// Tools around kernels.
    #[command(flatten)]
    Tool(tools::Tool),
}
