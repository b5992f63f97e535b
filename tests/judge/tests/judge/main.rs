//! The judge of submissions, in one program.

use std::path::Path;

use grading::Place;

mod end;
mod memory;
mod submissions;
mod zoo;

/// The judge, which is also its own worker and the sandbox's stage.
const JUDGE: &str = env!("CARGO_BIN_EXE_course-judge");

/// The course around this crate.
fn place() -> Place {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    Place::at(here.ancestors().nth(2).unwrap_or(here))
}
