//! The judge of submissions, in one program.

use std::path::Path;

use grading::{Lab, Place};
use kept::Inputs;

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

/// What decides how submissions of a lab are graded: this program and the judge, the crates that
/// host code is built with, the lab and its solution, the hostile cases.
fn inputs(lab: &Lab) -> Inputs {
    let place = place();
    let inputs = Inputs::of_this_program().path(Path::new(JUDGE));
    let inputs = inputs.path(&place.lab_dir(lab)).path(&place.solution_dir(lab));
    let others = ["Cargo.toml", "Cargo.lock", "crates", "tests/hostile"];
    others.iter().fold(inputs, |inputs, rel| inputs.path(&place.root.join(rel)))
}
