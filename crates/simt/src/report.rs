//! Counts of one launch. Definitions: [`Counters`]; they are exact, and the same on every machine.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::predict::Prediction;
use crate::source::Location;

/// Event counts of a launch or of one source line.
///
/// A *request* is one warp instruction with at least one active lane. A *sector* is an aligned
/// 32-byte segment of global memory, counted once per request. A *wavefront* is one pass through
/// the 32 banks of shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Warp instructions (of the emulator's code: only ratios mean something).
    pub inst: u64,
    /// Active lanes summed over `inst`.
    pub thread_inst: u64,
    /// Floating-point operations per active lane: add, sub, mul, div, sqrt, exp, ... 1; fused
    /// multiply-add 2; compare, convert, abs, neg, min, max 0.
    pub flop: u64,
    /// Global load requests.
    pub gld_req: u64,
    /// Sectors of global loads.
    pub gld_sec: u64,
    /// Active lanes of global loads.
    pub gld_lane: u64,
    /// Bytes asked for by the active lanes of global loads.
    pub gld_bytes: u64,
    /// Global store requests.
    pub gst_req: u64,
    /// Sectors of global stores.
    pub gst_sec: u64,
    /// Active lanes of global stores.
    pub gst_lane: u64,
    /// Bytes written by the active lanes of global stores.
    pub gst_bytes: u64,
    /// Shared load requests.
    pub shld_req: u64,
    /// Wavefronts of shared loads: per request the largest number of distinct 4-byte words in one
    /// bank; 8-byte accesses go by half warps, 16-byte ones by quarter warps. Two of these parts go
    /// together if every lane asks for the same address as its neighbour (lanes 0 and 1, 2 and 3,
    /// ...), or as the neighbour but one (0 and 2, 1 and 3, ...).
    pub shld_wf: u64,
    /// Shared store requests.
    pub shst_req: u64,
    /// Wavefronts of shared stores; as for loads, but parts never go together.
    pub shst_wf: u64,
    /// Constant-memory requests.
    pub cld_req: u64,
    /// Extra passes of constant requests: distinct words minus 1.
    pub cld_ser: u64,
    /// Thread-local memory load requests (arrays indexed with run-time values).
    pub lld_req: u64,
    /// Thread-local memory store requests.
    pub lst_req: u64,
    /// Conditional branches evaluated by a warp: `if`, loop tests, `&&`, `||`, `?:`, `switch`.
    pub br_exec: u64,
    /// Those on which the active lanes disagreed.
    pub br_div: u64,
    /// Barriers passed, once per block.
    pub bar: u64,
    /// Atomic requests (global and shared).
    pub atom_req: u64,
    /// Active lanes of atomics.
    pub atom_lane: u64,
    /// Extra passes of atomics: the largest number of lanes on one address, minus 1.
    pub atom_ser: u64,
    /// Warp shuffles and votes.
    pub shfl: u64,
}

impl Counters {
    /// Adds `other` to `self`, field by field.
    pub fn add(&mut self, other: &Counters) {
        let Counters {
            inst,
            thread_inst,
            flop,
            gld_req,
            gld_sec,
            gld_lane,
            gld_bytes,
            gst_req,
            gst_sec,
            gst_lane,
            gst_bytes,
            shld_req,
            shld_wf,
            shst_req,
            shst_wf,
            cld_req,
            cld_ser,
            lld_req,
            lst_req,
            br_exec,
            br_div,
            bar,
            atom_req,
            atom_lane,
            atom_ser,
            shfl,
        } = other;
        self.inst += inst;
        self.thread_inst += thread_inst;
        self.flop += flop;
        self.gld_req += gld_req;
        self.gld_sec += gld_sec;
        self.gld_lane += gld_lane;
        self.gld_bytes += gld_bytes;
        self.gst_req += gst_req;
        self.gst_sec += gst_sec;
        self.gst_lane += gst_lane;
        self.gst_bytes += gst_bytes;
        self.shld_req += shld_req;
        self.shld_wf += shld_wf;
        self.shst_req += shst_req;
        self.shst_wf += shst_wf;
        self.cld_req += cld_req;
        self.cld_ser += cld_ser;
        self.lld_req += lld_req;
        self.lst_req += lst_req;
        self.br_exec += br_exec;
        self.br_div += br_div;
        self.bar += bar;
        self.atom_req += atom_req;
        self.atom_lane += atom_lane;
        self.atom_ser += atom_ser;
        self.shfl += shfl;
    }

    /// SIMD efficiency: active lanes per lane slot, 0..=1; 1 for nothing executed.
    pub fn simd_efficiency(&self) -> f64 {
        if self.inst == 0 { 1.0 } else { self.thread_inst as f64 / (32.0 * self.inst as f64) }
    }
}

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
    /// Bytes of global memory that the kernel touched, if [`crate::ExecOptions::touched`] asked for
    /// them.
    #[serde(skip)]
    pub touched: Vec<Touched>,
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
