//! `cargo lab debug`: breakpoints, stepping, lanes and memory, from a script or by hand.

use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;

use simt::debug::{Subject, session};

use super::Failure;
use super::session::{self, LaunchArgs};

/// Options of `cargo lab debug`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = super::args::HELP)]
pub struct Args {
    /// CUDA C file
    pub file: PathBuf,
    /// Read the commands from a file, one a line (# begins a comment); without it from the terminal
    #[arg(long, value_name = "FILE.dbg")]
    pub script: Option<PathBuf>,
    /// How to launch the kernel.
    #[command(flatten)]
    pub launch: LaunchArgs,
}

impl Args {
    /// Runs the session; exit code 1 if the kernel faulted or a command made no sense.
    ///
    /// # Errors
    /// A wrong command line, a refused kernel, or a script that cannot be read.
    pub fn run(&self, out: &mut (dyn Write + Send)) -> Result<u8, Failure> {
        let script = match &self.script {
            Some(path) => Some(
                std::fs::read_to_string(path)
                    .map_err(|e| Failure::usage(format!("{}: {e}", path.display())))?,
            ),
            None => None,
        };
        let s = session::session(&self.file, &self.launch)?;
        write!(out, "{}", s.warnings())?;
        let subject = Subject {
            device: s.device,
            memory: &s.memory,
            instance: &s.instance,
            symbol: &s.kernel.symbol,
            launch: &s.launch,
            options: &s.options,
        };
        let done = match &script {
            Some(text) => {
                let mut lines = text.lines().map(String::from);
                session(&subject, &mut || lines.next(), out, true)?
            }
            None => {
                let terminal = std::io::stdin().is_terminal();
                let mut next = || {
                    if terminal {
                        // A prompt that cannot be shown is no reason to stop.
                        let mut err = std::io::stderr();
                        let _ = err.write_all(b"(lab) ").and_then(|()| err.flush());
                    }
                    let mut line = String::new();
                    let read = std::io::stdin().lock().read_line(&mut line);
                    matches!(read, Ok(n) if n > 0).then_some(line)
                };
                session(&subject, &mut next, out, !terminal)?
            }
        };
        let faulted = matches!(done.outcome, Some(Err(_)));
        Ok(u8::from(faulted || (script.is_some() && !done.mistakes.is_empty())))
    }
}
