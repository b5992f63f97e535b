//! What is counted while a kernel runs. The counts are exact, and the same on every machine.

use serde::{Deserialize, Serialize};

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
