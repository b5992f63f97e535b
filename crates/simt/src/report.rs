//! Counts of one launch. Definitions: [`Counters`]; they are exact, and the same on every machine.

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use crate::counters::Counters;
use crate::predict::{Prediction, Schedule};
use crate::source::Location;

/// Counts of one source line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineReport {
    /// File and line; the column is that of the first counted instruction.
    pub at: Location,
    /// Counts.
    pub counters: Counters,
}

/// Everything that one launch told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchReport {
    /// Kernel name.
    pub kernel: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub dynamic_shared: u32,
    /// Static shared memory in bytes.
    pub static_shared: u32,
    /// Registers per thread, an estimate.
    pub registers: u32,
    /// Sums over the launch.
    pub total: Counters,
    /// The same by source line, sorted by file and line; lines without counts are left out.
    pub lines: Vec<LineReport>,
    /// Output of `printf`, in block order; cut at the buffer's size.
    pub printf: String,
    /// Lines of `printf` that did not fit.
    pub printf_lost: u64,
    /// Predicted time on [`LaunchReport::device`].
    pub predicted_ms: f64,
    /// The same by resource.
    #[serde(default)]
    pub prediction: Prediction,
    /// What the prediction needs besides the counts.
    #[serde(default)]
    pub schedule: Schedule,
    /// Name of the device whose description gave the prediction.
    pub device: String,
    /// Base addresses of the allocations that the kernel read.
    pub read: Vec<u64>,
    /// Base addresses of the allocations that the kernel wrote.
    pub written: Vec<u64>,
    /// Races in global memory were asked for, but no longer looked for towards the end: the launch
    /// has more pairs of block and barrier interval than the search can tell apart.
    #[serde(default)]
    pub races_given_up: bool,
    /// Reads and stores of different threads in no order, of which the code and the values tell
    /// that the order makes no difference; by line, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub harmless_races: Vec<HarmlessRace>,
    /// Bytes of global memory that the kernel touched, if [`crate::ExecOptions::touched`] asked for
    /// them.
    #[serde(skip)]
    pub touched: Vec<Touched>,
}

/// Two lines whose accesses to one word meet in no order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HarmlessRace {
    /// The read.
    pub read: Location,
    /// The store.
    pub store: Location,
}

/// Bytes of an allocation that a launch touched for certain, as ranges of offsets that rise and do
/// not meet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Base address of the allocation.
    pub base: u64,
    /// Bytes read.
    pub read: Vec<Range<u64>>,
    /// Bytes written or atomically updated.
    pub written: Vec<Range<u64>>,
}
