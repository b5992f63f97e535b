//! `cargo lab kernel`: run a kernel with no host code.

use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};
use simt::fault::Fault;
use simt::render::{grouped, launch_table};
use simt::report::LaunchReport;

use super::session::{Allocated, LaunchArgs, Session, session};
use super::{Failure, npy};

/// Options of `cargo lab kernel`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = super::args::HELP)]
pub struct Args {
    /// CUDA C file, or OpenCL C file (.cl)
    pub file: PathBuf,
    /// How to launch it.
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// Elements to print of each buffer that the kernel wrote
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub print: usize,
    /// Write a buffer to a file after the run: .npy, or raw bytes under any other name
    #[arg(long, value_name = "NAME=FILE")]
    pub save: Vec<String>,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
}

impl Args {
    /// Runs the kernel and shows its outputs and counters; a fault is shown with its source lines,
    /// exit code 1.
    ///
    /// # Errors
    /// A wrong command line, a refused kernel, or a fault.
    pub fn run(&self, out: &mut dyn Write) -> Result<u8, Failure> {
        let session = session(&self.file, &self.launch)?;
        let saves = self.saves(&session)?;
        let result = session.run_and_take();
        for (buffer, file) in saves {
            let (bytes, _) = session.content(buffer).map_err(Failure::usage)?;
            let npy_file = file.ends_with(".npy");
            let bytes = if npy_file {
                npy::write(&buffer.elem.npy_descr(), buffer.count, &bytes)
            } else {
                bytes
            };
            std::fs::write(file, bytes).map_err(|e| Failure::usage(format!("{file}: {e}")))?;
        }
        if self.json {
            let text = serde_json::to_string_pretty(&self.to_json(&session, &result)?)
                .map_err(Failure::usage)?;
            writeln!(out, "{text}")?;
            return Ok(u8::from(result.is_err()));
        }
        write!(out, "{}", session.warnings())?;
        let report = result.map_err(|fault| Failure::kernel(fault.render()))?;
        print_printf(out, &report)?;
        for buffer in session.shown(&report) {
            self.print_buffer(out, &session, buffer)?;
        }
        write!(out, "{}", launch_table(&report))?;
        Ok(0)
    }

    fn saves<'a>(&'a self, session: &'a Session) -> Result<Vec<(&'a Allocated, &'a str)>, Failure> {
        let one = |text: &'a String| {
            let (name, file) =
                text.split_once('=').filter(|(_, file)| !file.is_empty()).ok_or_else(|| {
                    Failure::usage(format!("--save: expected NAME=FILE, found `{text}`"))
                })?;
            let buffer = session.buffers.iter().find(|b| b.name == name).ok_or_else(|| {
                Failure::usage(format!("--save: the kernel has no buffer `{name}`"))
            })?;
            Ok((buffer, file))
        };
        self.save.iter().map(one).collect()
    }

    fn print_buffer(
        &self,
        out: &mut dyn Write,
        session: &Session,
        buffer: &Allocated,
    ) -> Result<(), Failure> {
        let (bytes, unwritten) = session.content(buffer).map_err(Failure::usage)?;
        let size = buffer.elem.size;
        if self.print > 0 {
            // Elements behind the first never-written one may be written or not; they are shown as
            // they are.
            let shown: Vec<String> =
                bytes.chunks_exact(size).take(self.print).map(|b| buffer.elem.show(b)).collect();
            let rest = buffer.count.saturating_sub(self.print);
            let more = if rest > 0 {
                format!(", ... {} more", grouped(rest as u64))
            } else {
                String::new()
            };
            if unwritten != Some(0) {
                writeln!(out, "{} = [{}{more}]", buffer.name, shown.join(", "))?;
            }
        }
        if let Some(i) = unwritten {
            writeln!(out, "note: {}[{i}] was never written", buffer.name)?;
        }
        Ok(())
    }

    fn to_json(
        &self,
        session: &Session,
        result: &Result<LaunchReport, Box<Fault>>,
    ) -> Result<Value, Failure> {
        let mut buffers = Vec::new();
        for buffer in &session.buffers {
            let (bytes, unwritten) = session.content(buffer).map_err(Failure::usage)?;
            let values: Vec<Value> = bytes
                .chunks_exact(buffer.elem.size)
                .take(self.print)
                .map(|b| json_number(&buffer.elem.show(b)))
                .collect();
            buffers.push(json!({
                "name": buffer.name,
                "type": buffer.elem.name,
                "count": buffer.count,
                "first_never_written": unwritten,
                "values": values,
            }));
        }
        Ok(match result {
            Ok(report) => json!({
                "report": report,
                "prediction": report.prediction,
                "buffers": buffers,
            }),
            Err(fault) => json!({ "fault": fault, "buffers": buffers }),
        })
    }
}

/// Numbers stay numbers; vectors, NaN and infinities become text.
fn json_number(text: &str) -> Value {
    serde_json::from_str::<serde_json::Number>(text).map_or_else(|_| text.into(), Value::Number)
}

/// The kernel's own output, and how much of it did not fit.
pub fn print_printf(out: &mut dyn Write, report: &LaunchReport) -> std::io::Result<()> {
    write!(out, "{}", report.printf)?;
    if !report.printf.is_empty() && !report.printf.ends_with('\n') {
        writeln!(out)?;
    }
    if report.printf_lost > 0 {
        writeln!(
            out,
            "note: {} lines of printf lost, its buffer was full",
            grouped(report.printf_lost)
        )?;
    }
    Ok(())
}
