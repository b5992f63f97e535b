//! Checks of exercise 4.2: the dynamic range.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect, trace};
use hdl::{Block, interval};
use rand::RngExt;
use serde_json::json;

use crate::e4_1::shapes;
use crate::model::{LAB4, LAB5, NEGATIVE, TAPS, fir};
use crate::rig;

const ANSWERS: &str = "answers/e4_2.toml";

/// Lowest bit of the result that wastes nothing and cannot overflow.
pub const LSB: u32 = 15;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L4-4.2",
    key: "e4_2",
    title: "The dynamic range",
    points: 10,
    files: &["src/e4_2.rs", ANSWERS],
    todo: "Write result_lsb in src/e4_2.rs: the lowest bit of the result that no source words can \
        make overflow.",
    hints: &[
        (
            "slice",
            "the largest |total| is 32768 * 32640, which is just below 2^30: so bit 30 is the sign",
        ),
        ("overflow", "one bit lower and the step wraps: sum|b| * 2 is more than 2^15"),
        ("amplitude", "floor(b1 * H / 2^15), and the same with the sum of all coefficients"),
        ("largest", "the largest is negative: -32768 times the sum of the coefficients, 32640"),
        (
            "any",
            "a word is -32768 where its coefficient is negative and 32767 where it is not, or the \
             other way round: both totals must fit",
        ),
        ("share", "100 times the largest absolute value, by 32768"),
        (
            "sum",
            "the result overflows exactly if sum|b| * 2^15 does not fit the bits that are kept",
        ),
    ],
    checks: &[
        Check { name: "amplitudes", what: "impulse response and step", weight: 2, run: amplitudes },
        Check {
            name: "no_overflow",
            what: "no source words can make the result overflow",
            weight: 2,
            run: no_overflow,
        },
        Check { name: "any", what: "the lowest bit for any coefficients", weight: 13, run: any },
        Check { name: "answers", what: "amplitudes and limits", weight: 3, run: answers },
    ],
};

/// The design with the student's choice of bits.
pub fn fir1(t: &Trial) -> Result<Block, Finding> {
    t.design("e4_2.fir1", &json!({ "coefficients": LAB4 }))
}

fn amplitudes(t: &Trial) -> Outcome {
    shapes(&fir1(t)?, LSB)
}

fn no_overflow(t: &Trial) -> Outcome {
    let overflows = |block: &Block| {
        interval::check(block, &[])
            .map(|found| found.overflows)
            .map_err(|e| Finding::grader(e.to_string()))
    };
    let block = fir1(t)?;
    let found = overflows(&block)?;
    if let Some(first) = found.first() {
        let all: Vec<String> = found.iter().map(ToString::to_string).collect();
        let finding = Finding::wrong(format!("an overflow is possible: {first}"));
        return Err(finding.details(all.join("\n")).hint("overflow"));
    }
    // A result whose upper bits are never used cannot overflow either.
    shapes(&block, LSB)?;
    // The same check must find the overflow that is one bit away, or it has looked at nothing.
    let lower = t.design("e4_1.fir1", &json!({ "coefficients": LAB4, "lsb": LSB - 1 }))?;
    let found = overflows(&lower)?;
    let Some(first) = found.first() else {
        return Err(Finding::wrong(
            "one bit lower the result of fir1 in exercise 4.1 should \
             overflow, but it keeps all bits",
        )
        .hint("slice"));
    };
    Ok(Evidence::new("no signal can overflow, whatever the source words")
        .line(format!("one bit lower: {first}")))
}

/// The truth, from all 2^8 ways in which the words can stand at the ends of their range.
fn lowest(b: &[i64; TAPS]) -> u32 {
    let ends = |way: u32| -> i64 {
        let end =
            |k: usize| if way >> k & 1 == 0 { i64::from(i16::MIN) } else { i64::from(i16::MAX) };
        (0..TAPS).map(|k| b[k] * end(k)).sum()
    };
    let fits = |total: i64, lsb: u32| i16::try_from(total >> lsb).is_ok();
    (0..20).find(|lsb| (0..1 << TAPS).all(|way| fits(ends(way), *lsb))).unwrap_or(19)
}

fn any(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut sets = vec![LAB4, LAB5, NEGATIVE, [-32768; TAPS], [0, 0, 0, 0, 0, 0, 0, 1]];
    for bits in [4, 8, 11, 14, 15, 15, 15, 15] {
        sets.push([0; TAPS].map(|_: i64| rng.random_range(-(1 << bits)..1 << bits)));
    }
    let reply = t.call("e4_2.lsb", &json!(sets))?;
    let found: Vec<u32> = trace::list(&reply, sets.len())?;
    for (b, found) in sets.iter().zip(&found) {
        expect::that(*found == lowest(b), || {
            format!("result_lsb({b:?}): {found} is not the lowest bit without an overflow")
        })
        .map_err(|f| f.hint("any"))?;
    }
    expect::that(found.len() == sets.len(), || "not all sets have an answer".into())?;
    Ok(Evidence::new(format!("{} sets of coefficients", sets.len())))
}

fn answers(t: &Trial) -> Outcome {
    let (a, impulse, step) = rig::own_words(t.answers(ANSWERS)?)?;
    a.is_int("impulse", fir(&impulse, &LAB4, LSB)[0].into(), "amplitude")?;
    a.is_int("step", fir(&step, &LAB4, LSB)[TAPS - 1].into(), "amplitude")?;
    let lowest = fir(&[i16::MIN; TAPS], &LAB4, LSB)[TAPS - 1].unsigned_abs();
    a.is_int("largest", lowest.into(), "largest")?;
    a.is_near("used_percent", 100.0 * f64::from(lowest) / 32768.0, 0.05, "share")?;
    a.choices(&[("can_overflow", "false"), ("one_bit_lower", "true")], "sum")?;
    Ok(Evidence::new("the numbers are right"))
}
