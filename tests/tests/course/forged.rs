//! Whatever a host program answers, no check of it fails by its own fault, and none is passed by
//! what was not answered.

use std::cell::Cell;

use course_tests::{labs, place};
use grading::runner::run_check;
use grading::{Class, Host, Reply, Trial, Verdict};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use wire::{Origin, Outcome};

use crate::{PROGRAM, SEED, programs};

thread_local! {
    static FORGERY: Cell<u64> = const { Cell::new(0) };
    /// Something was left out.
    static CUT: Cell<bool> = const { Cell::new(false) };
}

/// Changes one of the replies in one place, or what the log says of it.
fn forge(mut replies: Vec<Reply>) -> Vec<Reply> {
    let rng = &mut SmallRng::seed_from_u64(FORGERY.get());
    let which = rng.random_range(0..replies.len());
    for (k, reply) in replies.iter_mut().enumerate() {
        // As from a judge's device that finds no fault with the numbers.
        reply.origin = Some(Origin { copied: 1, ..Origin::default() });
        if k != which {
            continue;
        }
        match rng.random_range(0..8) {
            0 => reply.api.clear(),
            1 => reply.launches.clear(),
            2 => reply.api.truncate(1),
            _ => {
                if let Outcome::Ok(value) = &mut reply.outcome {
                    change(value, rng);
                }
            }
        }
    }
    replies
}

/// Changes the value, or one inside of it.
fn change(value: &mut Value, rng: &mut SmallRng) {
    let inner = rng.random_range(0..3) > 0;
    match value {
        Value::Array(list) if inner && !list.is_empty() => {
            let k = rng.random_range(0..list.len());
            return change(&mut list[k], rng);
        }
        Value::Object(map) if inner && !map.is_empty() => {
            let k = rng.random_range(0..map.len());
            if let Some((_, value)) = map.iter_mut().nth(k) {
                return change(value, rng);
            }
        }
        _ => {}
    }
    *value = match (rng.random_range(0..6), &value) {
        (0, Value::Array(list)) => list[..list.len() / 2].into(),
        (1, Value::Array(list)) => [&list[..], &list[..]].concat().into(),
        (2, Value::Array(_)) => json!([]),
        (0, _) => json!(u64::MAX),
        (1, _) => json!(-1),
        (2, _) => json!(1e300),
        (3, _) => Value::Null,
        (4, _) => json!("x\u{0}\u{202e}"),
        _ => json!([[0], {"a": []}]),
    };
}

/// Cuts the outermost lists of the values to half, or to nothing.
fn cut(mut replies: Vec<Reply>) -> Vec<Reply> {
    fn lists(value: &mut Value, whole: bool) {
        match value {
            Value::Array(list) => list.truncate(if whole { 0 } else { list.len() / 2 }),
            Value::Object(map) => map.values_mut().for_each(|value| lists(value, whole)),
            _ => {}
        }
    }
    for reply in &mut replies {
        reply.origin = Some(Origin { copied: 1, ..Origin::default() });
        if let Outcome::Ok(value) = &mut reply.outcome {
            let before = value.clone();
            lists(value, FORGERY.get() == 0);
            CUT.set(CUT.get() || *value != before);
        }
    }
    replies
}

/// Runs all checks but some with so many forgeries each; `wrong` says what no check may say.
fn forged(
    count: u64,
    forge: fn(Vec<Reply>) -> Vec<Reply>,
    seed: impl Fn(&str, u64) -> u64,
    wrong: impl Fn(&Verdict) -> Option<String>,
    but: &[&str],
) {
    let mut all = Vec::new();
    for lab in labs() {
        let work = place().solution_work(lab, Host::ready(PROGRAM).forged(forge));
        for exercise in lab.exercises {
            for check in exercise.checks {
                let name = format!("{} {}", exercise.id, check.name);
                if but.contains(&name.as_str()) {
                    continue;
                }
                for forgery in 0..count {
                    FORGERY.set(seed(check.name, forgery));
                    CUT.set(false);
                    let trial = Trial::new(lab, exercise, check.name, &work, SEED);
                    let found = wrong(&run_check(check, &trial));
                    all.extend(found.map(|what| format!("{name} {forgery}: {what}")));
                }
            }
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// What is the grader's fault, and where a check gave up.
fn own_fault(verdict: &Verdict) -> Option<String> {
    let Verdict::Fail(finding) = verdict else { return None };
    let gave_up = finding.message.starts_with("the host program's answer is none that");
    (finding.class == Class::GraderFault || gave_up).then(|| finding.message.clone())
}

fn seed(check: &str, forgery: u64) -> u64 {
    SEED ^ forgery << 32 ^ (check.len() as u64).wrapping_mul(0x9e37_79b9)
}

#[test]
fn no_answer_makes_a_check_fail_by_its_own_fault() {
    let inputs = labs().into_iter().fold(programs(), |inputs, lab| {
        let work = place().solution_work(lab, Host::ready(PROGRAM));
        inputs.path(&work.course_dir).path(&work.student_dir)
    });
    let Some(due) = kept::due("forged answers", inputs) else { return };
    forged(1, forge, seed, own_fault, &[]);
    due.passed();
}

#[test]
#[ignore = "long: many answers to each check"]
fn no_answer_of_many_makes_a_check_fail_by_its_own_fault() {
    forged(12, forge, seed, own_fault, &[]);
}

#[test]
#[ignore = "long: two answers to each check"]
fn answers_that_are_left_out_are_missed() {
    // What these look at is the log, or a design as it is.
    const OTHER: [&str; 13] = [
        "L1-1.1.6 stream",
        "L1-1.1.6 order",
        "L1-1.1.14 no_realloc",
        "L1-1.1.14 api_only",
        "L1-1.2.2 no_realloc",
        "L2-2.1.6 api_log",
        "L2-2.1.7 map",
        "L2-2.2.5 model",
        "L3-3.4.6 threads_streams",
        "L3-3.4.6 waits",
        "L5-5.9 fits",
        "L6-6.9 calls",
        "L6-6.9 memory",
    ];
    let passed = |verdict: &Verdict| {
        (CUT.get() && matches!(verdict, Verdict::Pass(_))).then(|| "passed".to_string())
    };
    forged(2, cut, |_, forgery| forgery, passed, &OTHER);
}
