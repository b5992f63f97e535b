//! All versions of both benchmarks by class, as the paper on GPUs compares them: mean and standard
//! deviation of several runs, and the speed-up over the sequential program.

use std::collections::BTreeSet;
use std::fmt::Write;

use figures::{Axis, Chart};

/// A version of a benchmark at a class, with the seconds of its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// `EP` or `FT`.
    pub benchmark: String,
    /// Class.
    pub class: String,
    /// Version, such as `sequential`.
    pub version: String,
    /// Where it ran: `4 threads`, or the name of a GPU.
    pub place: String,
    /// True if the times are those of a model, and not of a clock.
    pub predicted: bool,
    /// Seconds of each run.
    pub seconds: Vec<f64>,
    /// Official operations in millions.
    pub mop: f64,
    /// Whether the result is the official one.
    pub verified: bool,
}

/// Versions of EP and of FT, in the order of the tables: those of the CPU, the lab's, our own, the
/// library's.
pub const VERSIONS: [(&str, &[&str]); 2] = [
    ("EP", &["sequential", "parallel", "paper", "better", "ours"]),
    ("FT", &["sequential", "parallel", "direct", "paper", "shared", "ours", "library"]),
];

/// The version that the others are compared with.
pub const BASELINE: &str = "sequential";

impl Row {
    /// Mean time in seconds; NaN without runs.
    pub fn mean(&self) -> f64 {
        self.seconds.iter().sum::<f64>() / self.seconds.len() as f64
    }

    /// Standard deviation of a run in seconds, with n - 1 below the line; 0 for a single run.
    pub fn deviation(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.seconds.iter().map(|s| (s - mean).powi(2)).sum();
        (squares / (self.seconds.len() as f64 - 1.0).max(1.0)).sqrt()
    }

    /// Official operations in millions per second, by the mean time.
    pub fn mops(&self) -> f64 {
        self.mop / self.mean()
    }
}

/// How much faster than the sequential program each row is; NaN where that did not run.
pub fn speedups(rows: &[Row]) -> Vec<f64> {
    let of = |row: &Row| {
        let same = |r: &&Row| {
            r.benchmark == row.benchmark && r.class == row.class && r.version == BASELINE
        };
        rows.iter().find(same).map_or(f64::NAN, |base| base.mean() / row.mean())
    };
    rows.iter().map(of).collect()
}

const HEAD: [&str; 11] = [
    "benchmark",
    "class",
    "version",
    "ran on",
    "time",
    "runs",
    "mean s",
    "deviation s",
    "Mop/s",
    "speed-up",
    "verified",
];

fn cells(row: &Row, speedup: f64) -> [String; 11] {
    let shown = if speedup.is_nan() { "-".into() } else { format!("{speedup:.2}") };
    [
        row.benchmark.clone(),
        row.class.clone(),
        row.version.clone(),
        row.place.clone(),
        if row.predicted { "predicted" } else { "measured" }.into(),
        row.seconds.len().to_string(),
        format!("{:.6}", row.mean()),
        // One run does not deviate, and neither does a prediction.
        match row.seconds.len() {
            2.. if !row.predicted => format!("{:.6}", row.deviation()),
            _ => "-".into(),
        },
        format!("{:.2}", row.mops()),
        shown,
        if row.verified { "yes" } else { "NO" }.into(),
    ]
}

fn table(rows: &[Row]) -> Vec<[String; 11]> {
    let body = rows.iter().zip(speedups(rows)).map(|(row, speedup)| cells(row, speedup));
    std::iter::once(HEAD.map(String::from)).chain(body).collect()
}

/// The columns of [`HEAD`] that a terminal shows, by their names there.
const SHOWN: [(usize, &str); 8] = [
    (1, "class"),
    (2, "version"),
    (3, "ran on"),
    (6, "mean s"),
    (7, "sigma s"),
    (8, "Mop/s"),
    (9, "speed-up"),
    (10, "right"),
];

/// For each benchmark a table with aligned columns, for a terminal of 80 columns, and below it
/// which times are predicted. [`csv`] has all columns.
pub fn text(rows: &[Row]) -> String {
    let mut table = table(rows);
    SHOWN.iter().for_each(|&(c, name)| table[0][c] = name.into());
    let mut out = String::new();
    for (benchmark, _) in VERSIONS {
        let body = table[1..].iter().filter(|row| row[0] == benchmark);
        let lines: Vec<&[String; 11]> = std::iter::once(&table[0]).chain(body).collect();
        if lines.len() == 1 {
            continue;
        }
        let _ = writeln!(out, "{benchmark}");
        for line in &lines {
            for &(c, _) in &SHOWN {
                let width = lines.iter().map(|line| line[c].len()).max().unwrap_or(0);
                let between = if c == SHOWN[0].0 { "" } else { "  " };
                let _ = write!(out, "{between}{:>width$}", line[c]);
            }
            out.push('\n');
        }
        let predicted = rows.iter().filter(|row| row.benchmark == benchmark && row.predicted);
        let places: BTreeSet<&str> = predicted.map(|row| row.place.as_str()).collect();
        for place in places {
            let _ = writeln!(out, "Times on {place} are predicted.");
        }
        out.push('\n');
    }
    out
}

