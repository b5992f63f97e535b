//! What a debugging session knows between two commands.

use std::collections::HashMap;
use std::io::{self, Write};

use super::record::Transcript;
use crate::device::DeviceModel;
use crate::exec::debug::Stopped;
use crate::exec::{ExecOptions, Launch};
use crate::hir::{Expr, FuncId, Module};
use crate::memory::Memory;
use crate::program::Instance;
use crate::source::Span;

/// What is debugged.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// GPU that is stood in for.
    pub device: &'a DeviceModel,
    /// Its memory.
    pub memory: &'a Memory,
    /// The loaded program.
    pub instance: &'a Instance,
    /// Kernel, by the name for the host.
    pub symbol: &'a str,
    /// Grid, block, arguments.
    pub launch: &'a Launch,
    /// Checks and limits.
    pub options: &'a ExecOptions,
}

/// A breakpoint, at a statement.
pub(super) struct Breakpoint {
    pub statement: Span,
    pub line: u32,
    pub condition: Option<String>,
    /// The condition compiled for each function that it was met in.
    pub compiled: HashMap<FuncId, Result<Expr, String>>,
    pub hits: u64,
    pub deleted: bool,
}

/// A value that is looked at before each statement of a warp.
pub(super) struct Watch {
    pub text: String,
    pub expr: Expr,
    pub block: [u32; 3],
    pub warp: u32,
    pub lane: u32,
    /// A value in a function means something only there, in the same call.
    pub function: FuncId,
    pub depth: u32,
    pub last: String,
}

/// What the kernel runs on to.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Mode {
    Continue,
    Step { block: [u32; 3], warp: u32, lane: u32, to: Goal },
}

/// Where a step ends.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Goal {
    /// At any statement that lies in no more than so many calls.
    Depth(u32),
    /// At or behind a line of the function in so many calls, or behind that call.
    Line(u32, u32),
}

impl Goal {
    pub fn reached(self, at: &Stopped<'_>) -> bool {
        match self {
            Goal::Depth(depth) => at.depth() <= depth,
            Goal::Line(line, depth) => {
                at.depth() < depth || at.depth() == depth && at.location().line >= line
            }
        }
    }
}

/// What commands are about: a warp before a statement (or behind its last one), and one of its
/// lanes.
pub(super) struct Focus<'a> {
    pub at: Stopped<'a>,
    pub lane: u32,
    /// Active lanes, or those that ran into a fault; none once the warp has ended.
    pub mask: u32,
    /// The kernel is at its end: it cannot be stepped on.
    pub over: bool,
}

/// A session.
pub(super) struct Session<'a> {
    pub subject: Subject<'a>,
    pub module: &'a Module,
    pub next: &'a mut (dyn FnMut() -> Option<String> + Send),
    pub out: &'a mut (dyn Write + Send),
    pub echo: bool,
    pub breakpoints: Vec<Breakpoint>,
    pub watches: Vec<Watch>,
    pub mode: Mode,
    pub quit: bool,
    pub show_ir: bool,
    pub transcript: Transcript,
    pub failed: io::Result<()>,
}

impl Session<'_> {
    pub fn say(&mut self, text: impl AsRef<str>) {
        if self.failed.is_ok() {
            self.failed = writeln!(self.out, "{}", text.as_ref().trim_end_matches('\n'));
        }
    }

    pub fn mistake(&mut self, text: String) {
        self.say(format!("error: {text}"));
        self.transcript.mistakes.push(text);
    }
}

/// The first of some lanes; 0 if there is none.
pub(super) fn first(mask: u32) -> u32 {
    if mask == 0 { 0 } else { mask.trailing_zeros() }
}
