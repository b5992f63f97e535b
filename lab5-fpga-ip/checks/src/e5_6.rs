//! Checks of exercise 5.6: what a core remembers.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, design};
use ipcores::fir::{Fir, mac, top};
use rand::RngExt;

const ANSWERS: &str = "answers/e5_6.toml";

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L5-5.6",
    key: "e5_6",
    title: "Start-up: what the core remembers",
    points: 5,
    files: &[ANSWERS],
    todo: "Predict in answers/e5_6.toml what a second run begins with.",
    hints: &[
        ("taps", "a result needs as many samples as there are taps: all but the newest may be old"),
        ("word", "(h2 + h3 + ... + h8) times H, and then bits 32 to 17"),
        ("power", "after power-up all registers are 0, as in the first run"),
        (
            "startup",
            "the last of 1024 words is taken 1023 * 8 clocks after the first, and its result comes \
             the latency later; two clocks more are the start pulse and the last word's storing",
        ),
    ],
    checks: &[Check { name: "answers", what: "predicted, and run", weight: 1, run: answers }],
};

fn answers(t: &Trial) -> Outcome {
    // The given filter stands for all: the exercise is about what they have in common.
    let fir = Fir::lab5();
    let grader = |e: String| Finding::grader(e);
    let core = mac(&fir).map_err(|e| grader(e.to_string()))?;
    let block = top(&core.block, 17).map_err(|e| grader(e.to_string()))?;
    let mut fpga = design::board(&block)?;
    let a = t.answers(ANSWERS)?;
    let height = a.own()?.random_range(20_000..32_000);
    let a = a.about(format!("H = {height}"));
    let (full, zero) = (vec![f64::from(height); 1024], vec![0.0; 1024]);
    let first = design::run(&mut fpga, &full)?;
    let second = design::run(&mut fpga, &zero)?;
    fpga.power_cycle();
    let third = design::run(&mut fpga, &zero)?;
    let old = second.y.iter().zip(&third.y).filter(|(a, b)| a != b).count() as i64;

    a.is_int("old_words", old, "taps")?;
    a.is_int("first_word", second.y[0].into(), "word")?;
    a.is_int("zeros_to_feed", i64::from(fir.taps()) - 1, "taps")?;
    a.is_int("after_power_cycle", third.y[0].into(), "power")?;
    let startup = first.cycles as i64 - 1024 * i64::from(core.period);
    a.is_int("startup_clocks", startup, "startup")?;
    Ok(Evidence::new(format!("the second run begins with {:?}", &second.y[..8])))
}
