//! Checks of exercise 4.0: the given example, run and read.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, design, expect};
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

/// Runs the example with the switch; the result must be what the model says, or the course is
/// broken.
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
    a.is_int("cycles", seen.cycles as i64, "pulse")?;
    a.is_near("cycles_per_word", seen.cycles_per_word, 0.0005, "pulse")?;
    a.is_near("net_ms", seen.ms, 0.000_005, "ms")?;
    Ok(Evidence::new(format!("{} cycles, {:.5} ms at 50 MHz", seen.cycles, seen.ms)))
}

fn arithmetic(t: &Trial) -> Outcome {
    let (half, negative) = (example(t, 0)?, example(t, 1)?);
    let a = t.answers(ANSWERS)?;
    a.is_int("half_of_minus_7", half.y[0].into(), "floor")?;
    a.is_int("negative_of_smallest", negative.y[1].into(), "wrap")?;
    Ok(Evidence::new(format!("-7 becomes {}, -32768 becomes {}", half.y[0], negative.y[1])))
}

fn cost(t: &Trial) -> Outcome {
    let block = t.design("e4_0.fpgatop", &json!({}))?;
    let count = Estimate::new(&block, &Device::XC3S700A, Multipliers::Blocks).total;
    t.answers(ANSWERS)?.is_int("flip_flops", count.ffs.into(), "bits")?;
    Ok(Evidence::new(format!("{} flip-flops, about {} LUTs", count.ffs, count.luts)))
}
