//! The study's numbers as a table for people and as CSV.

use std::fmt::Write;

use grading::study::Study;
use simt::device::DeviceModel;

use super::Point;

/// One column: its head in the table, its name in the CSV file, its value.
struct Column {
    head: &'static str,
    key: &'static str,
    digits: usize,
    value: fn(&Point, &DeviceModel) -> Result<Option<f64>, String>,
}

const COLUMNS: [Column; 14] = [
    Column {
        head: "inst",
        key: "inst_per_output",
        digits: 2,
        value: |p, _| each(p, p.sample.report.total.inst),
    },
    Column {
        head: "gld.sec",
        key: "gld_sec_per_output",
        digits: 4,
        value: |p, _| each(p, p.sample.report.total.gld_sec),
    },
    Column {
        head: "gst.sec",
        key: "gst_sec_per_output",
        digits: 4,
        value: |p, _| each(p, p.sample.report.total.gst_sec),
    },
    Column {
        head: "shld.wf",
        key: "shld_wf_per_output",
        digits: 2,
        value: |p, _| each(p, p.sample.report.total.shld_wf),
    },
    Column {
        head: "shst.wf",
        key: "shst_wf_per_output",
        digits: 4,
        value: |p, _| each(p, p.sample.report.total.shst_wf),
    },
    Column {
        head: "cld.req",
        key: "cld_req_per_output",
        digits: 2,
        value: |p, _| each(p, p.sample.report.total.cld_req),
    },
    Column {
        head: "flop",
        key: "flop_per_output",
        digits: 1,
        value: |p, _| each(p, p.sample.report.total.flop),
    },
    Column { head: "CGMA", key: "cgma", digits: 2, value: |p, _| Ok(Some(p.sample.cgma())) },
    Column {
        head: "regs",
        key: "registers",
        digits: 0,
        value: |p, _| Ok(Some(f64::from(p.sample.report.registers))),
    },
    Column {
        head: "occ %",
        key: "occupancy_percent",
        digits: 1,
        value: |p, d| Ok(Some(p.sample.occupancy(d)?.percent)),
    },
    Column {
        head: "pred. ms",
        key: "predicted_ms",
        digits: 3,
        value: |p, d| Ok(Some(p.sample.predict(d)?.ms)),
    },
    Column {
        head: "GFLOP/s",
        key: "predicted_gflops",
        digits: 0,
        value: |p, d| Ok(Some(p.sample.gflops(p.sample.predict(d)?.ms))),
    },
    Column {
        head: "meas. ms",
        key: "measured_ms",
        digits: 3,
        value: |p, _| Ok(p.measured.as_ref().map(|m| m.ms)),
    },
    Column {
        head: "GFLOP/s",
        key: "measured_gflops",
        digits: 0,
        value: |p, _| Ok(p.measured.as_ref().map(|m| m.gflops)),
    },
];

/// Columns that come from a card.
const MEASURED: usize = 2;

fn each(p: &Point, count: u64) -> Result<Option<f64>, String> {
    Ok(Some(p.sample.per_output(count)))
}

/// The table, with what its columns mean. `measured` adds the card's columns.
pub(super) fn text(
    study: &Study,
    points: &[Point],
    device: &DeviceModel,
    measured: bool,
) -> Result<String, String> {
    let shown = &COLUMNS[..COLUMNS.len() - if measured { 0 } else { MEASURED }];
    let what = study.variants.iter().map(|v| v.name.len() + v.what.len() + 2).max().unwrap_or(0);
    let mut rows = Vec::new();
    for p in points {
        let mut row = Vec::new();
        for c in shown {
            row.push((c.value)(p, device)?.map_or("-".into(), |v| format!("{v:.*}", c.digits)));
        }
        rows.push(row);
    }
    let widths: Vec<usize> = shown
        .iter()
        .enumerate()
        .map(|(i, c)| rows.iter().map(|r| r[i].len()).fold(c.head.len(), usize::max))
        .collect();
    let mut out = format!("{}\n{:<what$}  {:>4}", study.title, "variant", "K");
    for (c, w) in shown.iter().zip(&widths) {
        let _ = write!(out, "  {:>w$}", c.head);
    }
    out.push('\n');
    let mut last = "";
    for (p, row) in points.iter().zip(&rows) {
        if !last.is_empty() && last != p.variant.name {
            out.push('\n');
        }
        last = p.variant.name;
        let name = format!("{}  {}", p.variant.name, p.variant.what);
        let _ = write!(out, "{name:<what$}  {:>4}", p.k);
        for (cell, w) in row.iter().zip(&widths) {
            let _ = write!(out, "  {cell:>w$}");
        }
        out.push('\n');
    }
    let _ = writeln!(
        out,
        "Counts (inst .. flop) are per {}. CGMA: operations per load of a thread. Times: the \
         whole problem; pred. is predicted for {} from the counts of the emulated device{}",
        study.unit,
        device.name,
        match points.iter().find_map(|p| p.measured.as_ref()) {
            Some(m) => format!(", meas. is measured on {}.", m.device),
            None => ".".into(),
        }
    );
    Ok(out)
}

/// The CSV file; rows of other studies in `old` are kept.
pub(super) fn csv(
    study: &Study,
    points: &[Point],
    device: &DeviceModel,
    old: &str,
) -> Result<String, String> {
    let keys: Vec<&str> = COLUMNS.iter().map(|c| c.key).collect();
    let head = format!("study,variant,k,{}", keys.join(","));
    let own = format!("{},", study.name);
    let mut out = format!("{head}\n");
    if old.lines().next() == Some(head.as_str()) {
        for line in old.lines().skip(1).filter(|l| !l.starts_with(&own)) {
            let _ = writeln!(out, "{line}");
        }
    }
    for p in points {
        let _ = write!(out, "{},{},{}", study.name, p.variant.name, p.k);
        for c in &COLUMNS {
            let cell = (c.value)(p, device)?.map_or(String::new(), |v| format!("{v}"));
            let _ = write!(out, ",{cell}");
        }
        out.push('\n');
    }
    Ok(out)
}
