//! What a debugging session did.

use crate::fault::Fault;
use crate::report::LaunchReport;
use crate::source::Location;

/// What a debugging session did, for people and for checks.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    /// Every command behind `(lab) ` (not comments), and what it showed.
    pub text: String,
    /// Every stop in order.
    pub stops: Vec<StopRecord>,
    /// Every `print` in order.
    pub prints: Vec<PrintRecord>,
    /// Breakpoints in order of their numbers (1, 2, ...), deleted ones included.
    pub breakpoints: Vec<BreakRecord>,
    /// Messages of commands that were refused, such as a misspelt name; also in `text`.
    pub mistakes: Vec<String>,
    /// How the kernel ended; `None` if it was not run to its end.
    pub outcome: Option<Result<LaunchReport, Box<Fault>>>,
}

/// A stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopRecord {
    /// Number of the breakpoint; `None` for `step` and `watch`.
    pub breakpoint: Option<usize>,
    /// Place; that of the last statement if the warp has ended.
    pub at: Location,
    /// `blockIdx` of the thread in focus.
    pub block: [u32; 3],
    /// `threadIdx` of the thread in focus.
    pub thread: [u32; 3],
    /// Warp within the block.
    pub warp: u32,
    /// Warp within the launch: block number times warps per block, plus `warp`.
    pub global_warp: u64,
    /// Active lanes.
    pub mask: u32,
}

/// A `print`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintRecord {
    /// As typed.
    pub expression: String,
    /// The value as shown, or why there is none.
    pub value: Result<String, String>,
    /// Index into [`Transcript::stops`] of the stop at which it was asked for.
    pub stop: usize,
}

/// A breakpoint at the end of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakRecord {
    /// Line.
    pub line: u32,
    /// Condition as typed.
    pub condition: Option<String>,
    /// How often it was hit.
    pub hits: u64,
}
