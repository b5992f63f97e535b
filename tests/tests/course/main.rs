//! The course tested as a whole, in one program: the solutions are graded once and shared, and what
//! passed before is not graded again while all that decides it is the same (`kept`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use grading::{Host, Lab, Work};
use kept::Inputs;

mod adding;
mod circles;
mod coverage;
mod forged;
mod hardware;
mod lazy;
mod leaks;
mod mutants;
mod nas;
mod one_build;
mod pack;
mod skeletons;
mod solutions;
mod stretch;
mod style;

/// Seed of the graded inputs.
const SEED: u64 = 20_261_121;

/// The program that runs the host code of solutions and mutants.
const PROGRAM: &str = env!("CARGO_BIN_EXE_course-host");

/// The grader with its checks (this program), the host code, and the outside tools.
fn programs() -> Inputs {
    static READ: OnceLock<Inputs> = OnceLock::new();
    let tools = ["ghdl", "iverilog", "vvp", "yosys", "yosys-abc", "nextpnr-ice40", "verilator"];
    let read = || {
        let programs = Inputs::of_this_program().path(Path::new(PROGRAM));
        tools.iter().fold(programs, |inputs, tool| inputs.tool(tool))
    };
    READ.get_or_init(read).clone()
}

/// What decides the verdicts on some work: the programs, the lab's given files, the work's own.
fn inputs(work: &Work) -> Inputs {
    static GIVEN: Mutex<BTreeMap<PathBuf, Inputs>> = Mutex::new(BTreeMap::new());
    let mut given = GIVEN.lock().unwrap();
    let lab = given.entry(work.course_dir.clone());
    let lab = lab.or_insert_with(|| programs().path(&work.course_dir)).clone();
    drop(given);
    lab.path(&work.student_dir)
}

/// What decides a test that looks at the course as it lies there: the programs and every file.
fn course_inputs() -> Inputs {
    static READ: OnceLock<Inputs> = OnceLock::new();
    let read = || {
        let entries = std::fs::read_dir(course_tests::place().root).into_iter().flatten();
        let mut all: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        all.retain(|path| !path.ends_with("target") && !path.ends_with(".git"));
        all.sort();
        all.iter().fold(programs().tool("cargo"), |inputs, path| {
            inputs.text(&path.to_string_lossy()).path(path)
        })
    };
    READ.get_or_init(read).clone()
}

/// What decides those on a lab's solution, its variants, and all its mutants together.
fn solution_inputs(lab: &Lab) -> Inputs {
    inputs(&course_tests::place().solution_work(lab, Host::ready(PROGRAM)))
}
