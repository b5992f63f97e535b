//! `cargo lab dev new` in a copy of the labs: what it writes is in every list, builds, gets full
//! marks, and its mutants are rejected. Its host code is built with this package (`stub-host`,
//! `stub-design`).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use course_tests::{LABS, place};
use grading::report::{Paint, lab_text};
use grading::runner::run_check;
use grading::{
    Exercise, Host, Lab, Mutant, Options, Place, Points, Trial, Verdict, Work, grade, mutant,
    overlay,
};
use lab::course::App;
use lab::dev::lists::{self, Entry, Tree};
use lab::dev::{self, New};

use crate::style::tracked;
use crate::{PROGRAM, SEED};

#[allow(missing_docs)]
mod checks {
    include!(concat!(env!("OUT_DIR"), "/stubs/checks.rs"));
}

/// A copy of the files of labs 1 and 4.
fn copy() -> (tempfile::TempDir, App) {
    let dir = tempfile::tempdir().expect("a folder");
    let root = place().root;
    for rel in tracked(&["lab1-cuda-intro/*", "lab4-fpga/*", "solutions/lab[14]*", "rustfmt.toml"])
    {
        let to = dir.path().join(&rel);
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        std::fs::copy(root.join(&rel), to).unwrap_or_else(|e| panic!("{rel}: {e}"));
    }
    let app = App { place: Place::at(dir.path()), labs: LABS.to_vec(), paint: Paint(false) };
    (dir, app)
}

fn new(number: &str, kernel: bool) -> New {
    New { number: number.into(), title: "A new one".into(), kernel }
}

/// Writes an exercise into a copy, and grades it there; `program` has its host code.
fn add_and_grade(new: &New, exercise: Exercise, program: Option<&str>) {
    let (dir, app) = copy();
    let written = dev::write(&app, new).unwrap();
    let at = |rel: &str| std::fs::read_to_string(dir.path().join(rel)).expect(rel);
    let old = LABS.iter().find(|lab| exercise.id.starts_with(&lab.id.replace("lab", "L")));
    let old = *old.expect("its lab");
    let (package, key) = (old.package, exercise.key);

    // Lists and handout.
    assert!(at(&format!("{package}/checks/src/lib.rs")).contains(&format!("mod {key};\n")));
    assert!(at(&format!("{package}/README.md")).contains(&format!("\n## {} ", new.number)));
    let lab = leak(Lab { exercises: vec![exercise].leak(), ..old });
    let all = [Entry::of(&old), Entry::of(lab)].concat();
    for (rel, text) in lists::texts(&Tree::at(&app.place), package, &all).unwrap() {
        assert_eq!(at(&rel), text, "{rel} is not what `cargo lab sync` writes");
    }
    assert_eq!(at(&format!("{package}/src/lib.rs")).contains(key), program.is_some());
    assert_eq!(at(&format!("{package}/src/host.rs")).contains(key), program.is_some());
    assert!(at(&format!("{package}/tests/mirror.rs")).contains(&format!("{key}: [")));
    formatted(dir.path(), &written);

    // Marks: all for the solution, none for the skeleton, and each mutant is found.
    let host = || match program {
        Some(program) => Host::ready(program).with_judge(PROGRAM.into(), None),
        None => Host::ready("unused"),
    };
    let solution = app.place.solution_work(lab, host());
    let result = grade(&app.place, lab, &solution, &Options::new(SEED));
    assert!(result.done(), "{}", lab_text(&result, Paint(false), true));
    let result = grade(&app.place, lab, &app.place.work_with(lab, host()), &Options::new(SEED));
    assert!(result.earned == Points(0) && result.exercises[0].not_started);
    let mutants = mutant::load(&app.place.solution_dir(lab)).unwrap();
    let mutants: Vec<Mutant> = mutants.into_iter().filter(|m| m.key == key).collect();
    assert!(mutants.iter().map(|m| &m.check).eq(lab.exercises[0].checks.iter().map(|c| c.name)));
    for mutant in &mutants {
        rejected(&app.place, lab, mutant, host());
    }
}

