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
    use serde_json::Value;

    use crate::report::tests::sample;

    /// What Gradescope's documents list, with the kinds of values; a field that is not there, or of
    /// another kind, is an error.
    fn valid(results: &Value) -> Result<(), String> {
        let visible = |v: &Value| {
            let all = ["hidden", "after_due_date", "after_published", "visible"];
            all.iter().any(|name| v == name)
        };
        let format =
            |v: &Value| ["text", "html", "simple_format", "md", "ansi"].iter().any(|f| v == f);
        let fields = |of: &Value, test: bool| -> Result<(), String> {
            for (name, value) in of.as_object().ok_or("no object")? {
                let right = match name.as_str() {
                    "score" => value.is_number(),
                    "output" => value.is_string(),
                    "visibility" => visible(value),
                    "output_format" => format(value),
                    "extra_data" => value.is_object(),
                    "max_score" if test => value.is_number(),
                    "name" | "number" if test => value.is_string(),
                    "name_format" if test => format(value),
                    "status" if test => value == "passed" || value == "failed",
                    "tags" if test => value.is_array(),
                    "execution_time" if !test => value.is_number(),
                    "stdout_visibility" if !test => visible(value),
                    "test_output_format" | "test_name_format" if !test => format(value),
                    "tests" | "leaderboard" if !test => value.is_array(),
                    _ => return Err(format!("{name} is no field")),
                };
                if !right {
                    return Err(format!("{name} = {value}"));
                }
            }
            Ok(())
        };
        fields(results, false)?;
        let tests = results["tests"].as_array();
        if tests.is_none() && !results["score"].is_number() {
            return Err("neither a score nor tests".into());
        }
        tests.into_iter().flatten().try_for_each(|test| fields(test, true))
    }

    #[test]
    fn the_file_is_valid_and_the_validator_sees_what_is_not() {
        let mut work = sample();
        let mut passed = work.labs[0].exercises[0].clone();
        passed.checks.retain(|check| check.finding().is_none());
        work.labs[0].exercises.push(passed);
        let good: Value = serde_json::from_str(&super::gradescope(&work)).unwrap();
        assert_eq!(valid(&good), Ok(()));
        assert_eq!(good["tests"][2]["status"], "passed");
        for (pointer, bad) in [
            ("/tests/0/status", "ok".into()),
            ("/tests/0/score", "2".into()),
            ("/visibility", "everybody".into()),
            ("/tests/1/visibility", "never".into()),
        ] {
            let mut results = good.clone();
            *results.pointer_mut(pointer).unwrap() = bad;
            assert!(valid(&results).is_err(), "{pointer}");
        }
        let mut results = good.clone();
        results["marks"] = 1.into();
        assert_eq!(valid(&results), Err("marks is no field".into()));
    }

    #[test]
    fn the_file_has_the_fields_that_gradescope_reads() {
        let text = super::gradescope(&sample());
        let v: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(v["score"], 2);
        assert_eq!(v["tests"][0]["max_score"], 4);
        assert_eq!(v["tests"][0]["status"], "failed");
        assert_eq!(v["tests"][1]["output"], "Not started. Do this.");
        assert!(v["tests"][0]["output"].as_str().unwrap().ends_with("Hint: `<`\n"));
    }
}
