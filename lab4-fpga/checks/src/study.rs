//! `cargo lab study lab4`: the experiment table of the lab. Every design is run on the board,
//! counted, and (where Yosys is installed) synthesised; plots and timing diagrams go with it.

use grading::study::{Table, TableStudy, Tables};
use grading::{Class, Finding, Trial};
use hdl::board::WORDS;
use hdl::estimate::{Device, Estimate, Multipliers};
use hdl::{Block, plot, tools};
use serde_json::{Value, json};

use crate::e4_5::programme_of;
use crate::model::{LAB4, LAB5, NEGATIVE, TAPS, numbers};
use crate::rig;

/// The study.
pub const STUDY: TableStudy = TableStudy { name: "lab4", lab: "lab4", exercise: "4.1", run };

/// Samples in a plot, and its vertical axis.
const SHOWN: usize = 64;

/// One row: its name, the handler and its arguments, and what is told of it.
struct Row {
    name: &'static str,
    call: &'static str,
    args: Value,
    style: &'static str,
    coefficients: &'static str,
    lsb: &'static str,
    /// The coefficients, for designs that take them from the first words.
    programme: Option<[i64; TAPS]>,
}

fn rows() -> Vec<Row> {
    let row = |name, call, args, style, coefficients, lsb, programme| Row {
        name,
        call,
        args,
        style,
        coefficients,
        lsb,
        programme,
    };
    let constant = |b: [i64; TAPS], lsb: u32| json!({ "coefficients": b, "lsb": lsb });
    let fast = json!({ "coefficients": LAB4, "lsb": 15, "style": "block" });
    let variable = json!({ "lsb": 15, "style": "pipe_lut" });
    vec![
        row("4.1", "e4_1.fir1", constant(LAB4, 19), "block", "2^k", "34..19", None),
        row("4.2", "e4_2.fir1", constant(LAB4, 15), "block", "2^k", "yours", None),
        row("4.3", "e4_3.fir1", fast, "block", "2^k", "30..15", None),
        row("4.4", "e4_4.fir1", constant(LAB4, 15), "yours", "2^k", "30..15", None),
        row("4.4-lab5", "e4_4.fir1", constant(LAB5, 17), "yours", "lab 5", "32..17", None),
        row("4.5", "e4_5.fir1", variable.clone(), "pipe_lut", "loaded", "30..15", Some(LAB4)),
        row("4.5-neg", "e4_5.fir1", variable, "pipe_lut", "negative", "30..15", Some(NEGATIVE)),
        row("4.6", "e4_6.fir1", json!({ "lsb": 15 }), "yours", "loaded", "30..15", Some(LAB4)),
    ]
}

/// Columns of the table.
pub const COLUMNS: [&str; 20] = [
    "row",
    "style",
    "coefficients",
    "bits",
    "cycles/word",
    "cycles",
    "delay",
    "impulse",
    "step",
    "LUT",
    "FF",
    "slices",
    "MULT",
    "MHz",
    "fit",
    "limit",
    "Yosys LUT",
    "Yosys FF",
    "Yosys MULT",
    "tool s",
];

fn run(t: &Trial) -> Result<Tables, Finding> {
    experiments(t, tools::found("yosys"))
}

/// The table and its pictures, with or without the columns of Yosys.
///
/// # Errors
/// No design is there, or the grader fails.
pub fn experiments(t: &Trial, yosys: bool) -> Result<Tables, Finding> {
    let mut table = Table::new(&COLUMNS);
    let (mut files, mut missing) = (Vec::new(), Vec::new());
    for row in rows() {
        // A design that is not there yet, or does not end, is a row that says so: the others are
        // shown all the same.
        match t.design(row.call, &row.args).and_then(|block| measure(&row, &block, yosys)) {
            Ok((line, more)) => {
                table.rows.push(line);
                files.extend(more);
            }
            Err(finding) if finding.class == Class::GraderFault => return Err(finding),
            Err(finding) => {
                let mut line = vec![String::new(); COLUMNS.len()];
                line[0] = row.name.into();
                line[1] = "not yet".into();
                table.rows.push(line);
                missing.push((row.name, finding.message));
            }
        }
    }
    if let (true, Some((name, message))) = (missing.len() == table.rows.len(), missing.first()) {
        return Err(Finding::wrong(format!("no design is there yet; {name}: {message}")));
    }
    files.insert(0, ("lab4.csv".into(), table.csv()));
    let mut text = table.text();
    if !yosys {
        text += "skipped: yosys is not installed; its columns are empty\n";
    }
    if let Some((first, _)) = missing.first() {
        // A row's name begins with its exercise.
        let exercise = first.split('-').next().unwrap_or(first);
        text += &format!("not yet: `cargo lab run {exercise}` says why\n");
    }
    text += "yours: what your file says, at first what was given\n";
    text += "LUT, FF, slices, MULT and MHz are estimates for the XC3S700A;\n`fit` is beside the \
        communication block\n";
    Ok(Tables { text, files })
}

/// A file's name and what is in it.
type File = (String, String);

/// A line of the table and its plots.
fn measure(row: &Row, block: &Block, yosys: bool) -> Result<(Vec<String>, Vec<File>), Finding> {
    let (impulses, step) = rig::impulses_and_step();
    let source = match &row.programme {
        Some(b) => programme_of(b),
        None => impulses,
    };
    let x = numbers(&source);
    let (done, delay) = rig::run_and_delay(block, &x)?;
    let (impulse, level) = match row.programme {
        Some(_) => (done.y[47], done.y[31]),
        None => (done.y[0], rig::run(block, &step)?.y[TAPS]),
    };
    let estimate = Estimate::new(block, &Device::XC3S700A, Multipliers::Blocks);
    let count = estimate.total;
    let (fit, limit) = rig::fits(count);
    let mut line: Vec<String> =
        [row.name, row.style, row.coefficients, row.lsb].map(String::from).to_vec();
    let delay = delay.map_or("-".into(), |clocks| clocks.to_string());
    line.extend([
        format!("{:.3}", done.cycles as f64 / WORDS as f64),
        done.cycles.to_string(),
        delay,
    ]);
    line.extend([impulse.to_string(), level.to_string()]);
    line.extend([count.luts, count.ffs, estimate.slices, count.multipliers].map(|n| n.to_string()));
    line.extend([format!("{:.0}", estimate.mhz), fit.to_string(), limit.to_string()]);
    match yosys {
        true => {
            let s = tools::yosys(block, Multipliers::Blocks)
                .map_err(|e| Finding::grader(format!("{}: {e}", row.name)))?;
            line.extend([s.count.luts, s.count.ffs, s.count.multipliers].map(|n| n.to_string()));
            line.push(format!("{:.1}", s.seconds));
        }
        false => line.extend(["", "", "", ""].map(String::from)),
    }
    let y: Vec<f64> = done.y.iter().take(SHOWN).map(|y| f64::from(*y)).collect();
    let axis = if row.programme == Some(NEGATIVE) { (-33000.0, 33000.0) } else { (0.0, 33000.0) };
    let title = format!("{}: input and result", row.name);
    let name = |what: &str| format!("lab4_{}{what}.svg", row.name);
    let files = vec![
        (name(""), plot::overlay(&title, &x[..SHOWN], &y, Some(axis))),
        (name("_timing"), hdl::timing(block, &x, 14)),
        (name("_blocks"), hdl::diagram::svg(block)),
    ];
    Ok((line, files))
}
