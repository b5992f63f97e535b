//! The `results.json` that Gradescope's autograder reads, for one piece of work.

use serde_json::{Value, json};

use super::{Graded, finding_text};
use crate::{CheckResult, ExerciseResult, Points};

/// The results as Gradescope wants them: a test per exercise, findings as its output.
pub fn gradescope(work: &Graded) -> String {
    let exercises = || work.labs.iter().flat_map(|l| &l.exercises);
    let tests: Vec<Value> = exercises().map(test).collect();
    let warnings: String =
        work.labs.iter().flat_map(|l| &l.warnings).map(|w| format!("Warning: {w}\n")).collect();
    let seeds: Vec<u64> = work.labs.iter().map(|l| l.seed).collect();
    let results = json!({
        "score": number(work.earned()),
        "output": format!("{warnings}{} of {} points", work.earned(), work.points()),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": { "seeds": seeds },
        "tests": tests,
    });
    format!("{results:#}\n")
}

fn test(exercise: &ExerciseResult) -> Value {
    let output = if exercise.not_started {
        format!("Not started. {}", exercise.todo)
    } else {
        exercise.checks.iter().map(line).collect()
    };
    json!({
        "number": exercise.id,
        "name": exercise.title,
        "score": number(exercise.earned),
        "max_score": number(exercise.points),
        "status": if exercise.done() { "passed" } else { "failed" },
        "output": output,
        "visibility": "visible",
    })
}

fn line(check: &CheckResult) -> String {
    match check.finding() {
        None => format!("ok   [{}] {}\n", check.name, check.what),
        Some(finding) => {
            format!("FAIL [{}] ({}) {}", check.name, finding.class.name(), finding_text(check))
        }
    }
}

fn number(points: Points) -> Value {
    serde_json::to_value(points).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::report::tests::sample;

    #[test]
    fn the_file_has_the_fields_that_gradescope_reads() {
        let text = super::gradescope(&sample());
        let v: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(v["score"], 2);
        assert_eq!(v["tests"][0]["max_score"], 4);
        assert_eq!(v["tests"][0]["status"], "failed");
        assert_eq!(v["tests"][1]["output"], "Not started. Do this.");
        assert!(v["tests"][0]["output"].as_str().unwrap().ends_with("Hint: `<`\n"));
    }
}
