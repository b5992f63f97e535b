//! Runs checks over the cores and adds up points. The result does not depend on the order in which
//! checks end.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once};

use serde::{Deserialize, Serialize, Serializer};

use crate::paths;
use crate::place::Place;
use crate::{Check, Class, Exercise, Finding, Lab, Trial, Verdict, Work};

/// Stack of a thread that runs checks, in bytes.
const STACK: usize = 256 << 20;

/// Points in hundredths, so that sums are exact. Written as a number with at most two decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Points(pub u64);

impl Points {
    /// Whole points.
    pub fn whole(points: u32) -> Points {
        Points(u64::from(points) * 100)
    }

    /// `points * passed / total`, rounded half up to hundredths.
    fn share(points: u32, passed: u64, total: u64) -> Points {
        if total == 0 {
            return Points(0);
        }
        Points((u64::from(points) * 100 * passed * 2 + total) / (total * 2))
    }
}

impl std::iter::Sum for Points {
    fn sum<I: Iterator<Item = Points>>(points: I) -> Points {
        Points(points.map(|p| p.0).sum())
    }
}

impl std::fmt::Display for Points {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, part) = (self.0 / 100, self.0 % 100);
        let text = match part {
            0 => whole.to_string(),
            p if p % 10 == 0 => format!("{whole}.{}", p / 10),
            p => format!("{whole}.{p:02}"),
        };
        f.pad(&text)
    }
}

impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_multiple_of(100) {
            serializer.serialize_u64(self.0 / 100)
        } else {
            serializer.serialize_f64(self.0 as f64 / 100.0)
        }
    }
}

impl<'de> Deserialize<'de> for Points {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Points, D::Error> {
        let points = f64::deserialize(deserializer)?;
        Ok(Points((points * 100.0).round() as u64))
    }
}

/// Result of one check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckResult {
    /// Name of the check.
    pub name: String,
    /// What it checks.
    pub what: String,
    /// Its weight.
    pub weight: u32,
    /// How it ended.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Text of the hint that the finding names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl CheckResult {
    /// The finding, if the check was not passed.
    pub fn finding(&self) -> Option<&Finding> {
        match &self.verdict {
            Verdict::Pass(_) => None,
            Verdict::Fail(finding) => Some(finding),
        }
    }
}

/// Result of one exercise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExerciseResult {
    /// Name, such as `L1-1.1.3`.
    pub id: String,
    /// Key, such as `e1_1_03`.
    pub key: String,
    /// Title.
    pub title: String,
    /// Points earned.
    pub earned: Points,
    /// Points for full marks.
    pub points: Points,
    /// True if the student's regions equal the skeleton: then no check was run.
    pub not_started: bool,
    /// What to do first.
    pub todo: String,
    /// Checks in the exercise's order.
    pub checks: Vec<CheckResult>,
}

impl ExerciseResult {
    /// True with full marks.
    pub fn done(&self) -> bool {
        self.checks.iter().all(|c| c.finding().is_none())
    }
}

/// Result of one lab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabResult {
    /// Short name, such as `lab1`.
    pub lab: String,
    /// Title.
    pub title: String,
    /// Seed of the inputs: the same seed on the same files gives the same bytes.
    pub seed: u64,
    /// Points earned: the sum of the exercises'.
    pub earned: Points,
    /// Points for full marks.
    pub points: Points,
    /// Exercises in the lab's order.
    pub exercises: Vec<ExerciseResult>,
    /// Minutes until an exercise was done, by its id, as the student says; for statistics only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub minutes: BTreeMap<String, u32>,
    /// What stood between a stranger's code and the judge; absent for one's own work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protection: Option<String>,
    /// What is odd about a submission, for the top of a report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What the rules of the class took for lateness; it is among the warnings, too.
    #[serde(skip)]
    pub late: Option<Late>,
}

/// How late a submission was, and what that took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Late {
    /// Days, a begun one counted.
    pub days: u32,
    /// Per cent that are taken.
    pub taken: u32,
    /// Points before.
    pub before: Points,
}

impl std::fmt::Display for Late {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Late { days, taken, before } = self;
        let unit = if *days == 1 { "day" } else { "days" };
        write!(f, "handed in {days} {unit} late: {taken} % of {before} points are taken")
    }
}

impl LabResult {
    /// True with full marks.
    pub fn done(&self) -> bool {
        self.exercises.iter().all(ExerciseResult::done)
    }

    /// True if some check failed through no fault of the student.
    pub fn grader_at_fault(&self) -> bool {
        let mut checks = self.exercises.iter().flat_map(|e| &e.checks);
        checks.any(|c| c.finding().is_some_and(|f| f.class == Class::GraderFault))
    }
}

/// How to grade.
pub struct Options<'a> {
    /// Seed of the inputs.
    pub seed: u64,
    /// Exercises to grade; empty means all.
    pub only: Vec<&'static Exercise>,
    /// Checks at a time; 0 means one per core.
    pub jobs: usize,
    /// Called before the first check and after every one with the number of checks done and of all
    /// checks.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
    /// Run the checks even if the student's regions equal the skeleton.
    pub force: bool,
}

