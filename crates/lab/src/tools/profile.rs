//! `cargo lab profile`: counters by launch and by source line, for a kernel or for a whole program.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use simt::device;
use simt::predict::{Bound, Prediction};
use simt::render::{RooflinePoint, duration, grouped, launch_table, line_table, source_text};
use simt::report::LaunchReport;
use simt::source::Location;
use wire::Trace;

use super::Failure;
use super::kernel::print_printf;
use super::session::{LaunchArgs, Session, session};
use super::timeline::timeline;
use crate::course::progress;
use crate::course::study::plot::roofline_svg;

/// Options of `cargo lab profile`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = super::args::HELP)]
pub struct Args {
    /// CUDA C file
    #[arg(required_unless_present = "bin")]
    pub file: Option<PathBuf>,
    /// How to launch it.
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// Profile a program of the course instead, such as vecadd
    #[arg(long, value_name = "NAME", conflicts_with = "file")]
    pub bin: Option<String>,
    /// Package of the program, if several have one of that name
    #[arg(short, long, value_name = "NAME", requires = "bin")]
    pub package: Option<String>,
    /// Build the program with optimisation
    #[arg(long, requires = "bin")]
    pub release: bool,
    /// Arguments of the program, behind `--`
    #[arg(last = true, requires = "bin")]
    pub program_args: Vec<String>,
    /// Driver calls to list one by one
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub calls: usize,
    /// Write the roofline as a picture
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
    /// Write the time line of a program for ui.perfetto.dev or chrome://tracing
    #[arg(long, value_name = "FILE.json", requires = "bin")]
    pub trace: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
}

impl Args {
    /// Runs the kernel or the program and prints the report.
    ///
    /// # Errors
    /// A wrong command line, a refused kernel, a fault, or a program that fails.
    pub fn run(&self, out: &mut dyn Write) -> Result<u8, Failure> {
        match (&self.bin, &self.file) {
            (Some(bin), _) => self.program(out, bin),
            (None, Some(file)) => self.kernel(out, &session(file, &self.launch)?),
            (None, None) => Err(Failure::usage("give a CUDA C file, or --bin NAME")),
        }
    }

    fn kernel(&self, out: &mut dyn Write, session: &Session) -> Result<u8, Failure> {
        let report = session.run().map_err(|fault| Failure::kernel(fault.render()))?;
        self.write_svg(std::slice::from_ref(&report))?;
        if self.json {
            let all = json!({ "launches": [report], "prediction": report.prediction });
            return print_json(out, &all);
        }
        write!(out, "{}", session.warnings())?;
        print_printf(out, &report)?;
        write!(out, "{}", launch_table(&report))?;
        write!(out, "{}", parts(&report.prediction))?;
        let sources = session.instance.program().sources();
        writeln!(out, "\n{}", line_table(&report, &|at| source_text(sources, at)).trim_end())?;
        printf_note(out, &report)?;
        Ok(0)
    }

    fn program(&self, out: &mut dyn Write, bin: &str) -> Result<u8, Failure> {
        let file = std::env::temp_dir().join(format!("lab-trace-{}.json", std::process::id()));
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut options = vec!["--bin".to_string(), bin.to_string()];
        if let Some(package) = self.package.clone().or_else(|| {
            let here = std::env::current_dir().ok()?;
            package_of(here.ancestors().find(|dir| dir.join("Cargo.lock").is_file())?, bin)
        }) {
            options.extend(["--package".into(), package]);
        }
        if self.release {
            options.push("--release".into());
        }
        let unknown = |e: std::io::Error| match e.kind() {
            std::io::ErrorKind::NotFound => Failure::usage(
                "a program is built before it is profiled, and that needs Rust: install it \
                 (https://rustup.rs) and open a new terminal",
            ),
            _ => Failure::usage(format!("cargo cannot be started: {e}")),
        };
        let built = progress::build(bin, Command::new(&cargo).arg("build").args(&options));
        let built = built.map_err(unknown)?;
        if !built.status.success() {
            return Err(Failure::kernel(built.words));
        }
        let mut command = Command::new(cargo);
        command.args(["run", "--quiet"]).args(&options).env("LAB_TRACE", &file);
        if let Some(key) = &self.launch.gpu {
            command.env("LAB_GPU", key);
        }
        command.arg("--").args(&self.program_args);
        let status = command.status().map_err(unknown)?;
        let text = std::fs::read_to_string(&file);
        // Left behind, it would only waste a little room in the temporary folder.
        let _ = std::fs::remove_file(&file);
        let Ok(text) = text else {
            return Err(Failure::kernel(format!(
                "error: {bin} left no trace ({status}): it did not start, or made no driver call\n"
            )));
        };
        let trace: Trace = serde_json::from_str(&text)
            .map_err(|e| Failure::usage(format!("the trace of {bin} cannot be read: {e}")))?;
        self.write_svg(&trace.launches)?;
        if let Some(path) = &self.trace {
            std::fs::write(path, timeline(&trace).to_string())
                .map_err(|e| Failure::usage(format!("{}: {e}", path.display())))?;
        }
        if self.json {
            print_json(out, &trace)?;
        } else {
            self.print_trace(out, &trace)?;
        }
        Ok(u8::from(!status.success()))
    }

