//! Emulator against a real GPU: `cargo run --release -p simt --example compare_ncu -- RESULTS`.
//!
//! RESULTS is the folder that `tools/ncu/run.sh` filled. Runs the corpus in the emulator, and prints Markdown: one row per
//! `run` line with the memory counters of both (one number where they are equal, `emulator / GPU` where not), instructions and
//! branches side by side, and whether the outputs are equal bit by bit.

#[path = "../tests/support/case.rs"]
mod case;

use std::collections::BTreeMap;
use std::path::Path;

use case::{Case, Data, execute};
use simt::ExecOptions;
use simt::report::Counters;

/// Counters of the GPU, summed over the launches of a run.
type Measured = BTreeMap<String, f64>;

/// Heading, the emulator's counter, and the metrics whose sum is the GPU's.
struct Column {
    title: &'static str,
    ours: fn(&Counters) -> u64,
    theirs: &'static [&'static str],
    /// Equality is expected: the columns of memory. Others are shown side by side.
    exact: bool,
}

const COLUMNS: &[Column] = &[
    Column {
        title: "gld.req",
        ours: |c| c.gld_req,
        theirs: &["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
        exact: true,
    },
    Column {
        title: "gld.sec",
        ours: |c| c.gld_sec,
        theirs: &["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
        exact: true,
    },
    Column {
        title: "gst.req",
        ours: |c| c.gst_req,
        theirs: &["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"],
        exact: true,
    },
    Column {
        title: "gst.sec",
        ours: |c| c.gst_sec,
        theirs: &["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
        exact: true,
    },
    Column {
        title: "shld.req",
        ours: |c| c.shld_req,
        theirs: &["smsp__inst_executed_op_shared_ld.sum"],
        exact: true,
    },
    Column {
        title: "shld.wf",
        ours: |c| c.shld_wf,
        theirs: &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
        exact: true,
    },
    Column {
        title: "shst.req",
        ours: |c| c.shst_req,
        theirs: &["smsp__inst_executed_op_shared_st.sum"],
        exact: true,
    },
    Column {
        title: "shst.wf",
        ours: |c| c.shst_wf,
        theirs: &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
        exact: true,
    },
    Column {
        title: "atom.req",
        ours: |c| c.atom_req,
        theirs: &[
            "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
            "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
            "smsp__inst_executed_op_shared_atom.sum",
        ],
        exact: true,
    },
    Column { title: "inst", ours: |c| c.inst, theirs: &["smsp__inst_executed.sum"], exact: false },
    Column {
        title: "branches",
        ours: |c| c.br_exec,
        theirs: &["smsp__inst_executed_op_branch.sum"],
        exact: false,
    },
    Column {
        title: "divergent",
        ours: |c| c.br_div,
        theirs: &["smsp__sass_branch_targets_threads_divergent.sum"],
        exact: false,
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
        exact: false,
    },
];

impl Column {
    /// The GPU's number; `None` where no metric of the column was measured.
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

/// Fields of one line of CSV with quotes.
fn fields(line: &str) -> Vec<String> {
    let (mut out, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => out.push(String::new()),
            c => out.last_mut().expect("never empty").push(c),
        }
    }
    out
}

fn read(folder: &Path, name: &str) -> Result<String, String> {
    let path = folder.join(name);
    std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Metrics by case and number of the run.
fn measurements(folder: &Path) -> Result<BTreeMap<(String, usize), Measured>, String> {
    let launches: Vec<(String, usize)> = read(folder, "launches.csv")?
        .lines()
        .filter_map(|line| {
            let f = fields(line);
            Some((f.get(1)?.clone(), f.get(2)?.parse().ok()?))
        })
        .collect();
    let text = read(folder, "ncu.csv")?;
    let mut rows = text.lines().filter(|l| l.starts_with('"')).map(fields);
    let heading = rows.next().ok_or("ncu.csv has no heading")?;
    let mut out: BTreeMap<(String, usize), Measured> = BTreeMap::new();
    for row in rows {
        // the line of units has no launch number
        let Some(id) = row.first().and_then(|id| id.parse::<usize>().ok()) else { continue };
        let launch = launches.get(id).ok_or_else(|| format!("launch {id} is not listed"))?;
        let sums = out.entry(launch.clone()).or_default();
        for (name, value) in heading.iter().zip(&row) {
            if let Ok(v) = value.replace(',', "").parse::<f64>() {
                *sums.entry(name.clone()).or_default() += v;
            }
        }
    }
    Ok(out)
}

/// Outputs by case and buffer.
fn outputs(folder: &Path) -> Result<BTreeMap<(String, String), Vec<u8>>, String> {
    let path = folder.join("outputs.bin");
    let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut out = BTreeMap::new();
    for line in read(folder, "outputs.csv")?.lines() {
        let f = fields(line);
        let [case, buffer, at, size] = f.as_slice() else { return Err(format!("bad {line}")) };
        let at: usize = at.parse().map_err(|_| format!("bad {line}"))?;
        let size: usize = size.parse().map_err(|_| format!("bad {line}"))?;
        let part = bytes.get(at..at + size).ok_or("outputs.bin is too short")?;
        out.insert((case.clone(), buffer.clone()), part.to_vec());
    }
    Ok(out)
}

/// `equal`, or the largest relative difference.
fn agreement(ours: &Data, theirs: &Data) -> f64 {
    if ours.difference(theirs, None).is_none() {
        return 0.0;
    }
    let pairs = ours.reals().into_iter().zip(theirs.reals());
    pairs.map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(f64::MIN_POSITIVE, f64::max)
}

fn main() -> Result<(), String> {
    let folder = std::env::args().nth(1).ok_or("usage: compare_ncu RESULTS")?;
    let folder = Path::new(&folder);
    let (measured, outputs) = (measurements(folder)?, outputs(folder)?);
    let titles: Vec<&str> = COLUMNS.iter().map(|c| c.title).collect();
    println!("| kernel | {} |\n|---|{}", titles.join(" | "), "---:|".repeat(titles.len()));
    let mut equal = vec![(0, 0); COLUMNS.len()];
    let mut results = Vec::new();
    for case in Case::folder(&Case::corpus_dir())? {
        let program = match case.compile() {
            Ok(program) => program,
            Err(error) => {
                println!("| {} | does not compile: {} |", case.name, error.diagnostics[0].message);
                continue;
            }
        };
        let outcome = match execute(&case, &program, &ExecOptions::default()) {
            Ok(outcome) => outcome,
            Err(stop) => {
                let text = stop.to_string();
                println!("| {} | {} |", case.name, text.lines().next().unwrap_or(""));
                continue;
            }
        };
        for (number, (run, counters)) in case.runs.iter().zip(&outcome.counters).enumerate() {
            let Some(gpu) = measured.get(&(case.name.clone(), number)) else { continue };
            let mut cells = Vec::new();
            for (column, (same, all)) in COLUMNS.iter().zip(&mut equal) {
                let ours = (column.ours)(counters);
                cells.push(match column.measured(gpu) {
                    None => format!("{ours} / -"),
                    Some(theirs) => {
                        *all += 1;
                        *same += usize::from(ours == theirs);
                        match (ours == theirs, column.exact) {
                            (true, _) => ours.to_string(),
                            (false, true) => format!("**{ours} / {theirs}**"),
                            (false, false) => format!("{ours} / {theirs}"),
                        }
                    }
                });
            }
            let [gx, gy, gz] = run.grid;
            let [bx, by, bz] = run.block;
            println!(
                "| {}: `{}` {gx}x{gy}x{gz}, {bx}x{by}x{bz} | {} |",
                case.name,
                run.kernel,
                cells.join(" | ")
            );
        }
        for (buffer, _) in &case.checks {
            let Some(bytes) = outputs.get(&(case.name.clone(), buffer.clone())) else { continue };
            let elem = case.buffers.iter().find(|b| b.name == *buffer).expect("checked").elem;
            let theirs = Data::from_bytes(elem, bytes);
            results.push((
                format!("{}.{buffer}", case.name),
                agreement(&outcome.buffers[buffer], &theirs),
            ));
        }
    }
    let shares: Vec<String> = equal.iter().map(|(same, all)| format!("{same} of {all}")).collect();
    println!("| **equal** | {} |", shares.join(" | "));
    let (same, other): (Vec<_>, Vec<_>) = results.iter().partition(|(_, d)| *d == 0.0);
    println!("\n{} of {} output buffers are equal bit by bit.", same.len(), results.len());
    for (name, difference) in other {
        println!("* `{name}`: largest relative difference {difference:.1e}");
    }
    Ok(())
}
