//! `cargo lab check`: a whole source file as it stands, compiled and run by a small run file, with
//! what compute-sanitizer would find and what ncu would count.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use simt::fault::{Fault, Site};
use simt::render::launch_table;
use simt::report::LaunchReport;
use simt::source::Location;
use simt::{Instance, Memory, Program};

use super::Failure;
use super::kernel::print_printf;
use super::run_file::{self, Event, Run};
use super::session::{CompileArgs, device_for, source};

const HELP: &str = "\
Without --run it is FILE with the ending .run; without one the file is compiled only.

Example:
  cargo lab check add.cu --run add.run --sarif findings.sarif";

/// Options of `cargo lab check`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = format!("{}\n\n{HELP}", run_file::HELP))]
pub struct Args {
    /// CUDA C file, or OpenCL C file (.cl), with or without host code
    pub file: PathBuf,
    /// What to launch, and what must come out (see below)
    #[arg(long, value_name = "FILE")]
    pub run: Option<PathBuf>,
    /// Options of the compiler.
    #[command(flatten)]
    pub compile: CompileArgs,
    /// GPU that is stood in for [default: LAB_GPU, or h200]
    #[arg(long, value_name = "KEY")]
    pub gpu: Option<String>,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
    /// Write the findings in the format SARIF 2.1.0, for editors and servers
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
}

/// Something wrong, as all outputs show it.
#[derive(Clone, Debug, PartialEq)]
struct Finding {
    /// `COMPILE`, `EXPECT`, or the fault's code.
    code: String,
    message: String,
    at: Option<Location>,
    other: Option<Location>,
    /// The whole text for people.
    text: String,
    warning: bool,
}

/// What a check has brought.
#[derive(Default)]
struct Outcome {
    kernels: Vec<String>,
    /// A run file to begin with.
    draft: String,
    launches: Vec<LaunchReport>,
    findings: Vec<Finding>,
}

impl Args {
    /// Compiles, runs and compares.
    ///
    /// # Errors
    /// A wrong command line, a file that cannot be read, a line of the run file that makes no
    /// sense. Findings are no error: they are shown, and the exit code is 1.
    pub fn run(&self, out: &mut dyn Write) -> Result<u8, Failure> {
        let mut outcome = Outcome::default();
        let (text, options) = source(&self.file, &self.compile)?;
        match Program::compile(&text, &options) {
            Err(refusal) => {
                let sources = &refusal.sources;
                let all = refusal.diagnostics.iter();
                outcome.findings.extend(all.map(|d| of_compiler(d, sources)));
            }
            Ok(program) => {
                let warnings = program.warnings().iter();
                outcome.findings.extend(warnings.map(|d| of_compiler(d, program.sources())));
                outcome.kernels = program.kernels().iter().map(|k| k.name.clone()).collect();
                outcome.draft = run_file::draft(program.kernels());
                if let Some(file) = self.run_file() {
                    let name = file.display().to_string();
                    let lines = std::fs::read_to_string(&file)
                        .map_err(|e| Failure::usage(format!("{name}: {e}")))?;
                    self.execute(&program, &name, &lines, &mut outcome)?;
                }
            }
        }
        if let Some(file) = &self.sarif {
            let text = serde_json::to_string_pretty(&sarif(&outcome.findings));
            std::fs::write(file, text.map_err(Failure::usage)? + "\n")
                .map_err(|e| Failure::usage(format!("{}: {e}", file.display())))?;
        }
        match self.json {
            true => write_json(out, &outcome)?,
            false => self.write_text(out, &outcome)?,
        }
        Ok(u8::from(outcome.findings.iter().any(|f| !f.warning)))
    }

    fn run_file(&self) -> Option<PathBuf> {
        let beside = || Some(self.file.with_extension("run")).filter(|f| f.is_file());
        self.run.clone().or_else(beside)
    }

