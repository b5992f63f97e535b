//! Whole programs with `main`, each in another style of published collections: all are compiled as
//! they stand, and those with a run description give the results that it names.

use crate::corpus::{options, report, wrong_results};
use crate::support::case::{Case, execute};

fn programs() -> Vec<Case> {
    let filter = std::env::var("CORPUS").unwrap_or_default();
    let all = Case::folder(&Case::corpus_dir().join("../world")).expect("the folder");
    assert!(all.len() >= 100, "{} programs", all.len());
    all.into_iter().filter(|c| c.name.contains(&filter)).collect()
}

#[test]
fn whole_programs_compile_and_give_the_right_results() {
    let programs = programs();
    let mut failures = Vec::new();
    for case in &programs {
        let wrong = match case.compile() {
            Err(e) => vec![e.to_string()],
            Ok(program) => match execute(case, &program, &options(2)) {
                Ok(outcome) => wrong_results(case, &outcome),
                Err(stop) => vec![stop.to_string()],
            },
        };
        if !wrong.is_empty() {
            failures.push(format!("== {}\n{}", case.name, wrong.join("\n")));
        }
    }
    report(failures, programs.len());
}
