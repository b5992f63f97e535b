//! The course tested as a whole, in one program: the solutions are graded once and shared, and what
//! passed before is not graded again while all that decides it is the same (`kept`).

use std::path::Path;
use std::sync::OnceLock;

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
    programs().path(&work.course_dir).path(&work.student_dir)
}

/// What decides those on a lab's solution, its variants, and all its mutants together.
fn solution_inputs(lab: &Lab) -> Inputs {
    inputs(&course_tests::place().solution_work(lab, Host::ready(PROGRAM)))
}