    fn print_trace(&self, out: &mut dyn Write, trace: &Trace) -> Result<(), Failure> {
        writeln!(out, "\ndevice: {} ({})", trace.device, trace.backend)?;
        write!(out, "\n{}", time_line(trace, self.calls))?;
        if trace.launches.is_empty() && trace.backend == "cuda" {
            writeln!(
                out,
                "\nThe device is a real one: counters come from ncu there, or from \
                 LAB_DEVICE=emulated."
            )?;
        }
        for report in &trace.launches {
            write!(out, "\n{}", launch_table(report))?;
            let text_of = |at: &Location| {
                let text = trace.sources.get(&at.file).map(String::as_str).unwrap_or_default();
                text.lines().nth(at.line.saturating_sub(1) as usize).unwrap_or_default().to_string()
            };
            write!(out, "{}", line_table(report, &text_of))?;
            printf_note(out, report)?;
        }
        for fault in &trace.faults {
            write!(out, "\n{}", fault.render())?;
        }
        Ok(())
    }

    fn write_svg(&self, reports: &[LaunchReport]) -> Result<(), Failure> {
        let Some(path) = &self.svg else { return Ok(()) };
        let points: Vec<RooflinePoint> = reports.iter().filter_map(RooflinePoint::of).collect();
        let d = reports
            .first()
            .and_then(simt::render::device_of)
            .or(device::model(device::DEFAULT_KEY))
            .ok_or_else(|| Failure::usage("no device to draw a roofline for"))?;
        std::fs::write(path, roofline_svg(d, &points))
            .map_err(|e| Failure::usage(format!("{}: {e}", path.display())))
    }
}

/// The lab of the course in `root` that has a program `bin`: cargo itself looks for it in its
/// default packages only, and the labs are not among them.
fn package_of(root: &Path, bin: &str) -> Option<String> {
    let source = format!("src/bin/{bin}.rs");
    let mut folders = std::fs::read_dir(root).ok()?.flatten().map(|entry| entry.path());
    let lab = folders.find(|dir| dir.join(&source).is_file())?;
    let manifest = std::fs::read_to_string(lab.join("Cargo.toml")).ok()?;
    let name = manifest.lines().find_map(|line| line.strip_prefix("name = "))?;
    Some(name.trim().trim_matches('"').to_string())
}

fn print_json(out: &mut dyn Write, value: &impl serde::Serialize) -> Result<u8, Failure> {
    writeln!(out, "{}", serde_json::to_string_pretty(value).map_err(Failure::usage)?)?;
    Ok(0)
}

/// `printf` in a kernel costs time and instructions that are not the kernel's own.
fn printf_note(out: &mut dyn Write, report: &LaunchReport) -> std::io::Result<()> {
    let lines = report.printf.lines().count() as u64 + report.printf_lost;
    if lines > 0 {
        writeln!(
            out,
            "note: {} lines of printf: switch the prints off before profiling",
            grouped(lines)
        )?;
    }
    Ok(())
}

