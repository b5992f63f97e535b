//! The laboratory's desk as a program: run a design on the board, or build its files and its
//! report. A lab's binary is one line: `hdl::desk::main(&DESIGNS)`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::board::{CLOCK_MHZ, Fpga, WORDS, constraints};
use crate::error::{BuildErrors, UseError};
use crate::estimate::{Device, Estimate, Multipliers, RIMLAB00};
use crate::ir::Block;
use crate::write::{verilog, vhdl};
use crate::{Trace, diagram, interval, plot, stimulus, tools};

/// A design that the program knows by name.
#[derive(Clone, Copy)]
pub struct Design {
    /// Name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub what: &'static str,
    /// Builds it.
    pub build: fn() -> Result<Block, BuildErrors>,
}

const USAGE: &str = "usage: PROGRAM list
       PROGRAM run NAME [--in FILE.csv | --signal sine|pulses|step | --tone A,F ..]
                   [--set PORT=VALUE] [--late] [--axis LOW,HIGH] [--show N] [--out DIR]
       PROGRAM build NAME [--tools] [--out DIR]

run    sends up to 1024 numbers to the design on the board and fetches 1024: prints words, time,
       cycles and amplitudes, and writes NAME.csv (n, x, y), NAME.vcd, NAME.svg (input and output)
       and NAME_timing.svg; --signal sine has amplitude 30000, pulses a word of 32767 at every
       16th place, step twenty of them in a row; --tone is a cosine of amplitude A and F cycles
       per sample, several are added up; --axis sets the plot's vertical limits, --show limits it
       to the first N; --late accepts results that come after PROC_WORKING
build  writes NAME.vhd, NAME.v, NAME.ucf, NAME_blocks.svg and NAME_report.json, and prints what
       the design costs; --tools asks Yosys and nextpnr as well";

/// Runs the command line; the exit code is 0, 1 if the design is refused or does not finish, 2 for
/// wrong usage.
pub fn main(designs: &[Design]) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut text = String::new();
    let code = command(designs, &arguments, &mut text);
    print!("{text}");
    match code {
        Ok(code) => ExitCode::from(code),
        Err(Refusal { code, message }) => {
            eprintln!("error: {message}");
            ExitCode::from(code)
        }
    }
}

/// Why a command was not carried out.
#[derive(Debug)]
pub struct Refusal {
    /// Exit code.
    pub code: u8,
    /// What is wrong.
    pub message: String,
}

impl From<UseError> for Refusal {
    fn from(e: UseError) -> Refusal {
        Refusal { code: 2, message: e.to_string() }
    }
}

/// How the program is called, by its own name.
fn usage_text() -> String {
    let program = std::env::current_exe().ok();
    let name = program.as_deref().and_then(Path::file_stem).and_then(|name| name.to_str());
    USAGE.replace("PROGRAM", name.unwrap_or("fpga"))
}

fn usage(what: impl Into<String>) -> Refusal {
    Refusal { code: 2, message: format!("{}\n{}", what.into(), usage_text()) }
}

