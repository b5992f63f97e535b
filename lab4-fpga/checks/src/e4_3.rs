//! Checks of exercise 4.3: one word per clock.

use grading::{Check, Class, Evidence, Exercise, Finding, Outcome, Trial, design, expect};
use hdl::Block;
use rand::RngExt;
use serde_json::{Value, json};

use crate::e4_1::{datapath, ports};
use crate::e4_2::LSB;
use crate::model::{LAB4, TAPS, numbers};
use crate::rig;

const ANSWERS: &str = "answers/e4_3.toml";

/// Longest latency that a design may declare.
const LONGEST: u64 = 16;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L4-4.3",
    key: "e4_3",
    title: "One word per clock",
    points: 20,
    files: &["src/e4_3.rs", ANSWERS],
    todo: "Write fir1 with a pipeline that takes and stores a word in every clock, and its \
        latency, in src/e4_3.rs.",
    hints: &[
        rig::TABLE,
        (
            "ports",
            "the board's ports and no other: START_PROC, SRC_DATA in; RESULT_DATA, SRC_RD, \
             RESULT_WR, PROC_WORKING out",
        ),
        rig::REFUSED,
        (
            "mult",
            "each product is an instance of the block `mult`: use sum_of_products of exercise 4.1",
        ),
        ("tree", "use sum_of_products of exercise 4.1: pairs 33, quads 34, total 35 bits"),
        (
            "late",
            "the chain of valid bits must be as long as the pipeline: one clock for x1, and those \
             of the multiplier",
        ),
        ("style", "the latency of the multiplier is style.latency(), not 1"),
        ("twice", "the delay line moves only in the clocks in which a word is taken"),
        (
            "clock",
            "a word in every clock: SRC_RD stays high from the first word to the last, and the \
             line moves each time",
        ),
        ("latency", "latency = total cycles - 1024: the start pulse, x1, and the multiplier"),
        (
            "busy",
            "PROC_WORKING falls after the last result is stored, not after the last word is taken",
        ),
        ("end", "1024 words: the last one is that with the counter at 1023"),
        ("idle", "after the last result the machine must wait for the next START_PROC"),
        ("slice", "the result is total.slice(lsb + 15, lsb)"),
        rig::CUT,
        rig::LOST,
        rig::SKIPPED,
        ("order", "x1 is the newest sample and goes with b1"),
        ("x", "the numbers must be those of exercise 4.1 with the same bits"),
        ("cycles", "1024 clocks and the latency"),
        (
            "operations",
            "eight multiplications and seven additions, all in the same clock, 50 million times a \
             second",
        ),
        ("blocks", "20 blocks, eight for each filter"),
    ],
    checks: &[
        Check {
            name: "structure",
            what: "ports, multipliers and the adder tree",
            weight: 1,
            run: structure,
        },
        Check {
            name: "cycles",
            what: "1024 cycles and the declared latency",
            weight: 2,
            run: cycles,
        },
        Check {
            name: "same",
            what: "the numbers of exercise 4.1, in both styles",
            weight: 3,
            run: same,
        },
        Check { name: "again", what: "a second run without switching off", weight: 1, run: again },
        Check {
            name: "answers",
            what: "operations, and how many filters fit",
            weight: 1,
            run: answers,
        },
    ],
};

/// The design and its declared latency.
fn fir1(t: &Trial, b: &[i64; TAPS], lsb: u32, style: &str) -> Result<(Block, u64), Finding> {
    let args = json!({ "coefficients": b, "lsb": lsb, "style": style });
    let (block, value): (Block, Value) = t.design_and("e4_3.fir1", &args).map_err(rig::refused)?;
    Ok((block, value["latency"].as_u64().unwrap_or(u64::MAX)))
}

fn structure(t: &Trial) -> Outcome {
    let (block, _) = fir1(t, &LAB4, LSB, "block")?;
    ports(&block)?;
    datapath(&block)?;
    let (logic, _) = fir1(t, &LAB4, LSB, "pipe_lut")?;
    datapath(&logic)?;
    Ok(Evidence::new("8 mult16x16, sums of 33, 34 and 35 bits").drawing(hdl::timing(
        &block,
        &hdl::stimulus::pulses(64, 16, 32767.0),
        14,
    )))
}

