//! Checks of exercise 4.0: the given example, run and read.

use grading::{Answers, Check, Evidence, Exercise, Finding, Outcome, Trial, design, expect};
use hdl::estimate::{Device, Estimate, Multipliers};
use rand::RngExt;
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
        ("ms", "cycles divided by the clocks of a millisecond: 50 000 at 50 MHz"),
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

/// The answers, the student's own clock rate in MHz, and an odd negative word.
fn own(t: &Trial) -> Result<(Answers, u32, i16), Finding> {
    let a = t.answers(ANSWERS)?;
    let mut rng = a.own()?;
    let (mhz, word) = (rng.random_range(60..140), -2 * rng.random_range(50..5000) - 1);
    Ok((a.about(format!("{mhz} MHz, word {word}")), mhz, word))
}

/// Runs the example with the switch and `first` as word 0; the result must be what the model says,
/// or the course is broken.
fn example(t: &Trial, switch: i64, first: i16) -> Result<hdl::board::Run, Finding> {
    let block = t.design("e4_0.fpgatop", &json!({}))?;
    let mut fpga = design::board(&block)?;
    fpga.set("SW0", switch).map_err(|e| Finding::grader(e.to_string()))?;
    let mut words = rig::random_words(&mut t.rng());
    (words[0], words[1]) = (first, i16::MIN);
    let run = design::run(&mut fpga, &numbers(&words))?;
    let want: Vec<i16> = match switch {
        0 => words.iter().map(|w| w >> 1).collect(),
        _ => words.iter().map(|w| w.wrapping_neg()).collect(),
    };
    expect::eq("fpgatop", &run.y, &want)?;
    Ok(run)
}

fn run(t: &Trial) -> Outcome {
    let (a, mhz, word) = own(t)?;
    let seen = example(t, 0, word)?;
    a.is_int("cycles", seen.cycles as i64, "pulse")?;
    a.is_near("cycles_per_word", seen.cycles_per_word, 0.0005, "pulse")?;
    let ms = seen.cycles as f64 / f64::from(1000 * mhz);
    a.is_near("net_ms", ms, 0.000_01, "ms")?;
    Ok(Evidence::new(format!("{} cycles, {ms:.5} ms at {mhz} MHz", seen.cycles)))
}

fn arithmetic(t: &Trial) -> Outcome {
    let (a, _, word) = own(t)?;
    let (half, negative) = (example(t, 0, word)?, example(t, 1, word)?);
    a.is_int("half", half.y[0].into(), "floor")?;
    a.is_int("negative_of_smallest", negative.y[1].into(), "wrap")?;
    Ok(Evidence::new(format!("{word} becomes {}, -32768 becomes {}", half.y[0], negative.y[1])))
}

fn cost(t: &Trial) -> Outcome {
    let block = t.design("e4_0.fpgatop", &json!({}))?;
    let count = Estimate::new(&block, &Device::XC3S700A, Multipliers::Blocks).total;
    t.answers(ANSWERS)?.is_int("flip_flops", count.ffs.into(), "bits")?;
    Ok(Evidence::new(format!("{} flip-flops, about {} LUTs", count.ffs, count.luts)))
}