/// The time that each resource alone would need, longest first.
fn parts(prediction: &Prediction) -> String {
    let mut parts: Vec<_> = prediction.parts.iter().filter(|p| p.bound != Bound::Launch).collect();
    parts.sort_by(|a, b| b.ms.total_cmp(&a.ms));
    let longest = parts.first().map_or(0.0, |p| p.ms);
    let mut out =
        String::from("  predicted time by resource (overlapping; the launch comes on top)\n");
    for part in prediction.parts.iter().filter(|p| p.bound == Bound::Launch).chain(parts) {
        if part.ms < 0.005 * longest {
            continue;
        }
        out += &format!("    {:<18} {:>10}\n", part.bound.to_string(), duration(part.ms));
    }
    out
}

/// The driver calls: the first `limit` one by one, and the sums by function.
fn time_line(trace: &Trace, limit: usize) -> String {
    let mut out = String::from(
        "host time line (measured on the host; kernels of the emulated device take longer than \
         predicted)\n",
    );
    out += &format!("{:>12}  {:>10}  {:>12}  call\n", "begin ms", "ms", "bytes");
    for timed in trace.calls.iter().take(limit) {
        let bytes = timed.call.bytes.map_or(String::new(), grouped);
        let detail = match &timed.call.launch {
            Some(l) => format!(" {} <<<{:?}, {:?}>>>", l.kernel, l.grid, l.block),
            None => String::new(),
        };
        let result =
            if timed.call.ok() { String::new() } else { format!(" -> {}", timed.call.result_name) };
        out += &format!(
            "{:>12.3}  {:>10.3}  {bytes:>12}  {}{detail}{result}\n",
            timed.start_ms, timed.ms, timed.call.name
        );
    }
    let rest = trace.calls.len().saturating_sub(limit) as u64 + trace.dropped;
    if rest > 0 {
        out += &format!("{:>12}  {} more calls\n", "...", grouped(rest));
    }
    let mut sums: BTreeMap<&str, (u64, f64, u64)> = BTreeMap::new();
    for timed in &trace.calls {
        let sum = sums.entry(&timed.call.name).or_default();
        sum.0 += 1;
        sum.1 += timed.ms;
        sum.2 += timed.call.bytes.unwrap_or(0);
    }
    let total: f64 = sums.values().map(|s| s.1).sum();
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by(|a, b| b.1.1.total_cmp(&a.1.1));
    out += &format!("\n{:>8}  {:>10}  {:>6}  {:>14}  function\n", "calls", "ms", "%", "bytes");
    for (name, (calls, ms, bytes)) in sums {
        let share = if total > 0.0 { 100.0 * ms / total } else { 0.0 };
        let bytes = if bytes > 0 { grouped(bytes) } else { String::new() };
        out += &format!("{calls:>8}  {ms:>10.3}  {share:>6.1}  {bytes:>14}  {name}\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::{ApiCall, TimedCall};

    #[test]
    fn a_program_is_found_in_its_lab() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert_eq!(package_of(&root, "vecadd").as_deref(), Some("lab1-cuda-intro"));
        assert_eq!(package_of(&root, "nothing"), None);
    }

    #[test]
    fn time_line_lists_calls_and_sums_by_function() {
        let call = |name: &str, start_ms, ms, bytes| TimedCall {
            call: ApiCall { name: name.into(), bytes, ..ApiCall::default() },
            start_ms,
            ms,
        };
        let mut failed = call("cuLaunchKernel", 3.0, 0.5, None);
        failed.call.result = 1;
        failed.call.result_name = "CUDA_ERROR_INVALID_VALUE".into();
        let trace = Trace {
            calls: vec![
                call("cuInit", 0.0, 1.0, None),
                call("cuMemcpyHtoD", 1.0, 2.0, Some(8000)),
                failed,
                call("cuMemcpyHtoD", 4.0, 2.5, Some(8000)),
            ],
            ..Trace::default()
        };
        let text = time_line(&trace, 3);
        assert!(text.contains("1.000       2.000         8,000  cuMemcpyHtoD\n"), "{text}");
        assert!(text.contains("cuLaunchKernel -> CUDA_ERROR_INVALID_VALUE\n"));
        assert!(text.contains("...  1 more calls\n"));
        assert!(
            text.contains("       2       4.500    75.0          16,000  cuMemcpyHtoD\n"),
            "{text}"
        );
        let order: Vec<_> =
            text.lines().rev().take(3).map(|l| l.split_whitespace().last()).collect();
        assert_eq!(order, [Some("cuLaunchKernel"), Some("cuInit"), Some("cuMemcpyHtoD")]);
    }
}