/// A mutant fails its check with its hint.
fn rejected(place: &Place, lab: &'static Lab, mutant: &Mutant, host: Host) {
    let folder = tempfile::tempdir().expect("a folder");
    let solution = place.solution_dir(lab);
    let changed = mutant.apply(|rel| overlay::read(&solution, rel)).unwrap();
    overlay::overlay(lab, &solution, &changed, folder.path()).unwrap();
    let host = host.with_env("COURSE_MUTANT", &mutant.name());
    let work = Work {
        student_dir: folder.path().to_path_buf(),
        host: Arc::new(host),
        ..place.solution_work(lab, Host::ready("unused"))
    };
    let exercise = &lab.exercises[0];
    let check = exercise.checks.iter().find(|c| c.name == mutant.check).expect("its check");
    match run_check(check, &Trial::new(lab, exercise, check.name, &work, SEED)) {
        Verdict::Pass(_) => panic!("{} passed", mutant.id),
        Verdict::Fail(finding) => assert_eq!(finding.hint.as_ref(), Some(&mutant.hint)),
    }
}

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// Every Rust file is as rustfmt would write it.
fn formatted(root: &Path, written: &[String]) {
    let files: Vec<PathBuf> =
        written.iter().filter(|rel| rel.ends_with(".rs")).map(|rel| root.join(rel)).collect();
    // A file's modules are formatted with it, and not all of them are here.
    let run = |file: &PathBuf| {
        let text = std::fs::File::open(file).expect("a file");
        let mut command = std::process::Command::new("rustfmt");
        command.args(["--check", "--edition", "2024", "--config-path"]).arg(root).stdin(text);
        command.output()
    };
    for file in &files {
        match run(file) {
            Ok(output) => {
                let diff = String::from_utf8_lossy(&output.stdout);
                assert!(output.status.success(), "{}: {diff}", file.display());
            }
            Err(e) if std::env::var_os("CI").is_none() => eprintln!("skipped: rustfmt: {e}"),
            Err(e) => panic!("rustfmt: {e}"),
        }
    }
}

#[test]
fn a_new_kernel_is_listed_and_graded() {
    add_and_grade(&new("1.2.91", true), checks::e1_2_91::EXERCISE, None);
}

#[test]
fn a_new_host_function_is_listed_built_and_graded() {
    let program = env!("CARGO_BIN_EXE_stub-host");
    add_and_grade(&new("1.1.91", false), checks::e1_1_91::EXERCISE, Some(program));
}

#[test]
fn a_new_design_is_listed_built_and_graded() {
    let program = env!("CARGO_BIN_EXE_stub-design");
    add_and_grade(&new("4.91", false), checks::e4_91::EXERCISE, Some(program));
}

#[test]
fn a_wrong_number_writes_nothing() {
    let (dir, app) = copy();
    let readme = dir.path().join("lab1-cuda-intro/README.md");
    let before = std::fs::read_to_string(&readme).expect("a handout");
    let refused = |number: &str, kernel| dev::write(&app, &new(number, kernel)).unwrap_err();
    assert_eq!(refused("one", false), "one is no section number such as 1.1.16");
    assert_eq!(refused("1.1.3", false), "1.1.3 is an exercise of lab1 already");
    assert_eq!(refused("9.1", false), "9.1: there is no lab9");
    assert_eq!(refused("4.1.1", false), "4.1.1: sections of lab4 look like 4.0");
    assert_eq!(refused("1.9.1", true), "README.md: it has no section `## 1.9.`: add one first");
    assert!(refused("4.91", true).starts_with("--kernel: lab4 is about hardware"));
    std::fs::write(dir.path().join("lab1-cuda-intro/kernels/e1_1_91.cu"), "mine").expect("written");
    let why = refused("1.1.91", false);
    assert!(why.starts_with("lab1-cuda-intro/kernels/e1_1_91.cu is there already"), "{why}");
    assert_eq!(std::fs::read_to_string(&readme).expect("a handout"), before);
    assert!(!dir.path().join("lab1-cuda-intro/checks/src/e1_1_91.rs").exists());
}
