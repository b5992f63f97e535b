//! The course tested as a whole, in one program: the solutions are graded once and shared.

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
