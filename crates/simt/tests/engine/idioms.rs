//! Idioms of synchronisation: the right form of each runs without a word and gives the right
//! result; its faulty twin is stopped at a marked line.
//!
//! The files are described in [`crate::support::case`]. `CORPUS=name cargo test -p simt --test
//! engine idioms` runs those whose names contain `name`.

use crate::corpus::{misjudged, options, report, wrong_results};
use crate::support::case::{Case, Stop, execute};

fn selected() -> Vec<[Case; 2]> {
    let filter = std::env::var("CORPUS").unwrap_or_default();
    let all = Case::idioms().expect("the idioms");
    assert!(all.len() >= 60, "{} idioms", all.len());
    all.into_iter().filter(|[right, _]| right.name.contains(&filter)).collect()
}

#[test]
fn right_idioms_raise_no_alarm() {
    let mut failures = Vec::new();
    let idioms = selected();
    for [case, _] in &idioms {
        let program = case.compile().unwrap_or_else(|e| panic!("{}: {e}", case.name));
        assert!(!case.expected.is_empty(), "{} is not checked", case.name);
        for threads in [1, 3] {
            let wrong = match execute(case, &program, &options(threads)) {
                Ok(outcome) => wrong_results(case, &outcome),
                Err(stop) => vec![stop.to_string()],
            };
            if !wrong.is_empty() {
                failures.push(format!("== {}, {threads} threads\n{}", case.name, wrong.join("\n")));
            }
        }
    }
    report(failures, idioms.len());
}

#[test]
fn faulty_twins_are_stopped_at_a_marked_line() {
    let mut failures = Vec::new();
    let idioms = selected();
    for [_, twin] in &idioms {
        if let Some(text) = misjudged(twin) {
            failures.push(format!("== {}\n{text}", twin.name));
            continue;
        }
        let program = twin.compile().expect("misjudged compiles it");
        let [alone, three] = [1, 3].map(|threads| execute(twin, &program, &options(threads)).err());
        let fault = |stop: Option<Stop>| match stop {
            Some(Stop::Fault(fault)) => Some(fault),
            _ => None,
        };
        if fault(alone) != fault(three) {
            failures.push(format!("== {}: another fault on three threads", twin.name));
        }
    }
    report(failures, idioms.len());
}
