//! The page *Class*: what `cargo lab grade --submissions .. --results DIR` has kept, as JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use grading::submission::Record;
use grading::{ExerciseResult, Points};
use serde_json::{Value, json};

/// Largest file of a result that is read, in bytes.
const MOST: u64 = 16 << 20;
/// Checks and hints that are listed.
const LISTED: usize = 30;

/// What is known of one student.
#[derive(Default)]
struct Student {
    submissions: usize,
    marks: BTreeMap<String, Mark>,
}

struct Mark {
    earned: Points,
    points: Points,
    state: &'static str,
}

/// The results in `dir` and in the folders right in it (one for each lab). Of several submissions
/// of a student the best mark of each exercise is shown.
///
/// # Errors
/// The folder cannot be read, or has no result.
pub(super) fn read(dir: &Path) -> Result<Value, String> {
    let (records, notes) = records(dir)?;
    let mut students: BTreeMap<&str, Student> = BTreeMap::new();
    let mut exercises: Vec<&ExerciseResult> = Vec::new();
    let mut known = BTreeSet::new();
    let mut checks: BTreeMap<(&str, &str), (usize, usize, &str)> = BTreeMap::new();
    let mut hints: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for record in &records {
        let student = students.entry(&record.name).or_default();
        student.submissions += 1;
        for exercise in &record.result.exercises {
            if known.insert(&exercise.id) {
                exercises.push(exercise);
            }
            let state = match (exercise.not_started, exercise.done()) {
                (true, _) => "not started",
                (false, true) => "done",
                (false, false) => "begun",
            };
            let mark = Mark { earned: exercise.earned, points: exercise.points, state };
            let rank = |mark: &Mark| (mark.earned, mark.state != "not started");
            let before = student.marks.get(&exercise.id);
            if before.is_none_or(|before| rank(before) <= rank(&mark)) {
                student.marks.insert(exercise.id.clone(), mark);
            }
            for check in exercise.checks.iter().filter(|_| !exercise.not_started) {
                let entry =
                    checks.entry((&exercise.id, &check.name)).or_insert((0, 0, &check.what));
                entry.0 += usize::from(check.finding().is_some());
                entry.1 += 1;
                if let Some(hint) = &check.hint {
                    *hints.entry((&exercise.id, hint)).or_default() += 1;
                }
            }
        }
    }
    let mut failing: Vec<_> = checks.into_iter().filter(|(_, (failed, ..))| *failed > 0).collect();
    failing.sort_by_key(|(_, (failed, ..))| std::cmp::Reverse(*failed));
    let mut hints: Vec<_> = hints.into_iter().collect();
    hints.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let student = |(name, s): (&str, Student)| {
        let sum = |of: fn(&Mark) -> Points| s.marks.values().map(of).sum::<Points>().to_string();
        let marks = s.marks.iter().map(|(id, mark)| {
            (id, json!({ "earned": mark.earned.to_string(), "state": mark.state }))
        });
        json!({
            "name": name,
            "submissions": s.submissions,
            "earned": sum(|m| m.earned),
            "points": sum(|m| m.points),
            "marks": marks.collect::<BTreeMap<_, _>>(),
        })
    };
    let exercise =
        |e: &&ExerciseResult| json!({ "id": e.id, "title": e.title, "points": e.points });
    let check =
        |((exercise, check), (failed, begun, what)): ((&str, &str), (usize, usize, &str))| {
            json!({
                "exercise": exercise, "check": check, "failed": failed, "begun": begun, "what": what
            })
        };
    let hint = |(named, times): ((&str, &str), usize)| {
        let (exercise, hint) = named;
        json!({ "exercise": exercise, "hint": hint, "times": times })
    };
    Ok(json!({
        "students": students.into_iter().map(student).collect::<Vec<_>>(),
        "exercises": exercises.iter().map(exercise).collect::<Vec<_>>(),
        "failing": failing.into_iter().take(LISTED).map(check).collect::<Vec<_>>(),
        "hints": hints.into_iter().take(LISTED).map(hint).collect::<Vec<_>>(),
        "notes": notes,
    }))
}

