//! The table of the sources' questions (`docs/coverage.md`) names checks and answers that there
//! are, and every exercise with points.

use std::collections::BTreeSet;

use course_tests::{labs, place};

/// The words between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn the_table_of_questions_names_what_there_is() {
    let place = place();
    let table = std::fs::read_to_string(place.root.join("docs/coverage.md")).unwrap();
    let mut known = BTreeSet::new();
    for lab in labs() {
        for exercise in lab.exercises {
            known.extend(exercise.checks.iter().map(|check| check.name.to_string()));
            for rel in exercise.files.iter().filter(|rel| rel.starts_with("answers/")) {
                let text = place.skeleton(lab, rel).unwrap();
                let key = |line: &str| Some(line.split_once(" = ")?.0.to_string());
                known.extend(text.lines().filter_map(key));
            }
        }
    }
    if labs().len() < course_tests::LABS.len() {
        return;
    }
    let mut unknown = Vec::new();
    let mut chapter = "";
    for line in table.lines() {
        chapter = line.strip_prefix("## ").unwrap_or(chapter);
        let cells: Vec<&str> = line.split('|').collect();
        let [_, _, _, graded, _] = cells[..] else { continue };
        // A column's own words: `cargo lab ..` is no check.
        let names = quoted(graded)
            .filter(|name| name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()));
        unknown.extend(names.filter(|n| !known.contains(*n)).map(|n| format!("{chapter}: {n}")));
    }
    assert!(unknown.is_empty(), "docs/coverage.md: {}", unknown.join(", "));
    for lab in labs() {
        let has = |number: &str| table.contains(number);
        let without: Vec<&str> = lab
            .exercises
            .iter()
            .filter(|e| e.points > 0 && lab.id != "lab6")
            .map(|e| e.id.split_once('-').map_or(e.id, |(_, number)| number))
            .filter(|number| !has(number))
            .collect();
        assert!(without.is_empty(), "docs/coverage.md says nothing of {}", without.join(", "));
    }
}
