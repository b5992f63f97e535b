//! The host code of an exercise as `cargo lab dev new 1.1.91` writes it; with `COURSE_MUTANT` in
//! the environment, that mutant's.

use std::process::ExitCode;

use labkit::serve::Handler;

include!(concat!(env!("OUT_DIR"), "/stubs/e1_1_91.rs"));

fn main() -> ExitCode {
    labkit::serve::run(handlers(&std::env::var("COURSE_MUTANT").unwrap_or_default()))
}
