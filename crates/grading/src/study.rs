//! Studies: all variants of a kernel over a parameter K, as `cargo lab study NAME` runs them.
//!
//! A lab's `checks` crate describes a study with plain data and one function that launches a
//! variant on the emulated device; the command does the rest: table, CSV, plots, and the times of a
//! card if there is one (through [`Study::bench`], a program of the lab that runs as a child
//! process, because nothing here links student code). To add one: write the constant, and list it
//! in the slice of studies that the command knows.
//!
//! ```text
//! pub const STUDY: Study = Study {
//!     name: "fir", lab: "lab2", title: "...", unit: "output", ks: &[128, 256], at_k: 256,
//!     variants: &[Variant { name: "fir1", what: "naive", exercise: "2.1.6" }],
//!     run, bench: "lab2-bench",
//! };
//! fn run(t: &Trial, variant: &Variant, k: u32) -> Result<Sample, Finding> {
//!     let run = t.kernel(...).define(&format!("K={k}")).compile()?.launch(...).run()?;
//!     let report = run.report().clone();
//!     Ok(Sample { report, outputs, flop_per_output, full_outputs, footprint })
//! }
//! ```

use simt::device::DeviceModel;
use simt::occupancy::{Occupancy, occupancy};
use simt::predict::{Prediction, Work, predict};
use simt::report::{Counters, LaunchReport};

use crate::{Finding, Trial};

/// One study.
#[derive(Clone, Copy, Debug)]
pub struct Study {
    /// Name on the command line, such as `fir`.
    pub name: &'static str,
    /// Id of the lab, such as `lab2`.
    pub lab: &'static str,
    /// Title of the plots.
    pub title: &'static str,
    /// What the counts are divided by, such as `output`.
    pub unit: &'static str,
    /// Values of K, in order.
    pub ks: &'static [u32],
    /// The K of the bar chart and the roofline.
    pub at_k: u32,
    /// Variants; the first one is what the others are compared with.
    pub variants: &'static [Variant],
    /// Runs a variant on the emulated device.
    pub run: fn(&Trial, &Variant, u32) -> Result<Sample, Finding>,
    /// Program of the lab's package that measures on a card. It is called as
    /// `BENCH NAME --ks 128,256` and prints a line of JSON for each variant and K that it can run,
    /// a [`Measured`].
    pub bench: &'static str,
}

/// A study that is no kernel over K: a table and the files that go with it, such as the experiment
/// table of a hardware lab.
#[derive(Clone, Copy, Debug)]
pub struct TableStudy {
    /// Name on the command line, such as `lab4`.
    pub name: &'static str,
    /// Id of the lab whose files are studied.
    pub lab: &'static str,
    /// The exercise whose trial it runs in, such as `4.3`.
    pub exercise: &'static str,
    /// Makes everything.
    pub run: fn(&Trial) -> Result<Tables, Finding>,
}

/// What a [`TableStudy`] has found.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// Shown on the terminal.
    pub text: String,
    /// Files for the lab's folder of plots: name and content.
    pub files: Vec<(String, String)>,
}

/// Rows under a head, to be shown and to be saved.
#[derive(Clone, Debug)]
pub struct Table {
    /// Names of the columns.
    pub head: Vec<String>,
    /// As many cells in each row.
    pub rows: Vec<Vec<String>>,
}

/// Columns of a terminal.
const TERMINAL: usize = 80;

impl Table {
    /// An empty table with these columns.
    pub fn new(head: &[&str]) -> Table {
        Table { head: head.iter().map(|name| name.to_string()).collect(), rows: Vec::new() }
    }

    fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        [&self.head].into_iter().chain(&self.rows)
    }

    /// Columns side by side: the first one to the left, the others to the right. Those that do not
    /// fit 80 columns of a terminal follow below, behind the first one again, for the rows that
    /// have anything there.
    pub fn text(&self) -> String {
        let width = |c: usize| self.lines().map(|line| line[c].chars().count()).max().unwrap_or(0);
        let mut parts: Vec<Vec<usize>> = vec![Vec::new()];
        let mut at = width(0);
        for c in 1..self.head.len() {
            at += 2 + width(c);
            if at > TERMINAL {
                parts.push(Vec::new());
                at = width(0) + 2 + width(c);
            }
            parts.last_mut().expect("never empty").push(c);
        }
        let part = |columns: &Vec<usize>| {
            let line = |line: &Vec<String>| {
                let mut text = format!("{:<1$}", line[0], width(0));
                columns.iter().for_each(|&c| text += &format!("  {:>1$}", line[c], width(c)));
                format!("{}\n", text.trim_end())
            };
            let shown = |line: &&Vec<String>| columns.iter().any(|&c| !line[c].is_empty());
            self.lines().filter(shown).map(line).collect::<String>()
        };
        parts.iter().map(part).collect::<Vec<_>>().join("\n")
    }

    /// Comma-separated, with quotes around cells that have a comma in them.
    pub fn csv(&self) -> String {
        let cell = |cell: &String| match cell.contains(',') {
            true => format!("\"{cell}\""),
            false => cell.clone(),
        };
        self.lines()
            .map(|line| line.iter().map(cell).collect::<Vec<_>>().join(",") + "\n")
            .collect()
    }
}