impl Options<'_> {
    /// All exercises with this seed, silently.
    pub fn new(seed: u64) -> Options<'static> {
        Options { seed, only: Vec::new(), jobs: 0, progress: &|_, _| {}, force: false }
    }
}

/// Grades one piece of work.
pub fn grade(place: &Place, lab: &Lab, work: &Work, options: &Options) -> LabResult {
    let plan = Plan::new(place, lab, work, options);
    let tasks = plan.tasks();
    let verdicts = Mutex::new(vec![None; tasks.len()]);
    let ended = AtomicUsize::new(0);
    (options.progress)(0, tasks.len());
    let all: Vec<usize> = (0..tasks.len()).collect();
    plan.run(work, options, &all, &|k, event| {
        if let Event::Ended(verdict) = event {
            verdicts.lock().unwrap_or_else(|e| e.into_inner())[k] = Some(verdict);
            (options.progress)(ended.fetch_add(1, Ordering::Relaxed) + 1, tasks.len());
        }
    });
    let verdicts = verdicts.into_inner().unwrap_or_else(|e| e.into_inner());
    plan.result(verdicts, &work.notes, options.seed)
}

/// What is to be run: the checks of the exercises that were started.
#[derive(Clone, Debug)]
pub struct Plan {
    lab: Lab,
    chosen: Vec<&'static Exercise>,
    /// For each exercise whether its checks are run.
    pub started: Vec<bool>,
}

/// What happens to a check.
#[derive(Debug)]
pub enum Event {
    /// It begins.
    Begun,
    /// It ended.
    Ended(Verdict),
}

impl Plan {
    /// Looks which exercises were started.
    pub fn new(place: &Place, lab: &Lab, work: &Work, options: &Options) -> Plan {
        let chosen: Vec<&'static Exercise> = lab
            .exercises
            .iter()
            .filter(|e| options.only.is_empty() || options.only.iter().any(|o| o.id == e.id))
            .collect();
        let started =
            chosen.iter().map(|e| options.force || !place.not_started(lab, e, work)).collect();
        Plan { lab: *lab, chosen, started }
    }

    /// The plan for all exercises of a lab, of which these were started.
    pub fn of(lab: &Lab, started: Vec<bool>) -> Plan {
        Plan { lab: *lab, chosen: lab.exercises.iter().collect(), started }
    }

    /// The checks to be run, in order.
    pub fn tasks(&self) -> Vec<(&'static Exercise, &'static Check)> {
        let started = self.chosen.iter().zip(&self.started).filter(|(_, started)| **started);
        started.flat_map(|(e, _)| e.checks.iter().map(|c| (*e, c))).collect()
    }

    /// Runs the tasks with the numbers `todo` over the cores.
    pub fn run(
        &self,
        work: &Work,
        options: &Options,
        todo: &[usize],
        tell: &(dyn Fn(usize, Event) + Sync),
    ) {
        let tasks = self.tasks();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = if options.jobs == 0 { cores } else { options.jobs }.min(todo.len());
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                let work_off = || {
                    while let Some(&k) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let Some((exercise, check)) = tasks.get(k) else { continue };
                        tell(k, Event::Begun);
                        let trial = Trial::new(&self.lab, exercise, check.name, work, options.seed);
                        tell(k, Event::Ended(paths::from_here(run_check(check, &trial), &[])));
                    }
                };
                // A deeply nested kernel must not end the judge: its parser gets room.
                let thread = std::thread::Builder::new().stack_size(STACK);
                if thread.spawn_scoped(scope, work_off).is_err() {
                    work_off();
                }
            }
        });
    }

    /// The result, from a verdict for each task. One that has none was not run.
    pub fn result(
        &self,
        verdicts: Vec<Option<Verdict>>,
        notes: &BTreeMap<String, String>,
        seed: u64,
    ) -> LabResult {
        let mut verdicts = verdicts.into_iter();
        let result = |(exercise, started): (&&'static Exercise, &bool)| {
            let of_check = |check: &Check| {
                let verdict = match started {
                    true => verdicts.next().flatten().unwrap_or_else(|| {
                        Verdict::Fail(Finding::grader("this check was not run"))
                    }),
                    false => Verdict::Fail(Finding::new(Class::NotStarted, exercise.todo)),
                };
                check_result(exercise, check, with_notes(verdict, notes, exercise))
            };
            let checks: Vec<CheckResult> = exercise.checks.iter().map(of_check).collect();
            let total = checks.iter().map(|c| u64::from(c.weight)).sum();
            let passed = checks.iter().filter(|c| c.finding().is_none());
            let passed = passed.map(|c| u64::from(c.weight)).sum();
            ExerciseResult {
                id: exercise.id.into(),
                key: exercise.key.into(),
                title: exercise.title.into(),
                earned: Points::share(exercise.points, passed, total),
                points: Points::whole(exercise.points),
                not_started: !started && of_exercise(notes, exercise).next().is_none(),
                todo: exercise.todo.into(),
                checks,
            }
        };
        let exercises: Vec<ExerciseResult> =
            self.chosen.iter().zip(&self.started).map(result).collect();
        LabResult {
            lab: self.lab.id.into(),
            title: self.lab.title.into(),
            seed,
            earned: exercises.iter().map(|e| e.earned).sum(),
            points: exercises.iter().map(|e| e.points).sum(),
            exercises,
            minutes: BTreeMap::new(),
            protection: None,
            warnings: Vec::new(),
            late: None,
        }
    }
}

