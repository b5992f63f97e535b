//! The corpus: textbook kernels that must run and give the right results and counts, and wrong ones
//! that must be stopped.
//!
//! The format of the files is described in [`support::case`].
//! `CORPUS=name cargo test -p simt --test engine corpus` runs the files whose names contain `name`.

use std::collections::BTreeMap;

use crate::reference::{self, World};
use crate::support::case::{Buffer, Case, Data, Generator, Outcome, Stop, execute};
use simt::ExecOptions;

fn selected(folder: &str) -> Vec<Case> {
    let cases = Case::folder(&Case::corpus_dir().join(folder)).expect("corpus folder");
    let filter = std::env::var("CORPUS").unwrap_or_default();
    cases.into_iter().filter(|c| c.name.contains(&filter)).collect()
}

pub fn options(threads: usize) -> ExecOptions {
    ExecOptions { threads: Some(threads), step_limit: 1 << 22, ..ExecOptions::default() }
}

fn run(case: &Case, options: &ExecOptions) -> Result<Outcome, String> {
    let program = case.compile().map_err(|e| e.to_string())?;
    execute(case, &program, options).map_err(|e| e.to_string())
}

/// Buffers as the header fills them; never-written ones hold zeros.
fn initial(case: &Case) -> BTreeMap<String, Data> {
    let fill = |b: &Buffer| {
        let bytes = b.generator.bytes(b.elem, b.count).expect("generator");
        Data::from_bytes(b.elem, &bytes.unwrap_or_else(|| vec![0; b.count * b.elem.size()]))
    };
    case.buffers.iter().map(|b| (b.name.clone(), fill(b))).collect()
}

pub fn wrong_results(case: &Case, outcome: &Outcome) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut world = World(initial(case));
    if let Some(reference) = reference::find(&case.name) {
        reference(&mut world);
    }
    for (name, tolerance) in &case.checks {
        if outcome.unwritten.contains(name) {
            wrong.push(format!("{name} has elements that nobody wrote"));
        }
        if let Some(text) = outcome.buffers[name].difference(&world.0[name], *tolerance) {
            wrong.push(format!("{name}{text}"));
        }
    }
    for (name, words) in &case.expected {
        let buffer = case.buffers.iter().find(|b| b.name == *name).expect("a buffer of the header");
        let bytes = Generator::List(words.clone()).bytes(buffer.elem, buffer.count);
        let want = Data::from_bytes(buffer.elem, &bytes.expect("list").unwrap_or_default());
        if let Some(text) = outcome.buffers[name].difference(&want, None) {
            wrong.push(format!("{name}{text}"));
        }
    }
    let printed: Vec<&str> = outcome.printed.lines().collect();
    if !case.prints.is_empty() && printed != case.prints {
        wrong.push(format!("printed {printed:#?}"));
    }
    wrong
}

fn wrong_counts(case: &Case, outcome: &Outcome) -> Vec<String> {
    let mut wrong = Vec::new();
    for (run, counters) in case.runs.iter().zip(&outcome.counters) {
        let fields = serde_json::to_value(counters).expect("counters are plain data");
        for (counter, want, reason) in &run.counts {
            let got = fields[counter].as_u64();
            if got != Some(*want) {
                wrong.push(format!("{}: {counter} is {got:?}, want {want}: {reason}", run.kernel));
            }
        }
    }
    wrong
}