/// The rows as CSV.
pub fn csv(rows: &[Row]) -> String {
    let line = |row: &[String; 11]| row.join(",").replace(' ', "_") + "\n";
    table(rows).iter().map(line).collect()
}

/// For each benchmark a chart like the paper's figure: speed-up over the sequential program, a
/// group of bars for each class. Where that program did not run, or nothing else did, operations a
/// second take its place. File name and SVG.
pub fn charts(rows: &[Row]) -> Vec<(String, String)> {
    let all = speedups(rows);
    let unique = |of: &dyn Fn(&Row) -> String, among: &dyn Fn(&Row) -> bool| {
        let mut names: Vec<String> = Vec::new();
        for name in rows.iter().filter(|r| among(r)).map(of) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    };
    let mut files = Vec::new();
    for benchmark in unique(&|r| r.benchmark.clone(), &|_| true) {
        let here = |r: &Row| r.benchmark == benchmark;
        let classes = unique(&|r| r.class.clone(), &here);
        let axis = Axis::names("class", classes.clone());
        let versions = unique(&|r| r.version.clone(), &here);
        let compared = versions.len() > 1 && versions.iter().any(|v| v == BASELINE);
        let height = if compared { "speed-up over sequential" } else { "Mop/s" };
        // A row of bars by itself has no name beside it.
        let title = match &versions[..] {
            [only] => format!("{benchmark}, {only}"),
            _ => benchmark.clone(),
        };
        let mut chart = Chart::new(&title, axis, Axis::log(height));
        for version in versions.into_iter().filter(|v| !compared || v != BASELINE) {
            let bar = |class: &String| {
                let is = |r: &Row| here(r) && r.class == *class && r.version == version;
                let found = rows.iter().position(is);
                found.map_or(f64::NAN, |k| if compared { all[k] } else { rows[k].mops() })
            };
            chart = chart.bars(&version, classes.iter().map(bar).collect());
        }
        let devices = unique(&|r| r.place.clone(), &|r| here(r) && r.predicted);
        let note = match devices.first() {
            Some(gpu) => format!("CPU measured, {gpu} predicted"),
            None => "measured".to_owned(),
        };
        let name = format!("npb_{}.svg", benchmark.to_lowercase());
        files.push((name, chart.note(&note).size(560.0, 320.0).svg()));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(class: &str, version: &str, seconds: &[f64]) -> Row {
        Row {
            benchmark: "EP".into(),
            class: class.into(),
            version: version.into(),
            place: "2 threads".into(),
            predicted: false,
            seconds: seconds.to_vec(),
            mop: 8.0,
            verified: true,
        }
    }

    #[test]
    fn rows_are_compared_with_the_sequential_program_of_their_class() {
        let rows = [
            row("S", BASELINE, &[3.0, 4.0, 5.0]),
            row("S", "ours", &[0.5]),
            Row { place: "NVIDIA H200".into(), predicted: true, ..row("W", "ours", &[0.5]) },
        ];
        assert_eq!((rows[0].mean(), rows[0].deviation(), rows[0].mops()), (4.0, 1.0, 2.0));
        assert_eq!(rows[1].deviation(), 0.0);
        let found = speedups(&rows);
        assert_eq!(found[..2], [1.0, 8.0]);
        assert!(found[2].is_nan());
        let text = text(&rows);
        let lines: Vec<&str> = text.lines().collect();
        let words: Vec<&str> = lines[3].split_whitespace().collect();
        let wanted = ["S", "ours", "2", "threads", "0.500000", "-", "16.00", "8.00", "yes"];
        assert_eq!((lines[0], &words[..]), ("EP", &wanted[..]));
        assert!(lines.iter().all(|line| line.len() <= 80), "{text}");
        assert_eq!(lines[5], "Times on NVIDIA H200 are predicted.");
        assert!(csv(&rows).starts_with("benchmark,class,version,ran_on,time,runs,mean_s,"));
        let [(name, svg)] = &charts(&rows)[..] else { panic!("one chart") };
        assert_eq!(name, "npb_ep.svg");
        assert!(svg.contains("speed-up over sequential"), "{svg}");
        for alone in [&rows[..1], &rows[1..]] {
            let [(_, svg)] = &charts(alone)[..] else { panic!("one chart") };
            assert!(svg.contains("Mop/s") && svg.contains(&alone[0].version), "{svg}");
        }
    }
}
