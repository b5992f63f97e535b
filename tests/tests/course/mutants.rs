//! Every mutant is rejected by the check that it names, with its hint; every check rejects a
//! mutant.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use course_tests::{labs, mutants, mutated};
use grading::runner::run_check;
use grading::{Check, Class, Exercise, Lab, Mutant, Trial, Verdict, Work};
use kept::Inputs;

use crate::{PROGRAM, SEED};

/// A mutant ready to be checked; its files are gone with it.
struct Subject<'a> {
    lab: &'a Lab,
    mutant: &'a Mutant,
    exercise: &'static Exercise,
    work: Work,
    _dir: tempfile::TempDir,
}

impl<'a> Subject<'a> {
    /// Why not: an exercise, a check or a hint that is not there, or a change that does not fit.
    fn new(lab: &'a Lab, mutant: &'a Mutant) -> Result<Subject<'a>, String> {
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
        let work = mutated(lab, mutant, dir.path(), PROGRAM.into())?;
        Ok(Subject { lab, mutant, exercise, work, _dir: dir })
    }

    /// What decides how its checks end.
    fn inputs(&self) -> Inputs {
        let Mutant { key, check, hint, .. } = self.mutant;
        crate::inputs(&self.work).text(key).text(check).text(hint)
    }

    /// Whether the check rejects the mutant; an error if it does not do so as it should.
    fn rejected_by(&self, check: &Check) -> Result<bool, String> {
        let Subject { lab, mutant, exercise, work, .. } = self;
        let named = check.name == mutant.check;
        match run_check(check, &Trial::new(lab, exercise, check.name, work, SEED)) {
            // Without its tool a check of no points looks at nothing; CI has all tools.
            Verdict::Pass(seen) if seen.skipped => Ok(true),
            Verdict::Pass(seen) if named => {
                Err(format!("[{}] passed: {}", check.name, seen.lines.join("; ")))
            }
            Verdict::Pass(_) => Ok(false),
            Verdict::Fail(finding) if finding.class == Class::GraderFault => {
                Err(format!("[{}] {finding}", check.name))
            }
            Verdict::Fail(f) if named && f.hint.as_deref() != Some(&mutant.hint) => {
                let (is, want) = (f.hint.unwrap_or_default(), &mutant.hint);
                Err(format!("[{}] hint {is:?}, not {want:?}: {}", check.name, f.message))
            }
            Verdict::Fail(_) => Ok(true),
        }
    }
}

/// Calls `judge` with every one of the `items`, called `what`, over the cores; panics with what was
/// wrong.
pub(crate) fn each<T: Sync>(
    what: &str,
    items: &[T],
    judge: impl Fn(&T) -> Result<(), String> + Sync,
) {
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = judge(item) {
                        failures.lock().unwrap().push(why);
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    let (wrong, all) = (failures.len(), items.len());
    assert!(failures.is_empty(), "{wrong} of {all} {what}:\n{}", failures.join("\n"));
}

/// All labs' mutants, or their lazy submissions.
pub(crate) fn of_all_labs(
    of: fn(&Lab) -> Result<Vec<Mutant>, String>,
) -> Vec<(&'static Lab, Mutant)> {
    let with = |lab| of(lab).unwrap().into_iter().map(move |mutant| (lab, mutant));
    labs().into_iter().flat_map(with).collect()
}

/// The failure with the mutant's name before it.
fn of(mutant: &Mutant) -> impl Fn(String) -> String {
    move |why| format!("{} ({}): {why}", mutant.exercise, mutant.id)
}

#[test]
fn every_mutant_is_rejected_by_its_check_with_its_hint() {
    let mutants = of_all_labs(mutants);
    let names: BTreeSet<String> = mutants.iter().map(|(_, mutant)| mutant.name()).collect();
    assert_eq!(names.len(), mutants.len(), "two mutants have one name");
    each("mutants", &mutants, |(lab, mutant)| {
        let judge = || {
            let subject = Subject::new(lab, mutant)?;
            let what = format!("mutant {}", mutant.name());
            let Some(due) = kept::due(&what, subject.inputs()) else { return Ok(()) };
            let mut named = subject.exercise.checks.iter().filter(|c| c.name == mutant.check);
            named.try_for_each(|check| subject.rejected_by(check).map(drop))?;
            due.passed();
            Ok(())
        };
        judge().map_err(of(mutant))
    });
}

/// Another change is graded again, the same one is not, wherever its files lie.
#[test]
fn a_mutants_inputs_are_its_own() {
    let lab = labs()[0];
    let mutants = mutants(lab).unwrap();
    let digests = || -> BTreeSet<String> {
        mutants.iter().map(|m| Subject::new(lab, m).unwrap().inputs().digest()).collect()
    };
    let first = digests();
    assert_eq!(first.len(), mutants.len());
    assert_eq!(digests(), first);
}

/// A check that no mutant can fail is not a check. Those that mutants name have failed in the test
/// above.
#[test]
fn every_check_rejects_a_mutant() {
    let mutants = of_all_labs(mutants);
    let named: BTreeSet<(&str, &str)> =
        mutants.iter().map(|(_, m)| (m.key.as_str(), m.check.as_str())).collect();
    let of_lab = |lab: &'static Lab| {
        let inputs = crate::solution_inputs(lab);
        let checks = lab.exercises.iter().flat_map(|e| e.checks.iter().map(move |c| (e, c)));
        checks.map(move |(exercise, check)| (lab, exercise, check, inputs.clone()))
    };
    let mut others: Vec<_> = labs().into_iter().flat_map(of_lab).collect();
    others.retain(|(_, exercise, check, _)| !named.contains(&(exercise.key, check.name)));
    each("checks that no mutant names", &others, |(lab, exercise, check, inputs)| {
        let what = format!("check {} {}", exercise.id, check.name);
        let Some(due) = kept::due(&what, inputs.clone()) else { return Ok(()) };
        for (_, mutant) in mutants.iter().filter(|(_, m)| m.key == exercise.key) {
            let rejected = Subject::new(lab, mutant).and_then(|s| s.rejected_by(check));
            if rejected.map_err(of(mutant))? {
                due.passed();
                return Ok(());
            }
        }
        Err(format!("{} [{}]: no mutant fails it", exercise.id, check.name))
    });
}

/// No check breaks down over a mistake that another one is there for.
#[test]
#[ignore = "long: every check of a mutant's exercise, seven hundred times"]
fn no_check_is_at_fault_on_any_mutant_and_every_check_rejects_one() {
    let rejects = Mutex::new(BTreeMap::new());
    each("mutants", &of_all_labs(mutants), |(lab, mutant)| {
        let judge = || {
            let subject = Subject::new(lab, mutant)?;
            for check in subject.exercise.checks {
                let rejected = subject.rejected_by(check)?;
                let key = (subject.exercise.id, check.name);
                *rejects.lock().unwrap().entry(key).or_insert(false) |= rejected;
            }
            Ok(())
        };
        judge().map_err(of(mutant))
    });
    let rejects = rejects.into_inner().unwrap();
    let all = labs().into_iter().flat_map(|lab| lab.exercises);
    let without: Vec<String> = all
        .flat_map(|e| e.checks.iter().map(move |c| (e.id, c.name)))
        .filter(|key| !rejects.get(key).is_some_and(|rejects| *rejects))
        .map(|(id, check)| format!("{id} [{check}]"))
        .collect();
    assert!(without.is_empty(), "checks that no mutant fails: {}", without.join(", "));
}
