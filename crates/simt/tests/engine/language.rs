//! What of CUDA C++ is understood: each file of `tests/language` shows some of it, and its results
//! are known.

use crate::corpus::{options, report, wrong_results};
use crate::support::case::{Case, execute};

#[test]
fn what_the_language_offers_gives_the_right_results() {
    let filter = std::env::var("CORPUS").unwrap_or_default();
    let cases = Case::folder(&Case::corpus_dir().join("../language")).expect("the folder");
    let mut failures = Vec::new();
    for case in cases.iter().filter(|c| c.name.contains(&filter)) {
        assert!(!case.expected.is_empty(), "{} is not checked", case.name);
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
    report(failures, cases.len());
}