/// A run takes as many cycles as are declared: a word per clock.
fn a_word_per_clock(run: &hdl::board::Run, latency: u64, style: &str) -> Result<(), Finding> {
    expect::that(latency <= LONGEST && run.cycles == 1024 + latency, || {
        format!(
            "style {style}: counted {} cycles, but 1024 + latency is 1024 + {latency}",
            run.cycles
        )
    })
    .map_err(|f| f.hint(if run.cycles > 2048 { "clock" } else { "latency" }))
}

fn cycles(t: &Trial) -> Outcome {
    let mut seen = Evidence::default();
    for style in ["block", "pipe_lut"] {
        let (block, latency) = fir1(t, &LAB4, LSB, style)?;
        let x = hdl::stimulus::pulses(1024, 16, 32767.0);
        let run = design::run(&mut design::board(&block)?, &x).map_err(|f| {
            // A run that ends too early lost its last words, one that does not end waits for a word
            // that never comes.
            let hint = if f.class == Class::Time { "end" } else { "busy" };
            f.hint(hint)
        })?;
        a_word_per_clock(&run, latency, style)?;
        seen = seen.line(format!("{style}: {} cycles, latency {latency}", run.cycles));
    }
    Ok(seen)
}

fn same(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let source = rig::random_words(&mut rng);
    let mut seen = Evidence::default();
    for style in ["block", "pipe_lut"] {
        let b: [i64; TAPS] = std::array::from_fn(|_| rng.random::<i16>().into());
        for (b, lsb) in [(LAB4, LSB), (b, rng.random_range(14..19))] {
            let (block, latency) = fir1(t, &b, lsb, style)?;
            let run = rig::run(&block, &source)?;
            if run.cycles > 2048 {
                a_word_per_clock(&run, latency, style)?;
            }
            let y = run.y;
            let what = format!("y (style {style}, bits {lsb} up)");
            seen =
                seen.and(rig::filtered(&what, &y, &source, &b, lsb).map_err(|f| match style {
                    "pipe_lut" => f.hint("style"),
                    _ => f,
                })?);
        }
    }
    Ok(seen)
}

fn again(t: &Trial) -> Outcome {
    let (block, latency) = fir1(t, &LAB4, LSB, "block")?;
    let mut fpga = design::board(&block)?;
    let source = rig::random_words(&mut t.rng());
    let first = design::run(&mut fpga, &numbers(&source))?;
    if first.cycles > 2048 {
        a_word_per_clock(&first, latency, "block")?;
    }
    let second = design::run(&mut fpga, &numbers(&source)).map_err(|f| f.hint("idle"))?;
    expect::that(first.cycles == second.cycles, || {
        format!("the first run takes {} cycles, the second {}", first.cycles, second.cycles)
    })
    .map_err(|f| f.hint("idle"))?;
    // The delay line still holds words of the first run.
    expect::eq("y of the second run from word 8 on", &second.y[TAPS..], &first.y[TAPS..])
        .map_err(|f| f.hint("idle"))
}

fn answers(t: &Trial) -> Outcome {
    let (block, latency) = fir1(t, &LAB4, LSB, "block")?;
    let a = t.answers(ANSWERS)?;
    a.is_int("cycles", 1024 + latency as i64, "cycles")?;
    a.is_int("operations_per_clock", 15, "operations")?;
    a.is_int("million_per_second", 750, "operations")?;
    let (fit, limit) = rig::fits(rig::cost(&block));
    a.is_int("filters_that_fit", fit.into(), "blocks")?;
    a.is_among("limit", &rig::PARTS)?;
    a.choices(&[("limit", limit)], "blocks")?;
    a.is_int("slices", rig::slices(&block).into(), "table")?;
    a.is_int("words_per_clock", 2, "blocks")?;
    Ok(Evidence::new(format!("{fit} filters fit, limited by {limit}")))
}
