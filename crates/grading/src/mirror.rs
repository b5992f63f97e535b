//! The student's mirror: the judge's checks as libtest tests of the lab's own package.
//!
//! It is a convenience: a process that runs student code beside the tests could pretend anything. The judge is
//! `cargo lab grade`.

use std::path::Path;
use std::sync::Arc;

use crate::{Host, Lab, Place, Trial, Verdict, runner};

/// Seed of the inputs; `LAB_SEED` gives another.
const SEED: u64 = 1;

/// One test per check of an exercise: `mirror!(LAB, "e1_1_03", env!("CARGO_BIN_EXE_lab1-host"), [multi, verify]);`.
///
/// With the lab's feature `solutions` the same tests look at the reference solution.
#[macro_export]
macro_rules! mirror {
    ($lab:expr, $key:literal, $host:expr, [$($check:ident),+ $(,)?]) => {
        const NAMES: &[&str] = &[$(stringify!($check)),+];
        $(
            #[test]
            fn $check() {
                let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
                let host = std::path::Path::new($host);
                let solutions = cfg!(feature = "solutions");
                if let Err(text) =
                    $crate::mirror::run(&$lab, $key, stringify!($check), NAMES, folder, host, solutions)
                {
                    panic!("\n{text}");
                }
            }
        )+
    };
}

/// Runs one check on the files in `folder`, or on the solutions; `host` is the built host program. `names` are all tests
/// of the file: they must be the checks of the exercise.
///
/// # Errors
/// The finding as text for people.
pub fn run(
    lab: &Lab,
    key: &str,
    name: &str,
    names: &[&str],
    folder: &Path,
    host: &Path,
    solutions: bool,
) -> Result<(), String> {
    let exercise = lab.exercise(key).ok_or_else(|| format!("{} has no exercise {key}", lab.id))?;
    let checks: Vec<&str> = exercise.checks.iter().map(|c| c.name).collect();
    if checks != names {
        return Err(format!("tests/{key}.rs lists {names:?}, the exercise has {checks:?}"));
    }
    // A test program that was carried to another machine finds the course around the current folder, and the host
    // program beside itself.
    let here = std::env::current_dir().unwrap_or_default();
    let folder = if folder.is_dir() { folder } else { &here };
    let place = Place::find(folder, std::slice::from_ref(lab))?;
    let beside =
        std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join(host.file_name()?)));
    let host = if host.is_file() { host.to_path_buf() } else { beside.unwrap_or_default() };
    let host = Host::ready(host).on_device_at_hand();
    let work = if solutions {
        place.solution_work(lab, host)
    } else {
        crate::Work { host: Arc::new(host), ..place.own_work(lab) }
    };
    if place.not_started(lab, exercise, &work) {
        return Err(format!("{}: not started. {}", exercise.id, exercise.todo));
    }
    let check = exercise.checks.iter().find(|c| c.name == name);
    let check = check.ok_or_else(|| format!("{key} has no check {name}"))?;
    let seed = std::env::var("LAB_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(SEED);
    match runner::run_check(check, &Trial::new(lab, exercise, name, &work, seed)) {
        Verdict::Pass(_) => Ok(()),
        Verdict::Fail(finding) => {
            let mut text = format!("{} [{name}] {finding}\n{}", exercise.id, finding.details);
            if let Some(hint) = finding.hint.as_deref().and_then(|id| exercise.hint(id)) {
                text += &format!("Hint: {hint}\n");
            }
            Err(text)
        }
    }
}