/// All results, and what could not be read.
fn records(dir: &Path) -> Result<(Vec<Record>, Vec<String>), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", dir.display());
    let entries = |dir: &Path| -> Vec<PathBuf> {
        let all = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let mut all: Vec<PathBuf> = all.map(|entry| entry.path()).collect();
        all.sort();
        all
    };
    std::fs::read_dir(dir).map_err(failed)?;
    let inside = entries(dir).into_iter().filter(|path| path.is_dir());
    let files = [dir.to_path_buf()].into_iter().chain(inside).flat_map(|dir| entries(&dir));
    let (mut records, mut notes) = (Vec::new(), Vec::new());
    for path in files.filter(|path| path.extension().is_some_and(|e| e == "json")) {
        let small = path.metadata().is_ok_and(|about| about.is_file() && about.len() <= MOST);
        let text = if small { std::fs::read_to_string(&path).ok() } else { None };
        match text.and_then(|text| serde_json::from_str(&text).ok()) {
            Some(record) => records.push(record),
            None => notes.push(format!("{}: this is no result of `grade`", path.display())),
        }
    }
    match records.is_empty() {
        true => Err(format!(
            "{}: no result is in it; `cargo lab grade --submissions FOLDER --results {}` writes \
             them",
            dir.display(),
            dir.display()
        )),
        false => Ok((records, notes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, passed: bool) -> Value {
        let verdict = match passed {
            true => json!({ "pass": { "lines": [] } }),
            false => json!({ "fail": { "class": "wrong", "message": "<b>no</b>", "details": "" } }),
        };
        let mut check =
            json!({ "name": "counts", "what": "sectors", "weight": 1, "hint": "look at <i>" });
        check.as_object_mut().unwrap().extend(verdict.as_object().unwrap().clone());
        let exercise = json!({
            "id": "L1-1.1.1", "key": "e1_1_01", "title": "First",
            "earned": if passed { 5 } else { 0 }, "points": 5, "not_started": false, "todo": "",
            "checks": [check],
        });
        json!({
            "name": name, "files": "", "grader": "",
            "result": {
                "lab": "lab1", "title": "Lab", "seed": 1, "earned": 0, "points": 5,
                "exercises": [exercise],
            },
        })
    }

    #[test]
    fn results_of_a_class_are_counted_by_student_check_and_hint() {
        let dir = tempfile::tempdir().unwrap();
        let said = read(dir.path()).unwrap_err();
        assert!(said.contains("--results"), "{said}");
        let lab = dir.path().join("lab1");
        std::fs::create_dir(&lab).unwrap();
        let hostile = "<img src=x onerror=alert(1)>";
        for (file, value) in [
            ("a.json", record("ada", false)),
            ("b.json", record("ada", true)),
            ("c.json", record(hostile, false)),
            ("d.json", json!({ "no": "result" })),
        ] {
            std::fs::write(lab.join(file), value.to_string()).unwrap();
        }
        let class = read(dir.path()).unwrap();
        let students = class["students"].as_array().unwrap();
        assert_eq!(students.len(), 2);
        assert_eq!(students[0]["name"], hostile);
        assert_eq!(students[1]["submissions"], 2);
        assert_eq!(students[1]["marks"]["L1-1.1.1"], json!({ "earned": "5", "state": "done" }));
        let failing = &class["failing"][0];
        assert_eq!((failing["failed"].as_u64(), failing["begun"].as_u64()), (Some(2), Some(3)));
        assert_eq!(class["hints"][0]["times"], 3);
        assert!(class["notes"][0].as_str().unwrap().contains("d.json"));
        assert!(read(&dir.path().join("none")).is_err());
    }
}
