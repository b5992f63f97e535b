//! The course tested as a whole: solutions get full marks, mutants are rejected, skeletons are in
//! step.

#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use grading::{Host, Lab, Mutant, Place, Work, mutant, overlay};

pub use lab::course::LABS;

/// The labs that the tests look at: all, or those whose ids the variable `COURSE_LABS` lists
/// (`lab4,lab5`).
pub fn labs() -> Vec<&'static Lab> {
    let only = std::env::var("COURSE_LABS").unwrap_or_default();
    LABS.iter().filter(|lab| only.is_empty() || only.split(',').any(|id| id == lab.id)).collect()
}

/// The course around this crate.
pub fn place() -> Place {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    Place::at(here.parent().unwrap_or(here))
}

/// All mutants of a lab.
///
/// # Errors
/// Names the file that is not a list of mutants.
pub fn mutants(lab: &Lab) -> Result<Vec<Mutant>, String> {
    mutant::load(&place().solution_dir(lab))
}

/// All lazy submissions of a lab.
///
/// # Errors
/// Names the file that is not a list of them.
pub fn lazy(lab: &Lab) -> Result<Vec<Mutant>, String> {
    mutant::load_lazy(&place().solution_dir(lab))
}

/// The solution of a lab with a lazy submission in place of one exercise: its skeleton with a few
/// words changed.
///
/// # Errors
/// If the change does not fit the skeleton.
pub fn idle(lab: &Lab, lazy: &Mutant, dir: &Path, program: PathBuf) -> Result<Work, String> {
    let place = place();
    let exercise = lab.exercise(&lazy.exercise).ok_or("there is no such exercise")?;
    let mut files = lazy.apply(|rel| place.skeleton(lab, rel))?;
    for rel in exercise.files {
        if !files.contains_key(*rel) {
            files.insert(rel.to_string(), place.skeleton(lab, rel)?);
        }
    }
    overlay::linked(lab, &place.solution_dir(lab), &files, dir)?;
    let host = files.keys().any(|rel| rel.ends_with(".rs"));
    let program = Host::ready(program);
    let program = if host { program.with_env("COURSE_MUTANT", &lazy.name()) } else { program };
    Ok(Work {
        student_dir: dir.to_path_buf(),
        host: Arc::new(program),
        ..place.solution_work(lab, Host::ready("unused"))
    })
}

/// The solution of a lab with one mutant's change, its files, to be read only, in the folder `dir`;
/// `program` is `course-host`.
///
/// # Errors
/// If the mutant does not fit the solution.
pub fn mutated(lab: &Lab, mutant: &Mutant, dir: &Path, program: PathBuf) -> Result<Work, String> {
    let place = place();
    let solution = place.solution_dir(lab);
    let changed = mutant.apply(|rel| overlay::read(&solution, rel))?;
    overlay::linked(lab, &solution, &changed, dir)?;
    let host = Host::ready(program);
    let host = if mutant.is_host() { host.with_env("COURSE_MUTANT", &mutant.name()) } else { host };
    Ok(Work {
        student_dir: dir.to_path_buf(),
        host: Arc::new(host),
        ..place.solution_work(lab, Host::ready("unused"))
    })
}

/// Other right ways to solve exercises of a lab: the folders in `variants/` beside its solution,
/// each with files that take the place of the solution's. They must keep full marks: a check that
/// knows one way only is unfair.
pub fn variants(lab: &Lab) -> Vec<PathBuf> {
    let folder = place().solution_dir(lab).join("variants");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = entries.map(|e| e.path()).collect();
    all.sort();
    all
}
