//! Every skeleton is in step with its solution, compiles, scores nothing and says what to do.

use std::sync::Arc;

use course_tests::{labs, place};
use grading::report::{Paint, lab_text};
use grading::{Finding, Host, Options, Points, Trial, Verdict, grade, overlay};
use lab::dev::lists::{self, Entry, Tree};

use crate::{SEED, course_inputs};

#[test]
fn skeletons_are_in_step_with_their_solutions() {
    let place = place();
    let mut wrong = Vec::new();
    for lab in labs() {
        for rel in lab.files() {
            let skeleton = place.skeleton(lab, rel).unwrap();
            match std::fs::read_to_string(place.lab_dir(lab).join(rel)) {
                Ok(text) if text == skeleton => {}
                _ => wrong.push(format!("{}/{rel}", lab.package)),
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "not in step with their solutions (`cargo lab sync` writes them; \
         if you solved these exercises here, all is \
         well: `cargo test -p LAB` is your test): {}",
        wrong.join(", ")
    );
}

#[test]
fn lists_of_exercises_are_those_of_their_labs() {
    let tree = Tree::at(&place());
    for lab in labs() {
        for (rel, text) in lists::texts(&tree, lab.package, &Entry::of(lab)).unwrap() {
            assert!(tree.read(&rel) == Ok(text), "{rel}: `cargo lab sync` writes it");
        }
    }
}

#[test]
fn a_skeleton_scores_nothing_and_says_what_to_do() {
    let place = place();
    for lab in labs() {
        let dir = tempfile::tempdir().unwrap();
        overlay::skeletons(&place, lab, dir.path()).unwrap();
        let mut work = place.own_work(lab);
        work.student_dir = dir.path().to_path_buf();
        let result = grade(&place, lab, &work, &Options::new(SEED));
        assert_eq!(result.earned, Points(0));
        for e in &result.exercises {
            assert!(e.not_started, "{} counts as started", e.id);
            assert!(
                e.todo.len() > 20 && e.todo.ends_with('.'),
                "{}: {:?} is no sentence",
                e.id,
                e.todo
            );
        }
    }
}

#[test]
fn skeleton_kernels_compile() {
    let Some(due) = kept::due("skeletons compile", course_inputs()) else { return };
    let place = place();
    let mut wrong = Vec::new();
    for lab in labs() {
        let dir = tempfile::tempdir().unwrap();
        overlay::skeletons(&place, lab, dir.path()).unwrap();
        let mut work = place.own_work(lab);
        work.student_dir = dir.path().to_path_buf();
        for exercise in lab.exercises {
            let trial = Trial::new(lab, exercise, "compile", &work, SEED);
            for rel in exercise.files.iter().filter(|f| f.ends_with(".cu") || f.ends_with(".cl")) {
                if let Err(finding) = trial.kernel(rel).define("ELEM=float").compile() {
                    wrong.push(format!("{finding}\n{}", finding.details));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    due.passed();
}

#[test]
fn a_pass_by_luck_is_impossible_checks_fail_on_skeletons() {
    let Some(due) = kept::due("checks on skeletons", course_inputs()) else { return };
    let place = place();
    for lab in labs() {
        let dir = tempfile::tempdir().unwrap();
        overlay::skeletons(&place, lab, dir.path()).unwrap();
        let mut work = place.own_work(lab);
        work.student_dir = dir.path().to_path_buf();
        // Host code is left out: building the skeleton is the lab's own test.
        work.host = Arc::new(Host::missing(Finding::wrong("not built here")));
        let options = Options { force: true, ..Options::new(SEED) };
        let result = grade(&place, lab, &work, &options);
        let passed: Vec<String> = result
            .exercises
            .iter()
            .flat_map(|e| e.checks.iter().map(move |c| (e, c)))
            .filter(|(_, c)| matches!(&c.verdict, Verdict::Pass(seen) if !seen.skipped))
            .map(|(e, c)| format!("{} [{}]", e.id, c.name))
            .collect();
        assert!(passed.is_empty(), "pass on the untouched skeleton: {}", passed.join(", "));
        assert!(!result.grader_at_fault(), "{}", lab_text(&result, Paint(false), false));
    }
    due.passed();
}
