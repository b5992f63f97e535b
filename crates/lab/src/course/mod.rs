//! Exercises and marks: status, run, watch, hint, grade, and the instructor's sync and export.
//!
//! Exit codes: 0 done (for `run` and `tour`: all checks passed; for `grade`: everything was
//! graded), 1 not passed, 2 wrong usage or a file that cannot be read.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use clap::Subcommand;

mod app;
pub mod args;
mod book;
mod export;
mod files;
mod gallery;
mod grade;
mod handin;
pub(crate) mod handout;
mod labs;
mod libcuda;
pub mod pictures;
pub(crate) mod progress;
mod report;
mod similar;
mod state;
mod status;
pub(crate) mod study;
mod tour;
mod work;

pub use app::App;
pub(crate) use app::say;
pub use labs::LABS;

/// What the command can do with the course.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Where you are in the course, and what to do next (the default)
    Status,
    /// All labs and exercises
    List {
        /// Lab, such as lab1; without it, all
        lab: Option<String>,
    },
    /// Check one exercise
    Run {
        /// Exercise, such as 1.1.3; without it, the first that is not done
        exercise: Option<String>,
        /// Seed of the random inputs
        #[arg(long)]
        seed: Option<u64>,
        /// Every finding in full, not the first one only
        #[arg(long)]
        all: bool,
    },
    /// Check an exercise again at every save
    Watch {
        /// Exercise; without it, the first that is not done, and then the next
        exercise: Option<String>,
        /// Stop after so many runs
        #[arg(long, hide = true)]
        runs: Option<usize>,
    },
    /// A hint for an exercise; one more at every call
    Hint {
        /// Exercise, such as 1.1.3; without it, the first that is not done
        exercise: Option<String>,
    },
    /// Put the skeleton of an exercise back; your files are kept as FILE.orig
    Reset {
        /// Exercises, such as 1.1.3, or whole labs, such as lab1
        #[arg(required = true, value_name = "EXERCISE")]
        exercises: Vec<String>,
    },
    /// Put the reference solution of an exercise in place of your files (for instructors)
    Solve {
        /// Exercises, such as 1.1.3, or whole labs, such as lab1
        #[arg(required = true, value_name = "EXERCISE")]
        exercises: Vec<String>,
    },
    /// Mark your work, the solutions, or a folder of submissions
    Grade(Box<grade::Args>),
    /// Mark every reference solution and leave a page with marks, pictures and counts
    Tour {
        /// Seed of the random inputs
        #[arg(long)]
        seed: Option<u64>,
    },
    /// All variants of a kernel over K: counts, predicted and measured times, plots
    Study(study::Args),
    /// Fill a lab's REPORT.md with your tables, plots and counts; the sentences are yours
    Report {
        /// Which lab, such as lab2
        lab: String,
        /// Take the reference solutions in place of your files
        #[arg(long, requires = "file")]
        solutions: bool,
        /// File to write, in place of the form itself; plots go to the folder `plots` beside it
        #[arg(id = "file", long = "out", value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Draw every picture of handouts and documents anew (for instructors)
    Pictures {
        /// Which ones; without it, all
        names: Vec<String>,
    },
    /// Write handouts and documents as one book for a browser, with search
    Book {
        /// Folder of the pages (default: target/lab/book); `print.html` there is all on one page
        dir: Option<PathBuf>,
    },
    /// The emulated device as libcuda.so.1, libnvrtc.so and libOpenCL.so.1, for any host program
    Libcuda {
        /// Folder for the libraries and their C headers
        dir: PathBuf,
    },
    /// Write the skeletons from the reference solutions, and the lists of exercises (for
    /// instructors)
    Sync {
        /// Only say which skeletons differ
        #[arg(long)]
        check: bool,
    },
    /// Make the archive of a lab that you hand in
    Handin {
        /// The lab, such as lab1
        lab: String,
        /// File to write (default: LAB.zip)
        file: Option<PathBuf>,
        /// Add how many minutes you worked at each exercise until it was done, as `run` and `watch`
        /// counted: for your instructor's statistics, not for marks
        #[arg(long)]
        times: bool,
    },
    /// Which submissions have much in common: a list to look at (for instructors)
    Similar(args::SimilarArgs),
    /// Write the students' pack: the course without solutions (for instructors)
    Export(args::ExportArgs),
}

impl App {
    /// Runs a command; the result is the exit code.
    ///
    /// # Errors
    /// What is wrong with the command line or a file, for people.
    pub fn run(&self, command: Command, out: &mut dyn Write) -> Result<u8, String> {
        match command {
            Command::Status => self.status(out),
            Command::List { lab } => self.list(lab.as_deref(), out),
            Command::Run { exercise, seed, all } => {
                self.run_exercise(exercise.as_deref(), seed, all, out)
            }
            Command::Watch { exercise, runs } => self.watch(exercise.as_deref(), runs, out),
            Command::Hint { exercise } => self.hint(exercise.as_deref(), out),
            Command::Reset { exercises } => self.reset(&exercises, out),
            Command::Solve { exercises } => self.solve(&exercises, out),
            Command::Grade(args) => self.grade(&args, out),
            Command::Tour { seed } => self.tour(seed, out),
            Command::Study(args) => self.study(&args, out),
            Command::Report { lab, solutions, file } => {
                self.report(&lab, solutions, file.as_deref(), out)
            }
            Command::Pictures { names } => self.pictures(&names, out),
            Command::Book { dir } => self.book(dir.as_deref(), out),
            Command::Libcuda { dir } => self.libcuda(&dir, out),
            Command::Sync { check } => self.sync(check, out),
            Command::Handin { lab, file, times } => self.handin(&lab, file.as_deref(), times, out),
            Command::Similar(args) => self.similar(&args, out),
            Command::Export(args) => self.export(&args, out),
        }
    }
}

/// `cargo run` of the course's workspace with these words.
fn cargo_run(root: &Path, words: &str) -> Process {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Process::new(cargo);
    command.arg("run").arg("--manifest-path").arg(root.join("Cargo.toml"));
    command.args(words.split_whitespace());
    command
}