/// One version of the kernel.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Short name, such as `fir1`; that of its kernel file.
    pub name: &'static str,
    /// Its idea in a word or two.
    pub what: &'static str,
    /// The exercise that writes it, such as `2.1.6`.
    pub exercise: &'static str,
}

/// What one launch on the emulated device has shown, and how much larger the real problem is.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Counts of the launch.
    pub report: LaunchReport,
    /// Results that the launch computed.
    pub outputs: u64,
    /// Operations that a result is worth in GFLOP/s, however few the variant makes.
    pub flop_per_output: f64,
    /// Results of the real problem, for which the time is predicted.
    pub full_outputs: u64,
    /// Bytes of the real problem's buffers.
    pub footprint: u64,
}

/// A time on a card: one line of the bench program.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Measured {
    /// Name of the variant.
    pub variant: String,
    /// K.
    pub k: u32,
    /// Milliseconds of the kernels alone, the least of several runs.
    pub ms: f64,
    /// Nominal rate.
    pub gflops: f64,
    /// Name of the card.
    pub device: String,
}

impl Sample {
    /// A count divided by the results that were computed.
    pub fn per_output(&self, count: u64) -> f64 {
        count as f64 / self.outputs.max(1) as f64
    }

    /// Operations per thread's load from global memory.
    pub fn cgma(&self) -> f64 {
        let c = &self.report.total;
        c.flop as f64 / c.gld_lane.max(1) as f64
    }

    /// Resident warps on `device`.
    ///
    /// # Errors
    /// If the device cannot run such a block.
    pub fn occupancy(&self, device: &DeviceModel) -> Result<Occupancy, String> {
        let r = &self.report;
        let threads = r.block.iter().product();
        occupancy(device, threads, r.registers, r.static_shared + r.dynamic_shared)
    }

    /// Time of the real problem on `device`: the counts, and the grid with them, grow with the
    /// number of results.
    ///
    /// # Errors
    /// As [`Sample::occupancy`].
    pub fn predict(&self, device: &DeviceModel) -> Result<Prediction, String> {
        let scale = self.full_outputs as f64 / self.outputs.max(1) as f64;
        let blocks: u64 = self.report.grid.iter().map(|n| u64::from(*n)).product();
        let blocks = (blocks as f64 * scale).ceil().clamp(1.0, f64::from(u32::MAX)) as u32;
        let work = Work {
            counters: scaled(&self.report.total, scale),
            // The lab's kernels use neither double precision nor atomics.
            f64_flop: 0,
            global_atomics: 0,
            atomic_bytes: 0,
            grid: [blocks, 1, 1],
            block: self.report.block,
            occupancy: self.occupancy(device)?,
            footprint: self.footprint,
            schedule: self.report.schedule.times(scale),
        };
        Ok(predict(device, &work))
    }

    /// Nominal rate if the real problem takes `ms`.
    pub fn gflops(&self, ms: f64) -> f64 {
        self.flop_per_output * self.full_outputs as f64 / (1e6 * ms)
    }
}

/// The counts that a prediction reads, times `scale`.
fn scaled(c: &Counters, scale: f64) -> Counters {
    let times = |n: u64| (n as f64 * scale).round() as u64;
    Counters {
        inst: times(c.inst),
        flop: times(c.flop),
        gld_req: times(c.gld_req),
        gld_sec: times(c.gld_sec),
        gst_req: times(c.gst_req),
        gst_sec: times(c.gst_sec),
        shld_req: times(c.shld_req),
        shld_wf: times(c.shld_wf),
        shst_req: times(c.shst_req),
        shst_wf: times(c.shst_wf),
        cld_req: times(c.cld_req),
        cld_ser: times(c.cld_ser),
        lld_req: times(c.lld_req),
        lst_req: times(c.lst_req),
        atom_req: times(c.atom_req),
        atom_lane: times(c.atom_lane),
        atom_ser: times(c.atom_ser),
        bar: times(c.bar),
        shfl: times(c.shfl),
        ..*c
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_table_goes_on_below_behind_its_first_column() {
        let long = "x".repeat(40);
        let mut table = Table::new(&["row", &long, "b", "c"]);
        table.rows.push(["1", "", "2", &long].map(String::from).to_vec());
        table.rows.push(["2", "", "3", ""].map(String::from).to_vec());
        let first = format!("row  {long}  b\n1{:44}  2\n2{:44}  3\n", "", "");
        let want = format!("{first}\nrow  {:>40}\n1    {long}\n", "c");
        assert_eq!(table.text(), want);
    }
}