#[derive(Default)]
struct Options {
    input: Option<PathBuf>,
    signal: Option<String>,
    tones: Vec<(f64, f64)>,
    late: bool,
    set: Vec<(String, i64)>,
    axis: Option<(f64, f64)>,
    show: Option<usize>,
    out: Option<PathBuf>,
    tools: bool,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Options, Refusal> {
        let mut options = Options::default();
        let mut rest = arguments.iter();
        while let Some(name) = rest.next() {
            match name.as_str() {
                "--tools" => options.tools = true,
                "--late" => options.late = true,
                _ => {}
            }
            if name == "--tools" || name == "--late" {
                continue;
            }
            let value = rest.next().ok_or_else(|| usage(format!("{name} needs a value")))?;
            let bad = || {
                let expected = match name.as_str() {
                    "--tone" => "an amplitude and a frequency, such as 1000,0.1",
                    "--axis" => "two limits, such as -1000,1000",
                    "--set" => "a port and a number, such as SW0=1",
                    _ => "a whole number",
                };
                usage(format!("{name} {value}: expected {expected}"))
            };
            let two = || {
                let (a, b) = value.split_once(',').ok_or_else(bad)?;
                let number = |t: &str| t.trim().parse::<f64>().map_err(|_| bad());
                Ok::<_, Refusal>((number(a)?, number(b)?))
            };
            match name.as_str() {
                "--in" => options.input = Some(value.into()),
                "--signal" => options.signal = Some(value.clone()),
                "--out" => options.out = Some(value.into()),
                "--show" => options.show = Some(value.parse().map_err(|_| bad())?),
                "--set" => {
                    let (port, number) = value.split_once('=').ok_or_else(bad)?;
                    options.set.push((port.into(), number.parse().map_err(|_| bad())?));
                }
                "--axis" => {
                    let axis = two()?;
                    if axis.0.partial_cmp(&axis.1) != Some(std::cmp::Ordering::Less) {
                        return Err(usage(format!("--axis {value}: the lower limit comes first")));
                    }
                    options.axis = Some(axis);
                }
                "--tone" => options.tones.push(two()?),
                _ => return Err(usage(format!("unknown option {name}"))),
            }
        }
        Ok(options)
    }
}

/// Carries out a command line, writing what is to be shown into `say`.
///
/// # Errors
/// Wrong usage, a design that is refused, a file that cannot be read or written.
pub fn command(designs: &[Design], arguments: &[String], say: &mut String) -> Result<u8, Refusal> {
    let (name, options) = match arguments {
        [.., help] if help == "--help" || help == "-h" => {
            _ = writeln!(say, "{}", usage_text());
            return Ok(0);
        }
        [verb] if verb == "list" => {
            designs.iter().for_each(|d| _ = writeln!(say, "{:<16} {}", d.name, d.what));
            return Ok(0);
        }
        [verb, name, rest @ ..] if verb == "run" || verb == "build" => {
            (name, Options::parse(rest)?)
        }
        _ => return Err(usage("run, build or list is expected")),
    };
    let design = designs.iter().find(|d| d.name == name).ok_or_else(|| {
        let names: Vec<&str> = designs.iter().map(|d| d.name).collect();
        usage(format!("there is no design {name}; there are: {}", names.join(", ")))
    })?;
    let block = (design.build)().map_err(|e| Refusal { code: 1, message: e.to_string() })?;
    let folder = options.out.clone().unwrap_or_else(|| "fpga-out".into());
    match arguments[0].as_str() {
        "run" => run(design.name, &block, &options, &folder, say),
        _ => build(design.name, &block, &options, &folder, say),
    }
}

fn save(folder: &Path, name: &str, text: &str, say: &mut String) -> Result<(), Refusal> {
    let path = folder.join(name);
    let fault =
        |e: std::io::Error| Refusal { code: 2, message: format!("{}: {e}", path.display()) };
    std::fs::create_dir_all(folder).map_err(fault)?;
    std::fs::write(&path, text).map_err(fault)?;
    _ = writeln!(say, "wrote {}", path.display());
    Ok(())
}

/// Numbers of a file, one or more in a line.
fn numbers(path: &Path) -> Result<Vec<f64>, Refusal> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Refusal { code: 2, message: format!("{}: {e}", path.display()) })?;
    let mut x = Vec::new();
    for (n, line) in text.lines().enumerate() {
        for word in line.split([',', ';', ' ', '\t']).filter(|w| !w.is_empty()) {
            x.push(word.parse().map_err(|_| Refusal {
                code: 2,
                message: format!("{}:{}: `{word}` is no number", path.display(), n + 1),
            })?);
        }
    }
    Ok(x)
}

