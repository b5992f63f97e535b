//! The table of the sources' questions (`docs/coverage.md`) names exercises that there are, and of
//! each the checks and answers that it has; and every exercise with points is in it.

use std::collections::{BTreeMap, BTreeSet};

use course_tests::{labs, place};

/// Numbers of exercises and names between backticks, in their order.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').enumerate().flat_map(|(k, part)| {
        let quoted = k % 2 == 1;
        let pieces: Vec<&str> = match quoted {
            true => vec![part],
            false => part.split(|c: char| !(c.is_ascii_digit() || c == '.')).collect(),
        };
        pieces.into_iter().map(|word| word.trim_matches('.')).filter(move |word| match quoted {
            // A column's own words: `cargo lab ..` is no check.
            true => word.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()),
            false => is_number(word),
        })
    })
}

/// Whether this is an exercise's number, such as `4.1` or `1.1.15`.
fn is_number(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    (2..=3).contains(&parts.len()) && parts.iter().all(|part| part.parse::<u32>().is_ok())
}

/// What is wrong in a row: `here` says where the question is asked, `graded` by what.
fn mistakes(known: &BTreeMap<&str, BTreeSet<String>>, here: &str, graded: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    // A name belongs to the numbers in front of it; without any, to those of the second column.
    let mut of: Vec<&str> = words(here).filter(|word| is_number(word)).collect();
    let mut listing = false;
    for word in words(graded) {
        if is_number(word) {
            if !listing {
                of.clear();
            }
            of.push(word);
        } else {
            let has = |number: &&str| known.get(number).is_some_and(|names| names.contains(word));
            if !of.iter().any(has) {
                wrong.push(format!("{} has no `{word}`", of.join(", ")));
            }
        }
        listing = is_number(word);
    }
    let numbers = words(here).chain(words(graded)).filter(|word| is_number(word));
    wrong.extend(numbers.filter(|n| !known.contains_key(n)).map(|n| format!("there is no {n}")));
    wrong
}

#[test]
fn the_table_of_questions_names_what_there_is() {
    if labs().len() < course_tests::LABS.len() {
        return;
    }
    let place = place();
    let table = std::fs::read_to_string(place.root.join("docs/coverage.md")).unwrap();
    let mut known = BTreeMap::new();
    for lab in labs() {
        for exercise in lab.exercises {
            let mut names: BTreeSet<String> =
                exercise.checks.iter().map(|check| check.name.to_string()).collect();
            for rel in exercise.files.iter().filter(|rel| rel.starts_with("answers/")) {
                let text = place.skeleton(lab, rel).unwrap();
                let key = |line: &str| Some(line.split_once(" = ")?.0.to_string());
                names.extend(text.lines().filter_map(key));
            }
            known.insert(exercise.number(), names);
        }
    }
    let rows = table.lines().filter_map(|line| match line.split('|').collect::<Vec<_>>()[..] {
        [_, asked, here, graded, _] => Some((asked.trim(), here, graded)),
        _ => None,
    });
    let wrong: Vec<String> = rows
        .flat_map(|(asked, here, graded)| {
            mistakes(&known, here, graded).into_iter().map(move |m| format!("{asked}: {m}"))
        })
        .collect();
    assert!(wrong.is_empty(), "docs/coverage.md:\n{}", wrong.join("\n"));
    for lab in labs().into_iter().filter(|lab| lab.id != "lab6") {
        let missing: Vec<&str> = lab
            .exercises
            .iter()
            .filter(|e| e.points > 0 && !words(&table).any(|word| word == e.number()))
            .map(|e| e.number())
            .collect();
        assert!(missing.is_empty(), "docs/coverage.md says nothing of {}", missing.join(", "));
    }
}

#[test]
fn a_row_s_checks_are_those_of_its_exercise() {
    let names = |all: &[&str]| all.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    let known = BTreeMap::from([("4.1", names(&["cost", "answers"])), ("4.2", names(&["any"]))]);
    let of = |here: &str, graded: &str| mistakes(&known, here, graded);
    assert!(of("4.1 and a fold", "`cost`, 4.2 `any`").is_empty());
    assert!(of("fold of 4.2", "4.1 `cost`").is_empty());
    assert!(of("`cargo lab study fir`", "-").is_empty());
    assert_eq!(of("4.2", "4.1 `cost`, 4.2 `answers`"), ["4.2 has no `answers`"]);
    assert_eq!(of("4.3", "not graded"), ["there is no 4.3"]);
}
