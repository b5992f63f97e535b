//! Lab 1's submissions as they come: right, untouched, broken, endless, cheating, incomplete. Each
//! gets its marks and stops nobody else's.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use grading::report::{Paint, lab_text};
use grading::submission::{Batch, Guard, TIME, find};
use grading::{Class, Exercise, Lab, LabResult, overlay};

use crate::{JUDGE, inputs, place};

/// A kernel exercise with host code, and one of host code alone.
const KERNEL: &str = "kernels/e1_1_03.cu";
const HOST: &str = "src/e1_1_05.rs";

/// Lab 1 with two of its exercises: the others would only take time.
fn lab() -> Lab {
    let lab = lab1_checks::LAB;
    let two: Vec<Exercise> =
        ["e1_1_03", "e1_1_05"].iter().map(|key| *lab.exercise(key).unwrap()).collect();
    Lab { exercises: Vec::leak(two), ..lab }
}

/// `text` with `code` at the beginning of the function's body.
fn with_code(text: &str, function: &str, code: &str) -> String {
    let at = text.find(function).unwrap_or_else(|| panic!("no {function}"));
    let body = at + text[at..].find("{\n").unwrap() + 2;
    format!("{}{code}\n{}", &text[..body], &text[body..])
}

#[test]
fn every_submission_gets_its_marks() {
    let lab = lab();
    let Some(due) = kept::due("submissions", inputs(&lab)) else { return };
    let place = place();
    let dir = tempfile::tempdir().unwrap();
    let all = dir.path().join("submissions");
    let solution = place.solution_dir(&lab);
    let submit = |name: &str, changed: &[(&str, String)]| {
        let changed = changed.iter().map(|(rel, text)| (rel.to_string(), text.clone())).collect();
        let to = all.join(name).join(lab.package);
        overlay::overlay(&lab, &solution, &changed, &to).unwrap();
        to
    };
    let kernel = overlay::read(&solution, KERNEL).unwrap();
    let host = overlay::read(&solution, HOST).unwrap();

    submit("correct", &[]);
    overlay::skeletons(&place, &lab, &all.join("untouched").join(lab.package)).unwrap();
    submit("grammar", &[(KERNEL, kernel.clone() + "\nint broken(\n")]);
    submit("endless", &[(KERNEL, with_code(&kernel, "add_kernel", "for (;;) {}"))]);
    submit("quit", &[(HOST, with_code(&host, "fn best_of", "std::process::exit(0);"))]);
    submit("panic", &[(HOST, with_code(&host, "fn best_of", "panic!(\"no\");"))]);
    let missing = submit("missing", &[]);
    fs::remove_file(missing.join(HOST)).unwrap();
    #[cfg(unix)]
    {
        let link = submit("link", &[]).join(HOST);
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(solution.join(HOST), link).unwrap();
    }

    let judge = Path::new(JUDGE);
    let batch = Batch {
        place: &place,
        lab: &lab,
        results: dir.path().join("results"),
        seed: 11,
        again: false,
        jobs: 0,
        guard: Guard::probe(judge),
        worker: Some(judge.into()),
        time: TIME,
    };
    let done = batch.run(&find(&all, &[lab]).unwrap().submissions, |_, _| {}).unwrap();
    let by_name: BTreeMap<&str, &LabResult> =
        done.iter().map(|d| (d.record.name.as_str(), &d.record.result)).collect();
    let text = |name: &str| lab_text(by_name[name], Paint(false), true);
    let full = |name: &str, exercise: usize| by_name[name].exercises[exercise].done();
    let classes = |name: &str, exercise: usize| -> Vec<Class> {
        let checks = &by_name[name].exercises[exercise].checks;
        checks.iter().filter_map(|c| Some(c.finding()?.class)).collect()
    };
    assert!(by_name["correct"].done(), "{}", text("correct"));
    assert!(by_name["untouched"].exercises.iter().all(|e| e.not_started), "{}", text("untouched"));

    assert!(classes("grammar", 0).contains(&Class::NotGradable), "{}", text("grammar"));
    assert!(full("grammar", 1), "{}", text("grammar"));

    assert!(classes("endless", 0).contains(&Class::Time), "{}", text("endless"));
    assert!(full("endless", 1), "{}", text("endless"));

    for name in ["quit", "panic"] {
        assert!(full(name, 0), "{}", text(name));
        assert!(classes(name, 1).contains(&Class::Crash), "{}", text(name));
        let earned = by_name[name].exercises[1].checks.iter().find(|c| c.finding().is_none());
        assert!(
            earned.is_none_or(|c| !c.name.contains("fake_clock")),
            "marks from {name}: {}",
            text(name)
        );
    }
    for name in ["missing", "link"] {
        if cfg!(unix) || name == "missing" {
            assert!(full(name, 0), "{}", text(name));
            assert!(classes(name, 1).iter().all(|c| *c == Class::NotGradable), "{}", text(name));
            assert_eq!(by_name[name].exercises[1].earned.0, 0, "{}", text(name));
        }
    }
    assert!(!done.iter().any(|d| d.record.result.grader_at_fault()), "the grader itself failed");
    due.passed();
}
