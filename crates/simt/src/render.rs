//! Launch reports for people: the counters of a launch, the same by source line, and a roofline
//! picture.

use std::fmt::Write;

use crate::device::{self, DeviceModel};
use crate::occupancy::occupancy;
use crate::report::{Counters, LaunchReport};
use crate::source::{Location, SourceMap};

/// `1234567` as `1,234,567`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Milliseconds with a unit that suits their size: `12.3 us`, `4.56 ms`, `1.20 s`.
pub fn duration(ms: f64) -> String {
    if ms < 1.0 {
        format!("{:.2} us", ms * 1e3)
    } else if ms < 1000.0 {
        format!("{ms:.3} ms")
    } else {
        format!("{:.3} s", ms / 1e3)
    }
}

/// Length with `x` as in `4x1x1`, the trailing ones left out: `4`, `4x2`.
fn extent(n: [u32; 3]) -> String {
    match n {
        [x, 1, 1] => x.to_string(),
        [x, y, 1] => format!("{x}x{y}"),
        [x, y, z] => format!("{x}x{y}x{z}"),
    }
}

fn ratio(a: u64, b: u64) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}

/// Looks up the device whose name stands in a report.
pub fn device_of(report: &LaunchReport) -> Option<&'static DeviceModel> {
    device::models().iter().find(|m| m.name == report.device)
}

/// The counters of one launch as a table; rows without counts are left out. The predicted time is
/// called predicted.
pub fn launch_table(report: &LaunchReport) -> String {
    let c = &report.total;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}  grid {}, block {}, {} registers (estimate), {} + {} bytes shared (static + dynamic)",
        report.kernel,
        extent(report.grid),
        extent(report.block),
        report.registers,
        report.static_shared,
        report.dynamic_shared
    );
    let _ = writeln!(
        out,
        "  time         {} predicted for {} (emulated)",
        duration(report.predicted_ms),
        report.device
    );
    if let Some(d) = device_of(report) {
        let threads = report.block.iter().product();
        let shared = report.static_shared + report.dynamic_shared;
        if let Ok(o) = occupancy(d, threads, report.registers, shared) {
            let _ = writeln!(
                out,
                "  occupancy    {:.1} % ({} blocks, {} warps per multiprocessor; limited by {})",
                o.percent, o.blocks, o.warps, o.limiter
            );
        }
    }
    for (name, text) in rows(c) {
        let _ = writeln!(out, "  {name:<12} {text}");
    }
    for race in &report.harmless_races {
        let _ = writeln!(
            out,
            "  remark       the read at {} and the store at {} race, but nothing depends on which \
             comes first; with atomicCAS they do not",
            race.read, race.store
        );
    }
    if report.races_given_up {
        let _ = writeln!(
            out,
            "  races        not looked for in global memory towards the end: too many blocks and \
             barriers"
        );
    }
    out
}

/// Name and text of every kind of count that is not zero.
fn rows(c: &Counters) -> Vec<(&'static str, String)> {
    let g = grouped;
    let mut rows = vec![(
        "instructions",
        format!(
            "{} by warps, {} by threads: {:.1} % of the lanes active",
            g(c.inst),
            g(c.thread_inst),
            100.0 * c.simd_efficiency()
        ),
    )];
    if c.flop > 0 {
        let mut text = format!("{} operations", g(c.flop));
        if c.gld_lane + c.gst_lane > 0 {
            let per_access = ratio(c.flop, c.gld_lane + c.gst_lane);
            let _ = write!(text, ", {per_access:.2} per global access");
        }
        rows.push(("float", text));
    }
    let global = |req, sec, bytes| {
        format!(
            "{} requests, {} sectors ({:.2} per request), {:.1} % of the bytes used",
            g(req),
            g(sec),
            ratio(sec, req),
            // Lanes that ask for the same word share its bytes: more than all cannot be used.
            (100.0 * ratio(bytes, 32 * sec)).min(100.0)
        )
    };
    let shared = |req, wf| {
        format!("{} requests, {} wavefronts ({:.2} per request)", g(req), g(wf), ratio(wf, req))
    };
    if c.gld_req > 0 {
        rows.push(("global load", global(c.gld_req, c.gld_sec, c.gld_bytes)));
    }
    if c.gst_req > 0 {
        rows.push(("global store", global(c.gst_req, c.gst_sec, c.gst_bytes)));
    }
    if c.shld_req > 0 {
        rows.push(("shared load", shared(c.shld_req, c.shld_wf)));
    }
    if c.shst_req > 0 {
        rows.push(("shared store", shared(c.shst_req, c.shst_wf)));
    }
    if c.cld_req > 0 {
        rows.push((
            "constant",
            format!("{} requests, {} extra passes", g(c.cld_req), g(c.cld_ser)),
        ));
    }
    if c.lld_req + c.lst_req > 0 {
        rows.push(("local", format!("{} loads, {} stores", g(c.lld_req), g(c.lst_req))));
    }
    if c.atom_req > 0 {
        rows.push((
            "atomics",
            format!(
                "{} requests, {} lanes, {} extra passes",
                g(c.atom_req),
                g(c.atom_lane),
                g(c.atom_ser)
            ),
        ));
    }
    if c.shfl > 0 {
        rows.push(("shuffles", g(c.shfl)));
    }
    if c.br_exec > 0 {
        let share = 100.0 * ratio(c.br_div, c.br_exec);
        let text = format!("{}, {} divergent ({share:.1} %)", g(c.br_exec), g(c.br_div));
        rows.push(("branches", text));
    }
    if c.bar > 0 {
        rows.push(("barriers", format!("{} (once per block)", g(c.bar))));
    }
    rows
}