/// Why files of the exercise were not taken from a submission.
fn of_exercise<'n>(
    notes: &'n BTreeMap<String, String>,
    exercise: &Exercise,
) -> impl Iterator<Item = &'n str> {
    let files = exercise.files;
    notes.iter().filter(|(rel, _)| files.contains(&rel.as_str())).map(|(_, why)| why.as_str())
}

/// A failed check says which files were not taken; without them, untouched skeletons are not "not
/// started". Lines after the first of a note are details.
fn with_notes(verdict: Verdict, notes: &BTreeMap<String, String>, exercise: &Exercise) -> Verdict {
    let Verdict::Fail(mut finding) = verdict else { return verdict };
    let all: Vec<(&str, &str)> =
        of_exercise(notes, exercise).map(|n| n.split_once('\n').unwrap_or((n, ""))).collect();
    if let (Class::NotStarted, Some((first, more))) = (finding.class, all.first()) {
        finding = Finding::new(Class::NotGradable, *first);
        if !more.is_empty() {
            finding = finding.details(more);
        }
    }
    for (note, _) in all {
        if note == finding.message {
            continue;
        }
        finding = finding.details(format!("note: {note}; the skeleton was taken instead"));
    }
    Verdict::Fail(finding)
}

fn check_result(exercise: &Exercise, check: &Check, verdict: Verdict) -> CheckResult {
    let hint = match &verdict {
        Verdict::Fail(Finding { hint: Some(id), .. }) => exercise.hint(id).map(str::to_string),
        _ => None,
    };
    CheckResult {
        name: check.name.into(),
        what: check.what.into(),
        weight: check.weight,
        verdict,
        hint,
    }
}

/// Runs one check. A panic in it is the grader's fault, but if it has read answers of a stranger's
/// program: then it is theirs.
pub fn run_check(check: &Check, trial: &Trial) -> Verdict {
    quiet_panics();
    IN_CHECK.with(|flag| flag.set(true));
    let outcome = catch_unwind(AssertUnwindSafe(|| (check.run)(trial)));
    IN_CHECK.with(|flag| flag.set(false));
    match outcome {
        Ok(Ok(evidence)) => trial.doubts().map_or(Verdict::Pass(evidence), Verdict::Fail),
        Ok(Err(finding)) if finding.class == Class::GraderFault && trial.has_heard() => {
            let text = format!("the host program's answer is none: {}", finding.message);
            Verdict::Fail(Finding::new(Class::Crash, text).details(finding.details))
        }
        Ok(Err(finding)) => Verdict::Fail(finding),
        Err(payload) => {
            let text = payload
                .downcast_ref::<&str>()
                .map(|s| s.to_string())
                .or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "no message".into());
            let place = PANIC_AT.with(|at| at.take());
            if trial.has_heard() {
                let text = format!(
                    "the host program's answer is none that {} can read: {text}",
                    check.name
                );
                return Verdict::Fail(Finding::new(Class::Crash, text));
            }
            Verdict::Fail(Finding::grader(format!(
                "the check {} panicked{place}: {text}",
                check.name
            )))
        }
    }
}

thread_local! {
    static IN_CHECK: Cell<bool> = const { Cell::new(false) };
    static PANIC_AT: Cell<String> = const { Cell::new(String::new()) };
}

/// A check's panic is reported as a finding; the usual message on stderr would only tear the table.
fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !IN_CHECK.with(Cell::get) {
                return usual(info);
            }
            let at = info.location().map(|l| format!(" at {}:{}", l.file(), l.line()));
            PANIC_AT.with(|place| place.set(at.unwrap_or_default()));
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_once_and_full_marks_are_exact() {
        assert_eq!(Points::share(8, 3, 3), Points::whole(8));
        assert_eq!(Points::share(8, 1, 3), Points(267));
        assert_eq!(Points::share(1, 1, 8), Points(13));
        assert_eq!(Points::share(5, 0, 3), Points(0));
        assert_eq!(Points::share(5, 0, 0), Points(0));
        let text = |p| Points(p).to_string();
        assert_eq!([text(800), text(750), text(5), text(267)], ["8", "7.5", "0.05", "2.67"]);
        for hundredths in 0..1000 {
            let json = serde_json::to_string(&Points(hundredths)).unwrap();
            assert_eq!(serde_json::from_str::<Points>(&json).unwrap(), Points(hundredths));
        }
    }
}
