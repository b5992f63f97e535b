//! The `result.json` that Classroom 50 reads (`classroom50/result/v1`), for one piece of work.

use serde_json::{Value, json};

use super::Graded;
use crate::{ExerciseResult, Points};

/// Names of the file's fields that the runner gives in its environment.
const GIVEN: [(&str, &str); 6] = [
    ("classroom", "CLASSROOM"),
    ("assignment", "ASSIGNMENT"),
    ("submission", "SUBMISSION_TAG"),
    ("commit", "COMMIT_URL"),
    ("release", "RELEASE_URL"),
    ("review", "REVIEW_URL"),
];

/// The results with whole numbers, as that form asks: points are rounded down, so that nobody has
/// full marks who has not passed everything. `environment` gives a variable's value, `datetime` is
/// now, in the form of RFC 3339.
pub fn classroom50(
    work: &Graded,
    environment: impl Fn(&str) -> Option<String>,
    datetime: &str,
) -> String {
    let exercises = || work.labs.iter().flat_map(|l| &l.exercises);
    let tests: Vec<Value> = exercises().map(test).collect();
    let score: u64 = exercises().map(|e| whole(e.earned)).sum();
    let mut result = json!({
        "schema": "classroom50/result/v1",
        "datetime": datetime,
        "score": score,
        "max-score": exercises().map(|e| whole(e.points)).sum::<u64>(),
        "tests": tests,
    });
    for (field, variable) in GIVEN {
        result[field] = environment(variable).unwrap_or_default().into();
    }
    format!("{result:#}\n")
}

fn test(exercise: &ExerciseResult) -> Value {
    json!({
        "test-name": format!("{} {}", exercise.id, exercise.title),
        "passed": exercise.done(),
        "score": whole(exercise.earned),
        "max-score": whole(exercise.points),
    })
}

fn whole(points: Points) -> u64 {
    points.0 / 100
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    #[test]
    fn the_file_has_the_fields_of_the_form_in_whole_numbers() {
        let mut work = sample();
        work.labs[0].exercises[0].earned = Points(399);
        let of = |name: &str| (name == "CLASSROOM").then(|| "c".to_string());
        let text = classroom50(&work, of, "2026-10-01T00:00:00Z");
        let value: Value = serde_json::from_str(&text).unwrap();
        let object = value.as_object().unwrap();
        let fields: Vec<&str> = object.keys().map(String::as_str).collect();
        let mut want = vec!["schema", "datetime", "score", "max-score", "tests"];
        want.extend(GIVEN.map(|(field, _)| field));
        want.sort_unstable();
        let mut sorted = fields.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, want);
        assert_eq!((&value["score"], &value["max-score"]), (&json!(3), &json!(8)));
        assert_eq!((&value["classroom"], &value["commit"]), (&json!("c"), &json!("")));
        for test in value["tests"].as_array().unwrap() {
            assert!(test["test-name"].is_string() && test["passed"].is_boolean());
            assert!(test["score"].is_u64() && test["max-score"].is_u64(), "{test}");
        }
    }
}
