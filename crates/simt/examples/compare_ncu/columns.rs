//! The columns of the table: which counter of the emulator stands beside which metrics of the card.

use simt::report::Counters;

use crate::card::{Access, Measured};

/// Heading, the emulator's counter, and the metrics whose sum is the GPU's.
pub struct Column {
    pub title: &'static str,
    pub ours: fn(&Counters) -> u64,
    /// Metrics; `2*` in front counts one twice.
    theirs: &'static [&'static str],
    /// What one instruction adds on the card, for the columns of memory, where equality is
    /// expected. The others are shown side by side.
    pub by_line: Option<fn(&Access) -> u64>,
}

/// The kind of access that an instruction is, such as `LDG`.
fn is(a: &Access, kinds: &[&str]) -> bool {
    a.op.split('.').next().is_some_and(|kind| kinds.contains(&kind))
}

/// Warps that executed it with a lane switched on, as far as that shows: each makes at least one
/// request and wavefront.
fn requests(a: &Access) -> u64 {
    a.executed.min(a.requests + a.wavefronts)
}

/// True for an instruction of a kind that names its space, or of one that does not and went there.
fn global(a: &Access, named: &str, generic: &str) -> bool {
    is(a, &[named]) || is(a, &[generic]) && a.requests > 0
}

fn shared(a: &Access, named: &str, generic: &str) -> bool {
    is(a, &[named]) || is(a, &[generic]) && a.requests == 0 && a.wavefronts > 0
}

fn counted(on: bool, n: u64) -> u64 {
    if on { n } else { 0 }
}

const ATOMICS: &[&str] = &["ATOM", "ATOMG", "ATOMS", "RED", "REDG"];

/// All columns.
pub const COLUMNS: &[Column] = &[
    Column {
        title: "gld.req",
        ours: |c| c.gld_req,
        theirs: &["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
        by_line: Some(|a| counted(global(a, "LDG", "LD"), requests(a))),
    },
    Column {
        title: "gld.sec",
        ours: |c| c.gld_sec,
        theirs: &["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
        by_line: Some(|a| counted(global(a, "LDG", "LD"), a.sectors)),
    },
    Column {
        title: "gst.req",
        ours: |c| c.gst_req,
        theirs: &["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"],
        by_line: Some(|a| counted(global(a, "STG", "ST"), requests(a))),
    },
    Column {
        title: "gst.sec",
        ours: |c| c.gst_sec,
        theirs: &["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
        by_line: Some(|a| counted(global(a, "STG", "ST"), a.sectors)),
    },
    // Requests with a lane switched on: the card also counts instructions that a predicate switches
    // off in all lanes.
    Column {
        title: "shld.req",
        ours: |c| c.shld_req,
        theirs: &["smsp__inst_executed_op_shared_ld_pred_on_any.sum"],
        by_line: Some(|a| counted(shared(a, "LDS", "LD"), requests(a))),
    },
    Column {
        title: "shld.wf",
        ours: |c| c.shld_wf,
        theirs: &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
        by_line: Some(|a| counted(shared(a, "LDS", "LD"), a.wavefronts)),
    },
    Column {
        title: "shst.req",
        ours: |c| c.shst_req,
        theirs: &["smsp__inst_executed_op_shared_st_pred_on_any.sum"],
        by_line: Some(|a| counted(shared(a, "STS", "ST"), requests(a))),
    },
    Column {
        title: "shst.wf",
        ours: |c| c.shst_wf,
        theirs: &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
        by_line: Some(|a| counted(shared(a, "STS", "ST"), a.wavefronts)),
    },
    Column {
        title: "atom.req",
        ours: |c| c.atom_req,
        theirs: &[
            "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
            "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
            "smsp__inst_executed_op_shared_atom_pred_on_any.sum",
        ],
        by_line: Some(|a| counted(is(a, ATOMICS), a.executed)),
    },
    Column { title: "inst", ours: |c| c.inst, theirs: &["smsp__inst_executed.sum"], by_line: None },
    Column {
        title: "branches",
        ours: |c| c.br_exec,
        theirs: &["smsp__inst_executed_op_branch.sum"],
        by_line: None,
    },
    Column {
        title: "divergent",
        ours: |c| c.br_div,
        theirs: &["smsp__sass_branch_targets_threads_divergent.sum"],
        by_line: None,
    },
    Column {
        title: "flop",
        ours: |c| c.flop,
        theirs: &[
            "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
            "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
            "2*smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
            "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
            "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
            "2*smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
        ],
        by_line: None,
    },
];

impl Column {
    /// The GPU's number. Its counters of shared requests and atomics leave out instructions that do
    /// not name their space (`LD`, `ST`, `ATOM`), which the plain build has; there the count by
    /// instruction steps in.
    pub fn card(&self, all: &Measured, accesses: &[Access]) -> Option<u64> {
        let total = self.measured(all)?;
        let Some(count) = self.by_line else { return Some(total) };
        if self.title == "atom.req" && accesses.iter().any(|a| is(a, &["ATOM"])) {
            return Some(accesses.iter().map(count).sum());
        }
        let left_out = |a: &&Access| {
            self.title.starts_with("sh") && self.title.ends_with("req") && is(a, &["LD", "ST"])
        };
        Some(total + accesses.iter().filter(left_out).map(count).sum::<u64>())
    }

    /// `None` where no metric of the column was measured.
    fn measured(&self, all: &Measured) -> Option<u64> {
        let mut sum = None;
        for metric in self.theirs {
            let (factor, name) = metric.strip_prefix("2*").map_or((1.0, *metric), |n| (2.0, n));
            if let Some(v) = all.get(name) {
                sum = Some(sum.unwrap_or(0.0) + factor * v);
            }
        }
        sum.map(|v: f64| v as u64)
    }
}