fn run(
    name: &str,
    block: &Block,
    options: &Options,
    folder: &Path,
    say: &mut String,
) -> Result<u8, Refusal> {
    let x = match (&options.input, options.signal.as_deref()) {
        (Some(path), _) => numbers(path)?,
        (None, None) if !options.tones.is_empty() => stimulus::cosines(WORDS, &options.tones),
        (None, None | Some("sine")) => stimulus::sine(WORDS, 30000.0, 100.0),
        (None, Some("pulses")) => stimulus::pulses(WORDS, 16, 32767.0),
        (None, Some("step")) => stimulus::step(WORDS, 0..20, 32767.0),
        (None, Some(other)) => {
            let text = format!("--signal {other}: expected sine, pulses or step");
            return Err(usage(text));
        }
    };
    let mut fpga = Fpga::new(block)?;
    if options.late {
        fpga = fpga.accept_late_writes();
    }
    for (port, value) in &options.set {
        fpga.set(port, *value)?;
    }
    let mut trace = Trace::all(fpga.simulator())?;
    let run = fpga.run_watched(&x, |sim| trace.record(sim))?;
    _ = writeln!(say, "{run}");
    if let (Some(least), Some(most)) = (run.y.iter().min(), run.y.iter().max()) {
        _ = writeln!(say, "Amplitudes:       {least} to {most}");
    }
    let mut csv = String::from("n,x,y\n");
    for (n, y) in run.y.iter().enumerate() {
        _ = writeln!(csv, "{n},{},{y}", x.get(n).copied().unwrap_or(0.0));
    }
    save(folder, &format!("{name}.csv"), &csv, say)?;
    save(folder, &format!("{name}.vcd"), &trace.vcd(name), say)?;
    let show = options.show.unwrap_or(WORDS);
    let y: Vec<f64> = run.y.iter().take(show).map(|y| f64::from(*y)).collect();
    let shown: Vec<f64> = x.iter().take(show).copied().collect();
    save(folder, &format!("{name}.svg"), &plot::overlay(name, &shown, &y, options.axis), say)?;
    save(folder, &format!("{name}_timing.svg"), &crate::timing(block, &x, 16), say)?;
    Ok(u8::from(!run.finished))
}

fn build(
    name: &str,
    block: &Block,
    options: &Options,
    folder: &Path,
    say: &mut String,
) -> Result<u8, Refusal> {
    let estimate = Estimate::new(block, &Device::XC3S700A, Multipliers::Blocks);
    _ = writeln!(say, "{estimate}");
    let (fit, limit) = estimate.total.fits(&Device::XC3S700A, RIMLAB00);
    _ = writeln!(say, "{fit} of them fit beside the communication block; {limit} end first");
    let small = Estimate::new(block, &Device::HX8K, Multipliers::Logic);
    _ = writeln!(
        say,
        "on the {}: {} LUTs, {:.0} MHz (estimates); the board runs at {CLOCK_MHZ} MHz",
        small.device.name, small.total.luts, small.mhz
    );
    let overflows = interval::check(block, &[])?.overflows;
    for overflow in &overflows {
        _ = writeln!(say, "overflow: {overflow}");
    }
    let mut report = serde_json::json!({ "estimate": estimate, "overflows": overflows.len() });
    if options.tools {
        match tools::yosys(block, Multipliers::Blocks) {
            Ok(s) => {
                let c = s.count;
                _ = writeln!(
                    say,
                    "Yosys: {} LUT, {} FF, {} MULT in {:.1} s",
                    c.luts, c.ffs, c.multipliers, s.seconds
                );
                report["yosys"] = serde_json::json!(s);
            }
            Err(e) => _ = writeln!(say, "not asked: {e}"),
        }
        match tools::nextpnr(block) {
            Ok(r) => {
                _ = writeln!(say, "nextpnr, HX8K: {r}");
                report["nextpnr"] = serde_json::json!(r);
            }
            Err(e) => _ = writeln!(say, "not asked: {e}"),
        }
    }
    save(folder, &format!("{name}.vhd"), &vhdl::design(block), say)?;
    save(folder, &format!("{name}.v"), &verilog::design(block), say)?;
    save(folder, &format!("{name}_blocks.svg"), &diagram::svg(block), say)?;
    match constraints(block, &[]) {
        Ok(text) => save(folder, &format!("{name}.ucf"), &text, say)?,
        Err(e) => _ = writeln!(say, "no constraint file: {e}"),
    }
    let text = serde_json::to_string_pretty(&report).unwrap_or_default() + "\n";
    save(folder, &format!("{name}_report.json"), &text, say)?;
    Ok(0)
}
