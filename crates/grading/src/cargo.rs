//! Programs of the course and of students that cargo builds when a check first needs them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

use building::Stamp;
use serde_json::Value;

use crate::watch::{Doing, tell};
use crate::{Class, Finding};

/// Most bytes of a program's own output that a finding shows.
const TAIL: usize = 16 * 1024;
/// Held from the start of a build until its program is where the next build does not write over it.
static BUILDING: Mutex<()> = Mutex::new(());

/// How the program is built when it is first needed.
#[derive(Clone, Debug)]
pub struct Build {
    /// Folder of the workspace.
    pub workspace: PathBuf,
    /// Package.
    pub package: String,
    /// Binary target.
    pub bin: String,
    /// Where cargo builds; `None` leaves it to cargo.
    pub target_dir: Option<PathBuf>,
    /// Where the program is put. Workspaces that share a target folder share the program's path
    /// there, too.
    pub keep: Option<PathBuf>,
    /// Profile; `None` is cargo's usual one.
    pub profile: Option<String>,
    /// Tells when there is nothing to build; `None` asks cargo each time.
    pub stamp: Option<Stamp>,
}

impl Build {
    /// The call of cargo.
    pub(crate) fn command(&self) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command
            .current_dir(&self.workspace)
            .args(["build", "--color", "never"])
            .args(["--message-format", "json-render-diagnostics"])
            .args(["--package", &self.package, "--bin", &self.bin]);
        if let Some(profile) = &self.profile {
            command.args(["--profile", profile]);
        }
        if let Some(dir) = &self.target_dir {
            command.arg("--target-dir").arg(dir);
        }
        command
    }

    /// Builds a program of the course's own; its path.
    ///
    /// # Errors
    /// The grader's fault, with the compiler's text.
    pub fn of_the_course(&self) -> Result<PathBuf, Finding> {
        self.run().map_err(|why| {
            let text = format!("{} does not build: {}", self.bin, why.message);
            Finding::grader(text).details(why.details)
        })
    }

    /// Builds the program; its path.
    ///
    /// # Errors
    /// Not gradable, with the compiler's text.
    pub(crate) fn run(&self) -> Result<PathBuf, Finding> {
        // Cargo takes a seventh of a second to find that nothing changed.
        let this = std::env::current_exe().ok();
        if let (Some(stamp), Some(this)) = (&self.stamp, this)
            && let Some(program) = stamp.fresh(&self.workspace, &[this])
        {
            return Ok(program);
        }
        let mut command = self.command();
        let _one_at_a_time = BUILDING.lock().unwrap_or_else(|e| e.into_inner());
        // Other workers are other processes.
        let _no_other = self.keep.as_ref().and_then(|keep| lock_beside(keep));
        let begun = self.stamp.as_ref().and_then(|stamp| stamp.begin().ok());
        let since = Instant::now();
        let built = building::run(&mut command, &mut |event| {
            tell(&Doing::Building { bin: &self.bin, since, event });
        });
        tell(&Doing::Built);
        let built = built.map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => Finding::new(Class::NotGradable, NO_CARGO),
            _ => Finding::grader(format!("cargo cannot be run: {e}")),
        })?;
        if !built.status.success() {
            let text = without_notes(&built.words);
            // The folder of the build differs from machine to machine; reports must not.
            let text = text.replace(&format!("{}/", self.workspace.display()), "");
            return Err(refused(None, &text));
        }
        let stdout = String::from_utf8_lossy(&built.stdout);
        let program = stdout
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter(|m| m["target"]["name"] == self.bin.as_str())
            .find_map(|m| m["executable"].as_str().map(PathBuf::from))
            .ok_or_else(|| Finding::grader(format!("cargo built no {}", self.bin)))?;
        if let Some(begun) = begun {
            // Without it cargo is asked again.
            let _ = begun.ended(&program);
        }
        let Some(kept) = &self.keep else { return Ok(program) };
        let _ = std::fs::remove_file(kept);
        // A second name for the file: a copy would be open for writing for a moment, and a child
        // that another thread starts in that moment would keep it from being run.
        std::fs::hard_link(&program, kept)
            .map_err(|e| Finding::grader(format!("{}: {e}", kept.display())))?;
        Ok(kept.clone())
    }
}