/// A column of [`line_table`].
struct Column {
    head: &'static str,
    cell: fn(&Counters) -> String,
    /// The column is shown where some line has such a count.
    count: fn(&Counters) -> u64,
}

const COLUMNS: [Column; 11] = [
    Column { head: "inst", cell: |c| plain_count(c.inst), count: |c| c.inst },
    Column { head: "lanes %", cell: lanes_percent, count: |c| c.inst },
    Column { head: "flop", cell: |c| plain_count(c.flop), count: |c| c.flop },
    Column {
        head: "gld sec/req",
        cell: |c| per_request(c.gld_sec, c.gld_req),
        count: |c| c.gld_req,
    },
    Column {
        head: "gst sec/req",
        cell: |c| per_request(c.gst_sec, c.gst_req),
        count: |c| c.gst_req,
    },
    Column {
        head: "shld wf/req",
        cell: |c| per_request(c.shld_wf, c.shld_req),
        count: |c| c.shld_req,
    },
    Column {
        head: "shst wf/req",
        cell: |c| per_request(c.shst_wf, c.shst_req),
        count: |c| c.shst_req,
    },
    Column {
        head: "local",
        cell: |c| plain_count(c.lld_req + c.lst_req),
        count: |c| c.lld_req + c.lst_req,
    },
    Column { head: "atom +passes", cell: |c| pair(c.atom_req, c.atom_ser), count: |c| c.atom_req },
    Column { head: "br div/all", cell: |c| pair(c.br_div, c.br_exec), count: |c| c.br_exec },
    Column { head: "bar", cell: |c| plain_count(c.bar), count: |c| c.bar },
];

fn plain_count(n: u64) -> String {
    if n == 0 { String::new() } else { grouped(n) }
}

fn lanes_percent(c: &Counters) -> String {
    if c.inst == 0 { String::new() } else { format!("{:.0}", 100.0 * c.simd_efficiency()) }
}

fn per_request(n: u64, requests: u64) -> String {
    if requests == 0 { String::new() } else { format!("{n}/{requests}={:.2}", ratio(n, requests)) }
}

fn pair(a: u64, b: u64) -> String {
    if a == 0 && b == 0 { String::new() } else { format!("{a}/{b}") }
}

/// The counters by source line, with the text of the line beside them. `text_of` gives the text of
/// a line, empty if it is not known; see [`source_text`].
///
/// Only columns in which some line has a count are shown: `sec/req` sectors and requests of global
/// memory, `wf/req` wavefronts and requests of shared memory, `br div/all` divergent and all
/// branches.
pub fn line_table(report: &LaunchReport, text_of: &dyn Fn(&Location) -> String) -> String {
    let columns: Vec<&Column> = COLUMNS
        .iter()
        .filter(|column| report.lines.iter().any(|l| (column.count)(&l.counters) > 0))
        .collect();
    let cells: Vec<Vec<String>> = report
        .lines
        .iter()
        .map(|l| columns.iter().map(|column| (column.cell)(&l.counters)).collect())
        .collect();
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(i, column)| cells.iter().map(|row| row[i].len()).fold(column.head.len(), usize::max))
        .collect();
    let mut out = String::new();
    let mut file = "";
    for (line, row) in report.lines.iter().zip(&cells) {
        if line.at.file != file {
            file = &line.at.file;
            let _ = writeln!(out, "{file}");
            let heads =
                columns.iter().zip(&widths).map(|(column, w)| format!("  {:>w$}", column.head));
            let _ = writeln!(out, "{:>6}{}", "line", heads.collect::<String>());
        }
        let row: String =
            row.iter().zip(&widths).map(|(cell, w)| format!("  {cell:>w$}")).collect();
        let text = text_of(&line.at).replace('\t', "    ");
        let _ = writeln!(out, "{}", format!("{:>6}{row} | {text}", line.at.line).trim_end());
    }
    out
}

/// The text of the line at `at` in `sources`; empty if the file is not among them.
pub fn source_text(sources: &SourceMap, at: &Location) -> String {
    sources.line_text(at).to_string()
}

/// A kernel in the roofline picture.
#[derive(Clone, Debug, PartialEq)]
pub struct RooflinePoint {
    /// Text beside the point.
    pub label: String,
    /// Floating-point operations per global access of 4 bytes (CGMA).
    pub cgma: f64,
    /// GFLOP/s.
    pub gflops: f64,
}

