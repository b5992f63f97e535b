//! The design of an exercise as `cargo lab dev new 4.91` writes it; with `COURSE_MUTANT` in the
//! environment, that mutant's.

use std::process::ExitCode;

use wire::serve::{Handler, NoDevice};

include!(concat!(env!("OUT_DIR"), "/stubs/e4_91.rs"));

fn main() -> ExitCode {
    let handlers = handlers(&std::env::var("COURSE_MUTANT").unwrap_or_default());
    wire::serve::run(handlers, &NoDevice)
}