/// What is said where there is no cargo.
const NO_CARGO: &str = "this exercise has host code, and that needs Rust: install it \
    (https://rustup.rs) and open a new terminal. Kernels and answers are checked without it";

/// Waits for the lock that all scratch workspaces of a lab share; it is free again when the file is
/// dropped.
fn lock_beside(kept: &Path) -> Option<std::fs::File> {
    let file = std::fs::File::create(kept.ancestors().nth(2)?.join("building")).ok()?;
    file.lock().ok()?;
    Some(file)
}

/// The compiler's text without cargo's own warnings (how many there are, that it waits for other
/// jobs), which depend on the order of its work: single lines, unlike those of the compiler, which
/// say where.
fn without_notes(text: &str) -> String {
    let mut lines = text.lines().peekable();
    let mut out = String::new();
    while let Some(line) = lines.next() {
        let is_note =
            line.starts_with("warning: ") && lines.peek().is_none_or(|next| !next.starts_with(' '));
        if !is_note {
            out += line;
            out.push('\n');
        }
    }
    out
}

/// The finding of host code that the compiler refused with the words `said`: `why`, or its first
/// error with the place of that error, and all errors. Warnings are for code that compiles.
pub(crate) fn refused(why: Option<String>, said: &str) -> Finding {
    let mut errors = String::new();
    let mut of_error = true;
    for line in said.lines() {
        if line.starts_with("error") || line.starts_with("warning") {
            of_error = line.starts_with("error");
        }
        if of_error {
            errors += line;
            errors.push('\n');
        }
    }
    let errors = if errors.contains("error") { errors.as_str() } else { said };
    let first = || errors.lines().find(|l| l.starts_with("error")).unwrap_or("see below");
    let why = why.unwrap_or_else(|| first().to_string());
    let place = errors.lines().find_map(|l| l.trim().strip_prefix("--> "));
    let place = place.map(|p| format!(" at {p}")).unwrap_or_default();
    let message = format!("the host code does not compile: {why}{place}");
    Finding::new(Class::NotGradable, message).details(cut(errors))
}

/// The text, or its last part with a note of what is left out.
pub(crate) fn cut(text: &str) -> String {
    if text.len() <= TAIL {
        return text.to_string();
    }
    let mut from = text.len() - TAIL;
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let omitted = text[..from].matches('\n').count();
    format!("[{omitted} lines omitted]\n{}", &text[from..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_failed_build_the_compilers_words_are_kept_and_no_others() {
        let of_rustc = "warning: unused variable: `x`\n --> src/lib.rs:1:18\n  |\n\n\
                        error: expected `;`\n \
                        --> src/a.rs:1:1\n\nerror: could not compile `toy` (bin \"a\") due to 1 \
                        previous error\n";
        let note = "warning: `toy` (lib) generated 1 warning\n";
        let waits = "warning: build failed, waiting for other jobs to finish...\n";
        assert_eq!(without_notes(&(of_rustc.to_string() + note + waits)), of_rustc);
        assert_eq!(without_notes(&(note.to_string() + of_rustc)), of_rustc);
    }

    #[test]
    fn a_refusal_names_the_place_of_its_error_and_no_warning() {
        let said = "warning: unused import: `Sig`\n --> lab/src/e1.rs:3:5\n  |\n\n\
                    error: expected `;`\n --> lab/src/e2.rs:7:1\n";
        let finding = refused(None, said);
        let want = "the host code does not compile: error: expected `;` at lab/src/e2.rs:7:1";
        assert_eq!(finding.message, want);
        assert_eq!(finding.details, "error: expected `;`\n --> lab/src/e2.rs:7:1\n");
        let late = refused(Some("the compiler did not end".into()), "warning: slow\n");
        assert_eq!(late.details, "warning: slow\n");
    }

    #[test]
    fn long_output_is_cut_at_its_beginning() {
        let text = "line\n".repeat(10_000);
        let short = cut(&text);
        assert!(short.len() < TAIL + 40 && short.starts_with("[67"), "{}", &short[..40]);
    }
}