pub fn report(failures: Vec<String>, of: usize) {
    assert!(failures.is_empty(), "{} of {of} fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_kernel_gives_the_right_results_and_counts() {
    let cases = selected(".");
    let mut failures = Vec::new();
    for case in &cases {
        match run(case, &options(1)) {
            Err(text) => failures.push(format!("== {}\n{text}", case.name)),
            Ok(outcome) => {
                let mut wrong = wrong_results(case, &outcome);
                wrong.extend(wrong_counts(case, &outcome));
                if !wrong.is_empty() {
                    failures.push(format!("== {}\n{}", case.name, wrong.join("\n")));
                }
            }
        }
    }
    report(failures, cases.len());
}

#[test]
fn results_counts_and_output_do_not_depend_on_the_number_of_threads() {
    let cases = selected(".");
    let mut failures = Vec::new();
    for case in &cases {
        let Ok(alone) = run(case, &options(1)) else { continue };
        for threads in [2, 4] {
            match run(case, &options(threads)) {
                Ok(outcome) if outcome == alone => {}
                Ok(_) => failures.push(format!("{}: other outcome on {threads}", case.name)),
                Err(text) => failures.push(format!("{} on {threads}: {text}", case.name)),
            }
        }
    }
    report(failures, cases.len());
}

#[test]
fn checks_do_not_change_results_and_counts() {
    let cases = selected(".");
    let mut failures = Vec::new();
    for case in &cases {
        let Ok(checked) = run(case, &options(1)) else { continue };
        let unchecked = ExecOptions { races: false, uninit: false, ..options(1) };
        match run(case, &unchecked) {
            Ok(outcome)
                if outcome.buffers == checked.buffers && outcome.counters == checked.counters => {}
            Ok(_) => failures.push(format!("{}: other outcome without checks", case.name)),
            Err(text) => failures.push(format!("{} without checks: {text}", case.name)),
        }
    }
    report(failures, cases.len());
}

#[test]
fn files_and_references_belong_together() {
    let cases = Case::folder(&Case::corpus_dir()).expect("corpus folder");
    assert!(cases.len() >= 40, "{} files", cases.len());
    let names: Vec<&str> = cases.iter().map(|c| c.name.as_str()).collect();
    for name in reference::names() {
        assert!(names.contains(&name), "the reference {name} has no file");
    }
    for case in &cases {
        assert!(reference::find(&case.name).is_some(), "{} has no reference", case.name);
        assert!(!case.checks.is_empty() || !case.prints.is_empty(), "{} is not checked", case.name);
    }
}

#[test]
fn a_wrong_result_would_be_seen() {
    for case in &selected(".") {
        let Ok(mut outcome) = run(case, &options(1)) else { continue };
        for (name, _) in &case.checks {
            let right = outcome.buffers[name].clone();
            let zeros = right.reals().iter().all(|v| *v == 0.0);
            if zeros {
                continue;
            }
            let elem = case.buffers.iter().find(|b| b.name == *name).expect("checked").elem;
            let blank = vec![0; right.reals().len() * elem.size()];
            outcome.buffers.insert(name.clone(), Data::from_bytes(elem, &blank));
            assert!(
                !wrong_results(case, &outcome).is_empty(),
                "{}: zeros pass as {name}",
                case.name
            );
            outcome.buffers.insert(name.clone(), right);
        }
    }
}

/// What is wrong with the way a faulty kernel was stopped.
pub fn misjudged(case: &Case) -> Option<String> {
    let fault_lines = case.marked_lines("fault");
    let program = match case.compile() {
        Ok(program) => program,
        Err(refusal) => {
            let text = refusal.to_string();
            let may_refuse = match (&case.error, &case.fault) {
                (Some(want), _) => text.contains(want.as_str()),
                (None, Some(fault)) => fault.codes.iter().any(|c| c == "ERROR"),
                (None, None) => false,
            };
            let at = refusal.diagnostics.first().map(|d| refusal.sources.locate(d.span).line);
            let right_line = at.is_some_and(|line| fault_lines.contains(&line));
            return (!may_refuse || !right_line)
                .then(|| format!("{text}(want line {fault_lines:?})"));
        }
    };
    let Some(want) = &case.fault else { return Some("compiled".into()) };
    let options = ExecOptions { step_limit: 1 << 16, ..options(2) };
    let fault = match execute(case, &program, &options) {
        Ok(_) => return Some("ran to its end".into()),
        Err(Stop::Setup(text)) => return Some(text),
        Err(Stop::Fault(fault)) => fault,
    };
    let code = fault.kind.code().to_string();
    let mut right = want.codes.contains(&code);
    if let Some((name, index)) = &want.target {
        right &= fault.target.as_ref().is_some_and(|t| t.name == *name && t.index == *index);
    }
    let site = fault.site.as_ref();
    if !fault_lines.is_empty() {
        right &= site.is_some_and(|s| fault_lines.contains(&s.at.line));
    }
    if let Some(thread) = want.thread {
        right &= site.is_some_and(|s| s.thread == thread);
    }
    if let Some(block) = want.block {
        right &= site.is_some_and(|s| s.block == block);
    }
    let other_lines = case.marked_lines("other");
    if !other_lines.is_empty() {
        right &= fault.other.as_ref().is_some_and(|o| other_lines.contains(&o.at.line));
    }
    (!right).then(|| format!("want {want:?}\n{}target {:?}", fault.render(), fault.target))
}

#[test]
fn every_faulty_kernel_is_stopped_at_its_line() {
    let cases = selected("faulty");
    let failures = cases
        .iter()
        .filter_map(|case| misjudged(case).map(|text| format!("== {}\n{text}", case.name)))
        .collect();
    report(failures, cases.len());
}

#[test]
fn faults_do_not_depend_on_the_number_of_threads() {
    for case in &selected("faulty") {
        let Ok(program) = case.compile() else { continue };
        let stop = |threads| {
            let options = ExecOptions { step_limit: 1 << 16, ..options(threads) };
            match execute(case, &program, &options) {
                Err(Stop::Fault(fault)) => Some(fault),
                _ => None,
            }
        };
        let alone = stop(1);
        for threads in [2, 4] {
            assert_eq!(stop(threads), alone, "{} on {threads} threads", case.name);
        }
    }
}

/// Programs that once made the engine fail. Without a `fault` or `error` in the header they must
/// run and give what it says.
#[test]
fn what_once_failed_stays_mended() {
    let cases = selected("../regressions");
    let mut failures = Vec::new();
    for case in &cases {
        let wrong = if case.fault.is_some() || case.error.is_some() {
            misjudged(case).into_iter().collect()
        } else {
            match run(case, &options(2)) {
                Ok(outcome) => wrong_results(case, &outcome),
                Err(text) => vec![text],
            }
        };
        if !wrong.is_empty() {
            failures.push(format!("== {}\n{}", case.name, wrong.join("\n")));
        }
    }
    report(failures, cases.len());
}
