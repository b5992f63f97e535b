//! Runs the solutions' host code for the judge: what `cargo lab tour` and
//! `cargo lab grade --solutions` build. The mutants are in `course-host`, which takes twenty times
//! as long to compile.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use labkit::serve::Handlers;

include!(concat!(env!("OUT_DIR"), "/solutions.rs"));

fn main() -> ExitCode {
    let mut handlers = Handlers::default();
    add_solutions(&mut handlers);
    labkit::serve::run(handlers)
}
