//! Every solution has full marks, every mutant is rejected by its check with its hint, every skeleton is in step.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use course_tests::{labs, mutants, mutated, place, variants};
use grading::report::{Graded, Paint, json, lab_text};
use grading::runner::run_check;
use grading::{
    Class, Exercise, Host, Lab, LabResult, Mutant, Options, Points, Trial, Verdict, grade, overlay,
    region,
};

const SEED: u64 = 20_261_121;

fn program() -> PathBuf {
    env!("CARGO_BIN_EXE_course-host").into()
}

fn solutions(lab: &Lab, seed: u64) -> LabResult {
    let place = place();
    let work = place.solution_work(lab, Host::ready(program()));
    grade(&place, lab, &work, &Options::new(seed))
}

#[test]
fn every_solution_has_full_marks() {
    for lab in labs() {
        let result = solutions(lab, SEED);
        assert!(result.done(), "{}", lab_text(&result, Paint(false), false));
        let points = lab.exercises.iter().map(|e| e.points).sum::<u32>();
        assert_eq!(result.earned, Points::whole(points), "{}", lab.id);
        assert_eq!(points, 100, "{}", lab.id);
    }
}

#[test]
fn other_right_ways_have_full_marks() {
    for lab in labs() {
        for variant in variants(lab) {
            let replaced: Vec<&str> =
                lab.files().into_iter().filter(|rel| variant.join(rel).is_file()).collect();
            assert!(!replaced.is_empty(), "{} replaces no file", variant.display());
            let files = replaced
                .iter()
                .map(|rel| (rel.to_string(), overlay::read(&variant, rel).unwrap()))
                .collect();
            let dir = tempfile::tempdir().unwrap();
            let place = place();
            overlay::overlay(lab, &place.solution_dir(lab), &files, dir.path()).unwrap();
            let mut work = place.solution_work(lab, Host::ready(program()));
            work.student_dir = dir.path().to_path_buf();
            let touched = |e: &&Exercise| e.files.iter().any(|rel| replaced.contains(rel));
            let only = lab.exercises.iter().filter(touched).collect();
            let result = grade(&place, lab, &work, &Options { only, ..Options::new(SEED) });
            assert!(
                result.done(),
                "{}\n{}",
                variant.display(),
                lab_text(&result, Paint(false), false)
            );
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for lab in labs() {
        let text =
            || json(&[Graded { name: "solutions".into(), labs: vec![solutions(lab, SEED)] }]);
        let (first, second) = (text(), text());
        let differs = first.lines().zip(second.lines()).find(|(a, b)| a != b);
        assert!(first == second, "{}: first difference: {differs:?}", lab.id);
    }
}

/// Runs all checks of the mutant's exercise: the names of those that failed, or why it is not rejected as it should be.
fn judge_mutant(lab: &Lab, mutant: &Mutant) -> Result<Vec<&'static str>, String> {
    let exercise = lab.exercise(&mutant.exercise).ok_or("there is no such exercise")?;
    if exercise.key != mutant.key {
        return Err(format!("it belongs in mutants/{}.toml", exercise.key));
    }
    if !exercise.checks.iter().any(|c| c.name == mutant.check) {
        return Err(format!("there is no check {}", mutant.check));
    }
    if exercise.hint(&mutant.hint).is_none() {
        return Err(format!("there is no hint {}", mutant.hint));
    }
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let work = mutated(lab, mutant, dir.path(), program())?;
    let mut failed = Vec::new();
    for check in exercise.checks {
        let verdict = run_check(check, &Trial::new(lab, exercise, check.name, &work, SEED));
        let named = check.name == mutant.check;
        match verdict {
            // Without its tool a check of no points looks at nothing; CI has all tools.
            Verdict::Pass(seen) if seen.skipped => failed.push(check.name),
            Verdict::Pass(seen) if named => {
                return Err(format!("[{}] passed: {}", check.name, seen.lines.join("; ")));
            }
            Verdict::Pass(_) => {}
            Verdict::Fail(finding) if finding.class == Class::GraderFault => {
                return Err(format!("[{}] {finding}", check.name));
            }
            Verdict::Fail(f) if named && f.hint.as_deref() != Some(&mutant.hint) => {
                let (is, want) = (f.hint.unwrap_or_default(), &mutant.hint);
                return Err(format!("[{}] hint {is:?}, not {want:?}: {}", check.name, f.message));
            }
            Verdict::Fail(_) => failed.push(check.name),
        }
    }
    Ok(failed)
}

#[test]
fn every_mutant_is_rejected_by_its_check_with_its_hint_and_every_check_rejects_a_mutant() {
    for lab in labs() {
        let mutants = mutants(lab).unwrap();
        let names: BTreeSet<String> = mutants.iter().map(Mutant::name).collect();
        assert_eq!(names.len(), mutants.len(), "two mutants of {} have one name", lab.id);
        let next = AtomicUsize::new(0);
        let failures = Mutex::new(Vec::new());
        let covered = Mutex::new(BTreeSet::new());
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(|| {
                    while let Some(m) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                        match judge_mutant(lab, m) {
                            Ok(checks) => covered
                                .lock()
                                .unwrap()
                                .extend(checks.into_iter().map(|c| (m.key.clone(), c))),
                            Err(why) => {
                                let line = format!("{} ({}): {why}", m.exercise, m.id);
                                failures.lock().unwrap().push(line);
                            }
                        }
                    }
                });
            }
        });
        let mut failures = failures.into_inner().unwrap();
        failures.sort();
        assert!(
            failures.is_empty(),
            "{} of {} mutants of {}:\n{}",
            failures.len(),
            mutants.len(),
            lab.id,
            failures.join("\n")
        );
        // A check that no mutant can fail is not a check.
        let covered = covered.into_inner().unwrap();
        let all = lab.exercises.iter().flat_map(|e| e.checks.iter().map(move |c| (e, c.name)));
        let without: Vec<String> = all
            .filter(|(e, check)| !covered.contains(&(e.key.to_string(), *check)))
            .map(|(e, check)| format!("{} [{check}]", e.id))
            .collect();
        assert!(without.is_empty(), "checks that no mutant fails: {}", without.join(", "));
    }
}

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
        "not in step with their solutions (`cargo lab sync` writes them; if you solved these exercises here, all is \
         well: `cargo test -p LAB` is your test): {}",
        wrong.join(", ")
    );
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
}

