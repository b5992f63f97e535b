//! What the judge and the stages tell each other.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::rules::Sandbox;

/// First argument of a program that was started as a stage.
pub(crate) const STAGE: &str = "--sandbox-stage";

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// By itself, with this code.
    Exit(i32),
    /// By a signal.
    Signal(i32),
    /// Its time was over, on the clock or of the processor.
    Time,
    /// Too many processes and threads.
    Processes,
    /// Too much memory.
    Memory,
    /// A file, or all of them together, became too large.
    Disk,
    /// The sandbox could not be made, or the stage was killed: why. No fault of the program.
    Lost(String),
}

/// What a stage is told.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Spec {
    pub sandbox: Sandbox,
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// The program's input is its output: one socket to the judge.
    pub talk: bool,
    /// What the stages have as their output is the program's input, and its output goes nowhere.
    pub input: bool,
    /// Only say what could be applied.
    pub probe: bool,
}

/// What the stages say to the judge, each a line of JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    Applied(Applied),
    Ended(Ended),
}

/// What the innermost stage could apply to itself.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Applied {
    /// Version of Landlock's interface.
    pub landlock: Result<u32, String>,
    pub seccomp: Result<(), String>,
}