    fn execute(
        &self,
        program: &Program,
        file: &str,
        lines: &str,
        outcome: &mut Outcome,
    ) -> Result<(), Failure> {
        let device = device_for(self.gpu.as_deref())?;
        let memory = Memory::new(device.memory_bytes);
        let instance = Instance::load(program, &memory).map_err(Failure::usage)?;
        let mut run = Run::new(device, memory, instance);
        for (number, line) in lines.lines().enumerate() {
            let here = |e: String| Failure::usage(format!("{file}:{}: {e}", number + 1));
            match run.line(line).map_err(here)? {
                Event::Nothing => {}
                Event::Launched(report) => outcome.launches.push(*report),
                Event::Fault(fault) => {
                    outcome.findings.push(of_fault(&fault));
                    outcome.findings.extend(fault.also.iter().map(of_fault));
                    return Ok(());
                }
                Event::Differs { name, message, list } => outcome.findings.push(Finding {
                    code: "EXPECT".into(),
                    text: format!("expect[{name}]: {message}\n{list}"),
                    message,
                    at: None,
                    other: None,
                    warning: false,
                }),
            }
        }
        Ok(())
    }

    fn write_text(&self, out: &mut dyn Write, outcome: &Outcome) -> Result<(), Failure> {
        for f in &outcome.findings {
            for line in f.text.lines() {
                writeln!(out, "========= {line}")?;
            }
            writeln!(out, "=========")?;
        }
        for report in &outcome.launches {
            print_printf(out, report)?;
            write!(out, "{}", launch_table(report))?;
        }
        let errors = outcome.findings.iter().filter(|f| !f.warning).count();
        let plural = if errors == 1 { "" } else { "s" };
        if outcome.launches.is_empty() && errors == 0 {
            let kernels = outcome.kernels.join(", ");
            writeln!(out, "compiled: {}", if kernels.is_empty() { "no kernel" } else { &kernels })?;
            if self.run_file().is_none() && !outcome.kernels.is_empty() {
                let file = self.file.with_extension("run");
                writeln!(out, "nothing was launched: the host's part of a file is not run")?;
                writeln!(
                    out,
                    "{} says what to launch (--help has all); to begin with:",
                    file.display()
                )?;
                write!(out, "{}", outcome.draft)?;
            }
        }
        writeln!(out, "========= ERROR SUMMARY: {errors} error{plural}")?;
        Ok(())
    }
}

fn of_compiler(d: &simt::diag::Diagnostic, sources: &simt::source::SourceMap) -> Finding {
    Finding {
        code: "COMPILE".into(),
        message: d.message.clone(),
        at: Some(sources.locate(d.span)),
        other: d.related.first().map(|(span, _)| sources.locate(*span)),
        text: d.render(sources),
        warning: d.severity == simt::diag::Severity::Warning,
    }
}

fn of_fault(fault: &Fault) -> Finding {
    let place = |site: &Option<Site>| site.as_ref().map(|s| s.at.clone());
    let alone = Fault { also: Vec::new(), ..fault.clone() };
    Finding {
        code: fault.kind.code().to_string(),
        message: fault.message.clone(),
        at: place(&fault.site),
        other: place(&fault.other),
        text: alone.render(),
        warning: false,
    }
}

fn write_json(out: &mut dyn Write, outcome: &Outcome) -> Result<(), Failure> {
    let findings: Vec<Json> = outcome
        .findings
        .iter()
        .map(|f| {
            json!({
                "code": f.code,
                "level": if f.warning { "warning" } else { "error" },
                "message": f.message,
                "at": f.at.as_ref().map(ToString::to_string),
                "other": f.other.as_ref().map(ToString::to_string),
            })
        })
        .collect();
    let all = json!({
        "kernels": outcome.kernels,
        "findings": findings,
        "launches": outcome.launches,
    });
    writeln!(out, "{}", serde_json::to_string_pretty(&all).map_err(Failure::usage)?)?;
    Ok(())
}

/// The findings as a log of SARIF 2.1.0 (OASIS).
fn sarif(findings: &[Finding]) -> Json {
    let place = |at: &Location| {
        json!({
            "physicalLocation": {
                "artifactLocation": { "uri": Path::new(&at.file).display().to_string() },
                "region": { "startLine": at.line, "startColumn": at.col },
            }
        })
    };
    let results: Vec<Json> = findings
        .iter()
        .map(|f| {
            json!({
                "ruleId": f.code,
                "level": if f.warning { "warning" } else { "error" },
                "message": { "text": f.message },
                "locations": f.at.iter().map(place).collect::<Vec<_>>(),
                "relatedLocations": f.other.iter().map(place).collect::<Vec<_>>(),
            })
        })
        .collect();
    let mut codes: Vec<&str> = findings.iter().map(|f| f.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules: Vec<Json> = codes.iter().map(|c| json!({ "id": c })).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "cargo lab check", "rules": rules } },
            "results": results,
        }],
    })
}