#[test]
fn solution_folders_hold_nothing_but_listed_files_mutants_and_variants() {
    fn below(dir: &std::path::Path, prefix: &str, out: &mut Vec<String>) {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                below(&entry.path(), &format!("{name}/"), out);
            } else {
                out.push(name);
            }
        }
    }
    for lab in labs() {
        let mut files = Vec::new();
        below(&place().solution_dir(lab), "", &mut files);
        // Of a variant, too, only listed files count.
        for file in &mut files {
            if let Some((_, rel)) = file.strip_prefix("variants/").and_then(|f| f.split_once('/')) {
                *file = rel.into();
            }
        }
        files.retain(|f| !f.starts_with("mutants/") && !lab.files().contains(&f.as_str()));
        assert!(files.is_empty(), "{}: no exercise lists {}", lab.id, files.join(", "));
    }
}

#[test]
fn a_pass_by_luck_is_impossible_checks_fail_on_skeletons() {
    let place = place();
    for lab in labs() {
        let dir = tempfile::tempdir().unwrap();
        overlay::skeletons(&place, lab, dir.path()).unwrap();
        let mut work = place.own_work(lab);
        work.student_dir = dir.path().to_path_buf();
        // Host code is left out: building the skeleton is the lab's own test.
        work.host = std::sync::Arc::new(Host::missing(grading::Finding::wrong("not built here")));
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
}

#[test]
fn regions_are_marked_in_every_file() {
    for lab in labs() {
        for rel in lab.files() {
            let text = overlay::read(&place().solution_dir(lab), rel).unwrap();
            let comment = region::comment_of(rel);
            let regions = region::regions(&text, comment).unwrap_or_else(|e| panic!("{rel}: {e}"));
            assert!(!regions.is_empty(), "{rel} has no region");
        }
    }
}
