//! Exercises and marks: status, run, watch, hint, grade, and the instructor's sync and export.
//!
//! Exit codes: 0 done (for `run` and `tour`: all checks passed; for `grade`: everything was
//! graded), 1 not passed, 2 wrong usage or a file that cannot be read.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use clap::Subcommand;
use grading::report::Paint;
use grading::{Exercise, Lab, Place};

pub mod args;
mod book;
mod export;
mod files;
mod gallery;
mod grade;
mod handin;
pub(crate) mod handout;
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

/// The labs of the course, in order.
pub const LABS: &[Lab] = &[
    lab1_checks::LAB,
    lab2_checks::LAB,
    lab3_checks::LAB,
    lab4_checks::LAB,
    lab5_checks::LAB,
    lab6_checks::LAB,
];

/// What the command can do with the course.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Where you are in the course, and what to do next (the default)
    Status,
    /// All labs and exercises
    List,
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
    /// The emulated device as libcuda.so.1 and libnvrtc.so, for host programs in any language
    Libcuda {
        /// Folder for the libraries and their C headers
        dir: PathBuf,
    },
    /// Write the skeletons from the reference solutions (for instructors)
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
    },
    /// Which submissions have much in common: a list to look at (for instructors)
    Similar(args::SimilarArgs),
    /// Write the students' pack: the course without solutions (for instructors)
    Export(args::ExportArgs),
}

/// The course at hand and the terminal.
#[derive(Debug)]
pub struct App {
    /// Where the course lies.
    pub place: Place,
    /// Its labs.
    pub labs: Vec<Lab>,
    /// Colours or none.
    pub paint: Paint,
}

impl App {
    /// The course around the current folder. What the judge waits for is shown on standard error
    /// from now on.
    ///
    /// # Errors
    /// If there is none.
    pub fn here() -> Result<App, String> {
        let start = std::env::current_dir().map_err(|e| format!("the current folder: {e}"))?;
        let colours = std::io::stdout().is_terminal()
            && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            && std::env::var_os("TERM").is_none_or(|t| t != "dumb");
        let place = Place::find(&start, LABS)?;
        progress::show();
        Ok(App { place, labs: LABS.to_vec(), paint: Paint(colours) })
    }

    /// Runs a command; the result is the exit code.
    ///
    /// # Errors
    /// What is wrong with the command line or a file, for people.
    pub fn run(&self, command: Command, out: &mut dyn Write) -> Result<u8, String> {
        match command {
            Command::Status => self.status(out),
            Command::List => self.list(out),
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
            Command::Handin { lab, file } => self.handin(&lab, file.as_deref(), out),
            Command::Similar(args) => self.similar(&args, out),
            Command::Export(args) => self.export(&args, out),
        }
    }

    /// The lab that `name` means.
    fn lab(&self, name: &str) -> Result<&Lab, String> {
        let lab = self.labs.iter().find(|lab| lab.is_called(name));
        lab.ok_or_else(|| format!("there is no lab {name}: `cargo lab list` shows all"))
    }

    /// The exercise that `name` means.
    fn exercise(&self, name: &str) -> Result<(&Lab, &'static Exercise), String> {
        let found = self.labs.iter().find_map(|lab| Some((lab, lab.exercise(name)?)));
        found.ok_or_else(|| {
            let near = self.nearest(name);
            let near = near.map_or(String::new(), |n| format!(". Did you mean {n}?"));
            format!("there is no exercise {name}: `cargo lab list` shows all{near}")
        })
    }

    /// The exercise whose number has the same digits, or all but one of them.
    fn nearest(&self, name: &str) -> Option<&'static str> {
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        let wanted = digits(name);
        let differ = |number: &str| {
            let own = digits(number);
            let same = own.chars().zip(wanted.chars()).filter(|(a, b)| a == b).count();
            own.len().max(wanted.len()) - same
        };
        let near = self.exercises().map(|(_, e)| e.number()).min_by_key(|n| differ(n))?;
        (wanted.len() > 1 && differ(near) <= 1).then_some(near)
    }

    /// The lab that `name` means, and the exercise if it means one.
    fn named(&self, name: &str) -> Result<(&Lab, Option<&'static Exercise>), String> {
        if let Some(lab) = self.labs.iter().find(|lab| lab.is_called(name)) {
            return Ok((lab, None));
        }
        let found = self.exercise(name).map(|(lab, exercise)| (lab, Some(exercise)));
        found.map_err(|e| e.replace("no exercise", "no lab or exercise"))
    }

    /// The exercise that `name` means, else the first that is not done; `None` if all are.
    fn exercise_or_next(
        &self,
        name: Option<&str>,
    ) -> Result<Option<(&Lab, &'static Exercise)>, String> {
        let Some(name) = name else { return Ok(self.next_exercise()) };
        if let Ok(found) = self.exercise(name) {
            return Ok(Some(found));
        }
        // A lab or a chapter: its first exercise that is not done.
        let chapter = format!("{}.", name.trim_end_matches('.'));
        let within: Vec<_> = self
            .exercises()
            .filter(|(lab, e)| lab.is_called(name) || e.number().starts_with(&chapter))
            .collect();
        let Some(first) = within.first() else { return self.exercise(name).map(Some) };
        Ok(Some(self.first_open(&within).unwrap_or(*first)))
    }

    /// All exercises with their labs, in order.
    fn exercises(&self) -> impl Iterator<Item = (&Lab, &'static Exercise)> {
        self.labs.iter().flat_map(|lab| lab.exercises.iter().map(move |e| (lab, e)))
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

/// Writes text; a reader that went away is no error worth a message.
pub(crate) fn say(out: &mut dyn Write, text: &str) -> Result<(), String> {
    match out.write_all(text.as_bytes()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("output: {e}")),
        _ => Ok(()),
    }
}
