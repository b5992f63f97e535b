//! `start`: what the alias `cargo lab` runs. It builds the program `lab`, with progress shown, if
//! it is missing or out of date, and replaces itself by it.
//!
//! Whether it is up to date is seen without cargo, by a [`Stamp`]; `start` itself cargo builds anew
//! for another compiler or other flags.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use building::{Event, Parts, Said, Screen, Stamp, Status, about, run, seconds};

/// What the first build costs: `cargo build --timings --package lab`, in seconds of a core of a
/// laptop.
const LAB: Parts = Parts {
    heavy: &[
        ("syn", 4.5),
        ("clap_builder", 2.7),
        ("compiler", 7.0),
        ("simt", 13.0),
        ("hdl", 7.0),
        ("grading", 3.5),
        ("lab5-checks", 1.2),
        ("lab3-checks", 3.5),
        ("lab1-checks", 3.0),
        ("lab6-checks", 6.0),
        ("lab4-checks", 0.9),
        ("lab2-checks", 3.0),
        ("lab", 3.5),
    ],
    others: 80,
};
/// What it takes on disk.
const DISK: &str = "0.8 GB";
/// A build of what was built before that ends within these seconds is not spoken of.
const QUIET_S: f64 = 1.0;

fn main() -> ExitCode {
    let done = std::env::current_exe()
        .map_err(|e| format!("the path of this program is unknown: {e}"))
        .and_then(|own| Program::beside(own).ready());
    match done {
        Ok(Ok(lab)) => become_it(&lab),
        Ok(Err(code)) => ExitCode::from(code),
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// The program `lab` and where it comes from.
struct Program {
    /// Folder of the workspace.
    root: PathBuf,
    /// This program.
    own: PathBuf,
    /// The program `lab`, built or to be built.
    lab: PathBuf,
    /// Of the last good build.
    stamp: Stamp,
}

impl Program {
    /// This program lies in a profile's folder of its own, so that no other build locks it; `lab`
    /// lies in that of `dev`.
    fn beside(own: PathBuf) -> Program {
        let folder = own.parent().unwrap_or(Path::new("."));
        let lab = folder
            .with_file_name("debug")
            .join("lab")
            .with_extension(std::env::consts::EXE_EXTENSION);
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR");
        let here = manifest.map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        let root = here.ancestors().nth(2).unwrap_or(&here).to_path_buf();
        Program { root, stamp: Stamp::at(folder.join("lab.stamp")), lab, own }
    }

    /// The program's path; built now if it has to be. The inner error is cargo's exit code.
    fn ready(self) -> Result<Result<PathBuf, u8>, String> {
        if let Some(lab) = self.stamp.fresh(&self.root, std::slice::from_ref(&self.own)) {
            return Ok(Ok(lab));
        }
        let begun = self.stamp.begin().map_err(|e| e.to_string())?;
        if let Some(code) = self.build()? {
            return Ok(Err(code));
        }
        if !self.lab.is_file() {
            return Err(format!("cargo built no {}", self.lab.display()));
        }
        begun.ended(&self.lab).map_err(|e| e.to_string())?;
        Ok(Ok(self.lab))
    }

    /// Builds; cargo's exit code if that fails.
    fn build(&self) -> Result<Option<u8>, String> {
        let begun = Instant::now();
        let first = !self.lab.exists();
        let mut screen = Screen::here();
        let mut status = Status::new(if first { LAB } else { Parts::UNKNOWN });
        let mut spoken = false;
        if first {
            screen.say(0.0, &self.heading());
            spoken = true;
        }
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        command.args(["build", "--package", "lab", "--bin", "lab"]);
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        if screen.is_terminal() && !plain && std::env::var_os("CARGO_TERM_COLOR").is_none() {
            command.env("CARGO_TERM_COLOR", "always");
        }
        let built = run(&mut command, &mut |event| {
            let now = begun.elapsed().as_secs_f64();
            let was_waiting = status.is_waiting();
            status.hear(now, event);
            if let Event::Said(Said::Words(line)) = event {
                screen.say(now, line);
            }
            if !first && now < QUIET_S {
                return;
            }
            if status.is_waiting() != was_waiting {
                screen.soon();
            }
            let what = if first { "" } else { "Building what changed: " };
            screen.line(now, |columns| {
                format!("{what}{}", status.text(now, columns.saturating_sub(what.len())))
            });
            spoken = true;
        });
        screen.clear();
        let now = begun.elapsed().as_secs_f64();
        let built = built.map_err(|e| format!("cargo cannot be run: {e}"))?;
        if !built.status.success() {
            let code = built.status.code().and_then(|code| u8::try_from(code).ok());
            return Ok(Some(code.unwrap_or(101)));
        }
        if first || (spoken && !screen.is_terminal()) {
            screen.say(now, &format!("Built in {}.", seconds(now)));
        }
        Ok(None)
    }

    /// What is about to happen, once.
    fn heading(&self) -> String {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let time = about(LAB.seconds(cores));
        let target = self.lab.ancestors().nth(2).unwrap_or(&self.lab);
        let here = std::env::current_dir().unwrap_or_default();
        let target = target.strip_prefix(&here).unwrap_or(target).display();
        format!("Building the course: once, {time} on this computer, {DISK} in {target}/.")
    }
}

/// Runs the program in place of this one, with the same arguments.
fn become_it(lab: &Path) -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let mut command = Command::new(lab);
    command.args(args);
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        let error = command.exec();
        eprintln!("error: {}: {error}", lab.display());
        ExitCode::from(2)
    }
    #[cfg(not(unix))]
    match command.status() {
        Ok(status) => ExitCode::from(status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1)),
        Err(error) => {
            eprintln!("error: {}: {error}", lab.display());
            ExitCode::from(2)
        }
    }
}