impl RooflinePoint {
    /// The point of a launch; `None` if it has no floating-point operation, no global access or no
    /// time.
    pub fn of(report: &LaunchReport) -> Option<RooflinePoint> {
        let c = &report.total;
        let bytes = c.gld_bytes + c.gst_bytes;
        if c.flop == 0 || bytes == 0 || report.predicted_ms.is_nan() || report.predicted_ms <= 0.0 {
            return None;
        }
        Some(RooflinePoint {
            label: report.kernel.clone(),
            cgma: 4.0 * c.flop as f64 / bytes as f64,
            gflops: c.flop as f64 / (report.predicted_ms * 1e6),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::Prediction;
    use crate::report::LineReport;

    fn report() -> LaunchReport {
        let at = |line, col| Location { file: "add.cu".into(), line, col };
        let guard = Counters {
            inst: 252,
            thread_inst: 8000,
            br_exec: 63,
            br_div: 1,
            ..Counters::default()
        };
        let add = Counters {
            inst: 630,
            thread_inst: 20_000,
            flop: 2000,
            gld_req: 126,
            gld_sec: 500,
            gld_lane: 4000,
            gld_bytes: 16_000,
            gst_req: 63,
            gst_sec: 250,
            gst_lane: 2000,
            gst_bytes: 8000,
            ..Counters::default()
        };
        let mut total = guard;
        total.add(&add);
        LaunchReport {
            kernel: "add<float>".into(),
            grid: [8, 1, 1],
            block: [256, 1, 1],
            dynamic_shared: 0,
            static_shared: 0,
            registers: 16,
            total,
            lines: vec![
                LineReport { at: at(2, 5), counters: guard },
                LineReport { at: at(3, 5), counters: add },
            ],
            printf: String::new(),
            printf_lost: 0,
            predicted_ms: 0.003,
            prediction: Prediction::default(),
            schedule: crate::predict::Schedule::default(),
            device: "NVIDIA H200".into(),
            read: vec![],
            written: vec![],
            races_given_up: false,
            harmless_races: vec![],
            touched: vec![],
        }
    }

    #[test]
    fn launch_table_reads_as_documented() {
        let want = "\
add<float>  grid 8, block 256, 16 registers (estimate), 0 + 0 bytes shared (static + dynamic)
  time         3.00 us predicted for NVIDIA H200 (emulated)
  occupancy    100.0 % (8 blocks, 64 warps per multiprocessor; limited by warps)
  instructions 882 by warps, 28,000 by threads: 99.2 % of the lanes active
  float        2,000 operations, 0.33 per global access
  global load  126 requests, 500 sectors (3.97 per request), 100.0 % of the bytes used
  global store 63 requests, 250 sectors (3.97 per request), 100.0 % of the bytes used
  branches     63, 1 divergent (1.6 %)
";
        assert_eq!(launch_table(&report()), want);
        let tired = LaunchReport { races_given_up: true, ..report() };
        let text = launch_table(&tired);
        assert!(text.starts_with(want) && text.contains("races        not looked for"));
    }

    #[test]
    fn line_table_shows_the_source_and_only_the_columns_in_use() {
        let mut sources = SourceMap::default();
        sources.add("add.cu", "...\n\tif (i < n)\n\t\tc[i] = a[i] + b[i];\n");
        let want = "\
add.cu
  line  inst  lanes %   flop   gld sec/req  gst sec/req  br div/all
     2   252       99                                          1/63 |     if (i < n)
     3   630       99  2,000  500/126=3.97  250/63=3.97             |         c[i] = a[i] + b[i];
";
        assert_eq!(line_table(&report(), &|at| source_text(&sources, at)), want);
        let unknown = line_table(&report(), &|_| String::new());
        assert!(unknown.lines().all(|l| l == l.trim_end()));
    }

    #[test]
    fn reports_survive_json() {
        let text = serde_json::to_string(&report()).unwrap();
        assert_eq!(serde_json::from_str::<LaunchReport>(&text).unwrap(), report());
    }

    #[test]
    fn a_launch_is_a_point_of_the_roofline_if_it_computes() {
        let point = RooflinePoint::of(&report()).unwrap();
        assert!((point.cgma - 1.0 / 3.0).abs() < 1e-12);
        assert!((point.gflops - 2000.0 / 3000.0).abs() < 1e-12);
        let mut idle = report();
        idle.total.flop = 0;
        assert_eq!(RooflinePoint::of(&idle), None);
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!(
            ["0", "999", "1,000", "1,234,567"].map(String::from),
            [0, 999, 1000, 1_234_567].map(grouped)
        );
        assert_eq!(duration(0.0123), "12.30 us");
        assert_eq!(duration(2.5), "2.500 ms");
        assert_eq!(duration(2500.0), "2.500 s");
        assert_eq!(
            [extent([4, 1, 1]), extent([4, 2, 1]), extent([1, 1, 3])],
            ["4", "4x2", "1x1x3"]
        );
    }
}
