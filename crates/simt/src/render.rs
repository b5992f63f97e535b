//! Launch reports for people: the counters of a launch, the same by source line, and a roofline picture.

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

/// The counters of one launch as a table; rows without counts are left out. The predicted time is called predicted.
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
    if report.races_given_up {
        let _ = writeln!(
            out,
            "  races        not looked for in global memory towards the end: too many blocks and barriers"
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

/// The counters by source line, with the text of the line beside them. `text_of` gives the text of a line, empty if
/// it is not known; see [`source_text`].
///
/// Only columns in which some line has a count are shown: `sec/req` sectors and requests of global memory, `wf/req`
/// wavefronts and requests of shared memory, `br div/all` divergent and all branches.
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
    /// The point of a launch; `None` if it has no floating-point operation, no global access or no time.
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

/// A roofline as an SVG picture: operations per 4-byte global access against GFLOP/s, both logarithmic. The roofs are
/// the device memory's and the L1 cache's bandwidth and the peaks in f32 and f64; each kernel is a point. Readable on
/// light and dark pages.
pub fn roofline_svg(d: &DeviceModel, points: &[RooflinePoint]) -> String {
    let dram = d.dram_bytes_per_s() / 4e9; // accesses of 4 bytes, in 1e9 per second
    let l1 = 128.0 * f64::from(d.sms) * d.clock_hz() / 4e9;
    let (peak32, peak64) = (d.peak_f32_gflops(), d.peak_f64_gflops());
    let positive = |x: &f64| x.is_finite() && *x > 0.0;
    let xs: Vec<f64> = points.iter().map(|p| p.cgma).filter(positive).collect();
    let ys: Vec<f64> = points.iter().map(|p| p.gflops).filter(positive).collect();
    let decade = |x: f64, up: bool| if up { x.log10().ceil() } else { x.log10().floor() };
    let x_lo = xs.iter().fold(decade(0.1, false), |lo, x| lo.min(decade(*x, false)));
    let x_hi = xs.iter().fold(decade(10.0 * peak32 / dram, true), |hi, x| hi.max(decade(*x, true)));
    let y_lo = ys.iter().fold(decade(0.1 * dram, false), |lo, y| lo.min(decade(*y, false)));
    let y_hi = ys.iter().fold(decade(peak32, true), |hi, y| hi.max(decade(*y, true)));

    let (left, top, width, height) = (70.0, 40.0, 600.0, 380.0);
    let px = |x: f64| left + width * (x.log10() - x_lo) / (x_hi - x_lo);
    let py = |y: f64| top + height * (y_hi - y.log10()) / (y_hi - y_lo);
    let (right, bottom) = (left + width, top + height);

    let mut out = String::from(concat!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 480" class="roofline" "#,
        r#"font-family="sans-serif" font-size="12" role="img">"#,
        "\n<style>\n",
        ".roofline text { fill: #333 } .roofline .grid { stroke: #8884 } .roofline .axis { stroke: #888; fill: none }\n",
        ".roofline .roof { stroke: #2b6cb0; stroke-width: 2; fill: none } .roofline .point { fill: #d9480f }\n",
        "@media (prefers-color-scheme: dark) { .roofline text { fill: #ddd } .roofline .roof { stroke: #63b3ed } }\n",
        "</style>\n",
    ));
    let _ = writeln!(out, "<title>Roofline of {}</title>", escape(d.name));
    let _ = writeln!(
        out,
        r#"<text x="{left}" y="22" font-size="14">Roofline of {} (predicted)</text>"#,
        escape(d.name)
    );
    for exponent in x_lo as i32..=x_hi as i32 {
        let x = px(10f64.powi(exponent));
        let _ = writeln!(
            out,
            r#"<path class="grid" d="M{x:.1} {top}V{bottom}"/><text x="{x:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
            bottom + 18.0,
            plain(exponent)
        );
    }
    for exponent in y_lo as i32..=y_hi as i32 {
        let y = py(10f64.powi(exponent));
        let _ = writeln!(
            out,
            r#"<path class="grid" d="M{left} {y:.1}H{right}"/><text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
            left - 8.0,
            y + 4.0,
            plain(exponent)
        );
    }
    let _ = writeln!(
        out,
        r#"<rect class="axis" x="{left}" y="{top}" width="{width}" height="{height}"/>"#
    );
    let _ = writeln!(
        out,
        r#"<text x="{:.1}" y="{:.1}" text-anchor="middle">floating-point operations per 4-byte global access (CGMA)</text>"#,
        left + width / 2.0,
        bottom + 40.0
    );
    let _ = writeln!(
        out,
        r#"<text transform="translate(16 {:.1}) rotate(-90)" text-anchor="middle">GFLOP/s</text>"#,
        top + height / 2.0
    );
    // Slanted roofs run from the lower or left edge up to the f32 peak.
    for (rate, name) in [(dram, "device memory"), (l1, "L1 cache")] {
        let from = (10f64.powf(y_lo) / rate).max(10f64.powf(x_lo));
        let to = (peak32 / rate).max(from);
        let (x0, y0, x1, y1) = (px(from), py(from * rate), px(to), py(to * rate));
        let _ = writeln!(out, r#"<path class="roof" d="M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}"/>"#);
        let (xm, ym) = (0.5 * (x0 + x1), 0.5 * (y0 + y1));
        let angle = (y1 - y0).atan2(x1 - x0).to_degrees();
        let _ = writeln!(
            out,
            r#"<text transform="translate({xm:.1} {ym:.1}) rotate({angle:.1})" dy="-6" text-anchor="middle">{name}</text>"#
        );
    }
    for (peak, name, dash) in [(peak32, "f32", ""), (peak64, "f64", r#" stroke-dasharray="6 4""#)] {
        let (x, y) = (px((peak / l1).max(10f64.powf(x_lo))), py(peak));
        let _ = writeln!(out, r#"<path class="roof"{dash} d="M{x:.1} {y:.1}H{right}"/>"#);
        let _ = writeln!(
            out,
            r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{name} peak {peak:.0} GFLOP/s</text>"#,
            right - 6.0,
            y + 15.0
        );
    }
    for p in points.iter().filter(|p| positive(&p.cgma) && positive(&p.gflops)) {
        let (x, y) = (px(p.cgma), py(p.gflops));
        // Labels of points near the right edge go to their left.
        let (dx, anchor) = if x > left + 0.6 * width { (-9.0, "end") } else { (9.0, "start") };
        let _ = writeln!(
            out,
            r#"<circle class="point" cx="{x:.1}" cy="{y:.1}" r="5"><title>{label}: {:.3} operations per access, {:.3} GFLOP/s</title></circle><text x="{:.1}" y="{:.1}" text-anchor="{anchor}">{label}</text>"#,
            p.cgma,
            p.gflops,
            x + dx,
            y + 4.0,
            label = escape(&p.label),
        );
    }
    out += "</svg>\n";
    out
}

/// A power of ten as a number while that is short.
fn plain(exponent: i32) -> String {
    match exponent {
        0..=5 => grouped(10u64.pow(exponent as u32)),
        -3..=-1 => format!("{:.*}", exponent.unsigned_abs() as usize, 10f64.powi(exponent)),
        _ => format!("1e{exponent}"),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{model, models};
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
            device: "NVIDIA H200".into(),
            read: vec![],
            written: vec![],
            races_given_up: false,
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
    fn roofline_holds_every_point_inside_the_frame_and_escapes_names() {
        let point = RooflinePoint::of(&report()).unwrap();
        assert!((point.cgma - 1.0 / 3.0).abs() < 1e-12);
        assert!((point.gflops - 2000.0 / 3000.0).abs() < 1e-12);
        for d in models() {
            let wild = [
                point.clone(),
                RooflinePoint { label: "a".into(), cgma: 1e-5, gflops: 1e-7 },
                RooflinePoint { label: "b".into(), cgma: 3e6, gflops: 2e7 },
                RooflinePoint { label: "nan".into(), cgma: f64::NAN, gflops: 1.0 },
                RooflinePoint { label: "zero".into(), cgma: 1.0, gflops: 0.0 },
            ];
            let svg = roofline_svg(d, &wild);
            assert!(
                svg.contains("add&lt;float&gt;") && !svg.contains("NaN") && !svg.contains("inf")
            );
            assert_eq!(svg.matches("<circle").count(), 3, "{}", d.key);
            for circle in svg.split("<circle").skip(1) {
                let value = |name: &str| -> f64 {
                    let rest = &circle[circle.find(name).unwrap() + name.len()..];
                    rest[..rest.find('"').unwrap()].parse().unwrap()
                };
                assert!((70.0..=670.0).contains(&value("cx=\"")), "{circle}");
                assert!((40.0..=420.0).contains(&value("cy=\"")), "{circle}");
            }
        }
        let mut idle = report();
        idle.total.flop = 0;
        assert_eq!(RooflinePoint::of(&idle), None);
        assert!(roofline_svg(model("t4").unwrap(), &[]).ends_with("</svg>\n"));
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
