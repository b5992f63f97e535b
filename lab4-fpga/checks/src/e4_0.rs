//! Checks of exercise 4.0: the given example, run and read.

use grading::{Answers, Check, Evidence, Exercise, Finding, Outcome, Trial, design, expect};
use hdl::estimate::{Device, Estimate, Multipliers};
use serde_json::json;

use crate::model::numbers;
use crate::rig;

const ANSWERS: &str = "answers/e4_0.toml";

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L4-4.0",
    key: "e4_0",
    title: "The example fpgatop",
    points: 5,
    files: &[ANSWERS],
    todo: "Run the example and write what you see into answers/e4_0.toml.",
    hints: &[
        ("pulse", "the clock of the start pulse counts: 1 + 3 * 1024"),
        ("ms", "cycles divided by 50 000 clocks per millisecond"),
        ("floor", "an arithmetic shift rounds toward minus infinity: -7 becomes -4"),
        ("wrap", "16 bits end at 32767: 0 - (-32768) wraps to -32768"),
        ("bits", "state 2 + result 16 + read 1 + write 1 + working 1 + cnt_data 10"),
    ],
    checks: &[
        Check { name: "run", what: "cycles and time of a run", weight: 2, run },
        Check {
            name: "arithmetic",
            what: "what the words become, with the extremes",
            weight: 2,
            run: arithmetic,
        },
        Check { name: "cost", what: "flip-flops of the design", weight: 1, run: cost },
    ],
};

/// A whole number that must be `want`.
pub fn int(a: &Answers, key: &str, want: i64, hint: &str) -> Result<(), Finding> {
    let got = a.int(key)?;
    expect::that(got == want, || format!("{key}: {got} is not right")).map_err(|f| f.hint(hint))
}

/// A number that must be within `tolerance` of `want`.
pub fn float(a: &Answers, key: &str, want: f64, tolerance: f64, hint: &str) -> Result<(), Finding> {
    let got = a.float(key)?;
    expect::that((got - want).abs() <= tolerance, || format!("{key}: {got} is not right"))
        .map_err(|f| f.hint(hint))
}

/// A word or two that must be `want`, whatever their case.
pub fn words(a: &Answers, key: &str, want: &str, hint: &str) -> Result<(), Finding> {
    let got = a.text(key)?;
    expect::that(got.eq_ignore_ascii_case(want), || format!("{key}: {got:?} is not right"))
        .map_err(|f| f.hint(hint))
}

/// True or false.
pub fn flag(a: &Answers, key: &str, want: bool, hint: &str) -> Result<(), Finding> {
    let got = a.flag(key)?;
    expect::that(got == want, || format!("{key}: {got} is not right")).map_err(|f| f.hint(hint))
}

/// Runs the example with the switch; the result must be what the model says, or the course is broken.
fn example(t: &Trial, switch: i64) -> Result<hdl::board::Run, Finding> {
    let block = t.design("e4_0.fpgatop", &json!({}))?;
    let mut fpga = design::board(&block)?;
    fpga.set("SW0", switch).map_err(|e| Finding::grader(e.to_string()))?;
    let mut words = rig::random_words(&mut t.rng());
    (words[0], words[1]) = (-7, i16::MIN);
    let run = design::run(&mut fpga, &numbers(&words))?;
    let want: Vec<i16> = match switch {
        0 => words.iter().map(|w| w >> 1).collect(),
        _ => words.iter().map(|w| w.wrapping_neg()).collect(),
    };
    expect::eq("fpgatop", &run.y, &want)?;
    Ok(run)
}

fn run(t: &Trial) -> Outcome {
    let seen = example(t, 0)?;
    let a = t.answers(ANSWERS)?;
    int(&a, "cycles", seen.cycles as i64, "pulse")?;
    float(&a, "cycles_per_word", seen.cycles_per_word, 0.0005, "pulse")?;
    float(&a, "net_ms", seen.ms, 0.000_005, "ms")?;
    Ok(Evidence::new(format!("{} cycles, {:.5} ms at 50 MHz", seen.cycles, seen.ms)))
}

fn arithmetic(t: &Trial) -> Outcome {
    let (half, negative) = (example(t, 0)?, example(t, 1)?);
    let a = t.answers(ANSWERS)?;
    int(&a, "half_of_minus_7", half.y[0].into(), "floor")?;
    int(&a, "negative_of_smallest", negative.y[1].into(), "wrap")?;
    Ok(Evidence::new(format!("-7 becomes {}, -32768 becomes {}", half.y[0], negative.y[1])))
}

fn cost(t: &Trial) -> Outcome {
    let block = t.design("e4_0.fpgatop", &json!({}))?;
    let count = Estimate::new(&block, &Device::XC3S700A, Multipliers::Blocks).total;
    int(&t.answers(ANSWERS)?, "flip_flops", count.ffs.into(), "bits")?;
    Ok(Evidence::new(format!("{} flip-flops, about {} LUTs", count.ffs, count.luts)))
}
