//! Checks of exercise 4.4: constant coefficients in logic cells.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect};
use hdl::Block;
use serde_json::json;

use crate::e4_0::{int, words};
use crate::e4_2::LSB;
use crate::model::{LAB4, LAB5, TAPS};
use crate::rig;

const ANSWERS: &str = "answers/e4_4.toml";

/// Lowest bit of the result with the coefficients of lab 5: bits 32..17.
pub const LSB5: u32 = 17;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L4-4.4",
    key: "e4_4",
    title: "Multiplication in logic cells",
    points: 10,
    files: &["src/e4_4.rs", ANSWERS],
    todo: "Choose the style in src/e4_4.rs, build both filters, and answer the questions in answers/e4_4.toml.",
    hints: &[
        ("style", "ImplStyle::PipeLut"),
        (
            "report",
            "read the LUT column of `fpga build fir1_lut` and `fpga build fir1_lut_lab5`, line `total`",
        ),
        (
            "fit",
            "what the communication block leaves of the chip, divided by what a filter takes; the smallest quotient counts",
        ),
        (
            "owed",
            "a product with a power of two is a row of wires; compare both sets of coefficients",
        ),
        ("x", "the numbers must be those of exercise 4.3"),
    ],
    checks: &[
        Check {
            name: "style",
            what: "no multiplier block, the same numbers, and the price of the constants",
            weight: 2,
            run: style,
        },
        Check { name: "answers", what: "costs and how many filters fit", weight: 3, run: answers },
    ],
};

/// The design with these coefficients.
pub fn fir1(t: &Trial, b: &[i64; TAPS], lsb: u32) -> Result<Block, Finding> {
    t.design("e4_4.fir1", &json!({ "coefficients": b, "lsb": lsb }))
}

fn style(t: &Trial) -> Outcome {
    let source = rig::random_words(&mut t.rng());
    let mut costs = Vec::new();
    for (b, lsb) in [(LAB4, LSB), (LAB5, LSB5)] {
        let block = fir1(t, &b, lsb)?;
        let cost = rig::cost(&block);
        expect::that(cost.multipliers == 0, || {
            format!("the filter takes {} multiplier blocks", cost.multipliers)
        })
        .map_err(|f| f.hint("style"))?;
        rig::filtered("y", &rig::run(&block, &source)?.y, &source, &b, lsb)?;
        costs.push(cost.luts);
    }
    expect::that(costs[0] < costs[1], || {
        format!("powers of two cost {} LUTs, other constants {}", costs[0], costs[1])
    })?;
    Ok(Evidence::new(format!(
        "no multiplier block; powers of two: {} LUTs, the coefficients of lab 5: {} LUTs",
        costs[0], costs[1]
    )))
}

fn answers(t: &Trial) -> Outcome {
    let cheap = rig::cost(&fir1(t, &LAB4, LSB)?);
    let dear = rig::cost(&fir1(t, &LAB5, LSB5)?);
    let a = t.answers(ANSWERS)?;
    int(&a, "luts_lab4", cheap.luts.into(), "report")?;
    int(&a, "luts_lab5", dear.luts.into(), "report")?;
    int(&a, "multiplier_blocks", 0, "style")?;
    let ((many, _), (few, limit)) = (rig::fits(cheap), rig::fits(dear));
    int(&a, "fit_lab4", many.into(), "fit")?;
    int(&a, "fit_lab5", few.into(), "fit")?;
    words(&a, "limit", limit, "fit")?;
    words(&a, "owed_to", "constants", "owed")?;
    Ok(Evidence::new(format!("{many} filters fit with powers of two, {few} with other constants")))
}
