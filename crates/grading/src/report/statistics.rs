//! How a class did: by exercise and by check.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Graded;
use crate::{ExerciseResult, Points};

/// Bounds of the groups of marks, in per cent; full marks are a group of their own.
const GROUPS: [u64; 4] = [0, 25, 50, 75];

/// A table by exercise with the distribution of its points, then the checks that fail most.
pub fn statistics(graded: &[Graded]) -> String {
    let mut exercises: BTreeMap<&str, Vec<&ExerciseResult>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for exercise in graded.iter().flat_map(|g| &g.labs).flat_map(|l| &l.exercises) {
        if !exercises.contains_key(exercise.id.as_str()) {
            order.push(&exercise.id);
        }
        exercises.entry(&exercise.id).or_default().push(exercise);
    }
    let mut out = format!(
        "{} submissions\n\n{:<12} {:>7} {:>11} {:>6} {:>6} {:>6} {:>6} {:>6}\n",
        graded.len(),
        "exercise",
        "points",
        "not started",
        "< 25 %",
        "< 50 %",
        "< 75 %",
        "< full",
        "full"
    );
    for id in &order {
        let all = &exercises[id];
        let started: Vec<&&ExerciseResult> = all.iter().filter(|e| !e.not_started).collect();
        let mean = Points(
            (all.iter().map(|e| e.earned.0).sum::<u64>() * 2 + all.len() as u64)
                / (2 * all.len() as u64),
        );
        let group = |e: &&&&ExerciseResult| {
            let percent = (100 * e.earned.0).checked_div(e.points.0).unwrap_or(100);
            if e.done() {
                GROUPS.len()
            } else {
                GROUPS.iter().filter(|g| percent >= **g).count() - 1
            }
        };
        let counts: Vec<String> = (0..=GROUPS.len())
            .map(|k| format!("{:>6}", started.iter().filter(|e| group(e) == k).count()))
            .collect();
        let untouched = all.len() - started.len();
        let points = format!("{mean}/{}", all[0].points);
        let _ = writeln!(out, "{id:<12} {points:>7} {untouched:>11} {}", counts.join(" "));
    }
    out += &minutes(graded, &order);
    let mut fails: BTreeMap<(&str, &str), (usize, usize, &str)> = BTreeMap::new();
    for exercise in exercises.values().flatten().filter(|e| !e.not_started) {
        for check in &exercise.checks {
            let entry = fails.entry((&exercise.id, &check.name)).or_insert((0, 0, &check.what));
            entry.0 += usize::from(check.finding().is_some());
            entry.1 += 1;
        }
    }
    let mut fails: Vec<_> = fails.into_iter().filter(|(_, (failed, ..))| *failed > 0).collect();
    fails.sort_by_key(|(key, (failed, all, _))| (std::cmp::Reverse(1000 * failed / all), *key));
    out += "\nchecks by how many of those who began the exercise fail them\n";
    for ((id, name), (failed, all, what)) in fails {
        let _ = writeln!(out, "{failed:>5} of {all:<4} {id} [{name}] {what}");
    }
    out
}

/// How long the exercises took those who said so: a quarter, a half, three quarters of them took no
/// longer.
fn minutes(graded: &[Graded], order: &[&str]) -> String {
    let mut out = String::new();
    for id in order {
        let labs = graded.iter().flat_map(|g| &g.labs);
        let mut all: Vec<u32> = labs.filter_map(|lab| lab.minutes.get(*id).copied()).collect();
        all.sort_unstable();
        if all.is_empty() {
            continue;
        }
        let part = |quarters: usize| all[(all.len() * quarters).div_ceil(4) - 1];
        let (first, half, third) = (part(1), part(2), part(3));
        let _ = writeln!(out, "{id:<12} {:>8} {first:>6} {half:>6} {third:>6}", all.len());
    }
    if out.is_empty() {
        return out;
    }
    format!(
        "\nminutes until it was done, as students' own `watch` counted\n\
         {:<12} {:>8} {:>6} {:>6} {:>6}\n{out}",
        "exercise", "students", "1/4", "1/2", "3/4"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    #[test]
    fn exercises_have_means_and_groups_and_checks_are_sorted_by_failures() {
        let mut full = sample();
        let exercise = &mut full.labs[0].exercises[0];
        exercise.earned = exercise.points;
        exercise.checks.remove(1);
        let text = statistics(&[sample(), full]);
        let row = |id: &str| {
            let line = text.lines().find(|l| l.starts_with(id)).unwrap();
            line.split_whitespace().map(str::to_string).collect::<Vec<_>>()
        };
        assert_eq!(row("L1-1"), ["L1-1", "3/4", "0", "0", "0", "1", "0", "1"]);
        let mut quick = sample();
        quick.labs[0].minutes.insert("L1-1".into(), 3);
        let said =
            statistics(&[sample(), quick.clone(), quick, Graded { labs: vec![], ..sample() }]);
        assert!(said.contains("\nL1-1                3      3      3     12\n"), "{said}");
        assert_eq!(row("L1-2"), ["L1-2", "0/4", "2", "0", "0", "0", "0", "0"]);
        assert!(text.ends_with("    1 of 1    L1-1 [guard] what guard checks\n"), "{text}");
    }
}
