//! What can go wrong while a kernel runs, with both sides of it and the source line.

use serde::{Deserialize, Serialize};

use crate::source::Location;

/// Classes of faults. The code in brackets is the one that graders and messages print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FaultKind {
    /// Global (or constant, or freed) memory outside any allocation (`OOB-G`).
    OutOfBoundsGlobal,
    /// Shared memory outside its variable or the block's window (`OOB-S`).
    OutOfBoundsShared,
    /// A thread's own array outside its bounds (`OOB-L`).
    OutOfBoundsLocal,
    /// Address is not a multiple of the access size (`MISALIGN`).
    Misaligned,
    /// A value was read that nobody had written (`UNINIT`).
    Uninitialised,
    /// Two threads of a block touch one shared word without a barrier between, at least one writes
    /// (`RACE-S`).
    RaceShared,
    /// The same in global memory, also between blocks (`RACE-G`).
    RaceGlobal,
    /// `__syncthreads` or a warp operation not reached by all threads it needs (`BARDIV`).
    DivergentBarrier,
    /// More steps than the budget allows, probably a loop without end (`STEPS`).
    StepLimit,
    /// Integer division by zero (`DIV0`).
    DivisionByZero,
    /// `assert` failed (`ASSERT`).
    Assert,
    /// `__trap` (`TRAP`).
    Trap,
    /// Write to constant memory or through a read-only pointer (`READONLY`).
    ReadOnly,
    /// Wrong format or argument of `printf` (`PRINTF`).
    Printf,
    /// Launch refused: block or grid size, shared memory, arguments (`LAUNCH`).
    BadLaunch,
    /// Device memory exhausted (`OOM`).
    OutOfMemory,
    /// Memory freed twice, or never allocated (`FREE`); found by the driver.
    BadFree,
    /// Memory that was never freed (`LEAK`); found by the driver.
    Leak,
}

impl FaultKind {
    /// Short code, such as `OOB-G`.
    pub fn code(self) -> &'static str {
        match self {
            FaultKind::OutOfBoundsGlobal => "OOB-G",
            FaultKind::OutOfBoundsShared => "OOB-S",
            FaultKind::OutOfBoundsLocal => "OOB-L",
            FaultKind::Misaligned => "MISALIGN",
            FaultKind::Uninitialised => "UNINIT",
            FaultKind::RaceShared => "RACE-S",
            FaultKind::RaceGlobal => "RACE-G",
            FaultKind::DivergentBarrier => "BARDIV",
            FaultKind::StepLimit => "STEPS",
            FaultKind::DivisionByZero => "DIV0",
            FaultKind::Assert => "ASSERT",
            FaultKind::Trap => "TRAP",
            FaultKind::ReadOnly => "READONLY",
            FaultKind::Printf => "PRINTF",
            FaultKind::BadLaunch => "LAUNCH",
            FaultKind::OutOfMemory => "OOM",
            FaultKind::BadFree => "FREE",
            FaultKind::Leak => "LEAK",
        }
    }
}

/// Who did it and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// `threadIdx`.
    pub thread: [u32; 3],
    /// `blockIdx`.
    pub block: [u32; 3],
    /// Source position.
    pub at: Location,
    /// The source line, without its line end.
    pub line_text: String,
    /// Length of the marked text in characters (at least 1).
    pub width: u32,
    /// What it did.
    pub action: ThreadAction,
}

/// What a thread did, or was about to do. In JSON it is the text that a message ends with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum ThreadAction {
    /// Loads from memory.
    Reads,
    /// Stores to memory.
    Writes,
    /// An atomic operation.
    Updates,
    /// Anything else, such as "waits at the barrier".
    Other(String),
}

impl ThreadAction {
    /// As in "thread 3 VERB c[7]".
    pub fn verb(&self) -> &str {
        match self {
            ThreadAction::Reads => "reads",
            ThreadAction::Writes => "writes",
            ThreadAction::Updates => "atomically updates",
            ThreadAction::Other(text) => text,
        }
    }
}

impl std::fmt::Display for ThreadAction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ThreadAction::Reads => "reads here",
            ThreadAction::Writes => "writes here",
            ThreadAction::Updates => "updates here",
            ThreadAction::Other(text) => text,
        })
    }
}

impl From<String> for ThreadAction {
    fn from(text: String) -> ThreadAction {
        let known = [ThreadAction::Reads, ThreadAction::Writes, ThreadAction::Updates];
        known
            .into_iter()
            .find(|action| action.to_string() == text)
            .unwrap_or(ThreadAction::Other(text))
    }
}

impl From<ThreadAction> for String {
    fn from(action: ThreadAction) -> String {
        action.to_string()
    }
}

impl From<&str> for ThreadAction {
    fn from(text: &str) -> ThreadAction {
        ThreadAction::Other(text.into())
    }
}

/// The memory that was touched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Name of the buffer (the kernel parameter or variable that leads to it), such as `a`.
    pub name: String,
    /// Element index in units of the element type; negative before the start.
    pub index: i64,
    /// Number of elements.
    pub len: u64,
    /// Size of an element in bytes.
    pub elem_size: u32,
    /// Address that the thread used.
    pub address: u64,
}

/// A fault of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Class.
    pub kind: FaultKind,
    /// Kernel name.
    pub kernel: String,
    /// One sentence that says all for one line of output, such as
    /// `thread (208,0,0) of block (7,0,0) reads a[2000], but a has 2000 elements`.
    pub message: String,
    /// The thread that was stopped; `None` for refused launches.
    pub site: Option<Site>,
    /// The other side of a race, or a thread that does not reach the barrier.
    pub other: Option<Site>,
    /// Touched memory, if any.
    pub target: Option<Target>,
    /// How many threads of the launch ran into the same fault at this instruction, as far as known
    /// (at least 1).
    pub threads: u64,
    /// What else was found in the launch, the worst first; a few at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Fault>,
}

impl Fault {
    /// The fault with its source line(s), in the shape of a compiler message, ending in a line
    /// feed.
    ///
    /// ```text
    /// fault[OOB-G]: thread (208,0,0) of block (7,0,0) reads a[2000], but a has 2000 elements
    ///  --> add.cu:3:12
    ///   |
    /// 3 |     c[i] = a[i] + b[i];
    ///   |            ^^^^ read here
    /// ```
    pub fn render(&self) -> String {
        let mut out = format!("fault[{}]: {}\n", self.kind.code(), self.message);
        let sides = [(&self.site, '^', "-->"), (&self.other, '-', ":::")];
        for (site, mark, arrow) in sides {
            let Some(site) = site else { continue };
            let number = site.at.line.to_string();
            let gutter = " ".repeat(number.len());
            let before = " ".repeat(site.at.col.saturating_sub(1) as usize);
            let marks: String = std::iter::repeat_n(mark, site.width.max(1) as usize).collect();
            let [x, y, z] = site.thread;
            out += &format!(
                " {arrow} {}\n{gutter} |\n{number} | {}\n{gutter} | {before}{marks} thread \
                 ({x},{y},{z}) {}\n",
                site.at,
                site.line_text.replace('\t', " "),
                site.action
            );
        }
        for other in &self.also {
            out += &other.render();
        }
        out
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} in {}: {}", self.kind.code(), self.kernel, self.message)?;
        if let Some(site) = &self.site {
            write!(f, " at {}", site.at)?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}
