//! Checks of exercise 4.2: the dynamic range.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial};
use hdl::{Block, interval};
use serde_json::json;

use crate::e4_0::{flag, float, int};
use crate::e4_1::shapes;
use crate::model::{LAB4, TAPS, fir};
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
    todo: "Compute the largest total and choose RESULT_LSB in src/e4_2.rs.",
    hints: &[
        (
            "slice",
            "the largest |total| is 32768 * 32640, which is just below 2^30: so bit 30 is the sign",
        ),
        ("overflow", "one bit lower and the step wraps: sum|b| * 2 is more than 2^15"),
        ("amplitude", "floor(b1 * 32767 / 2^15), and the same with the sum of all coefficients"),
        ("largest", "the largest is negative: -32768 times the sum of the coefficients, 32640"),
        ("share", "100 * 32640 / 32768"),
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
        Check { name: "answers", what: "amplitudes and limits", weight: 1, run: answers },
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
    let found = overflows(&fir1(t)?)?;
    if let Some(first) = found.first() {
        let all: Vec<String> = found.iter().map(ToString::to_string).collect();
        let finding = Finding::wrong(format!("an overflow is possible: {first}"));
        return Err(finding.details(all.join("\n")).hint("overflow"));
    }
    // The same check must find the overflow that is one bit away, or it has looked at nothing.
    let lower = t.design("e4_1.fir1", &json!({ "coefficients": LAB4, "lsb": LSB - 1 }))?;
    let found = overflows(&lower)?;
    let Some(first) = found.first() else {
        return Err(Finding::wrong("one bit lower the result of fir1 in exercise 4.1 should overflow, but it keeps all bits")
            .hint("slice"));
    };
    Ok(Evidence::new("no signal can overflow, whatever the source words")
        .line(format!("one bit lower: {first}")))
}

fn answers(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let (impulses, step) = rig::impulses_and_step();
    int(&a, "impulse", fir(&impulses, &LAB4, LSB)[0].into(), "amplitude")?;
    int(&a, "step", fir(&step, &LAB4, LSB)[TAPS].into(), "amplitude")?;
    let lowest = fir(&[i16::MIN; TAPS], &LAB4, LSB)[TAPS - 1].unsigned_abs();
    int(&a, "largest", lowest.into(), "largest")?;
    float(&a, "used_percent", 100.0 * f64::from(lowest) / 32768.0, 0.05, "share")?;
    flag(&a, "can_overflow", false, "sum")?;
    flag(&a, "one_bit_lower", true, "sum")?;
    Ok(Evidence::new("the numbers are right"))
}
