//! Checks of exercise 4.6: variable coefficients in multiplier blocks.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect};
use hdl::Block;
use serde_json::json;

use crate::e4_0::{int, words};
use crate::e4_2::LSB;
use crate::e4_5::{programme_of, programmed};
use crate::model::NEGATIVE;
use crate::rig;

const ANSWERS: &str = "answers/e4_6.toml";

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L4-4.6",
    key: "e4_6",
    title: "Variable coefficients in blocks",
    points: 10,
    files: &["src/e4_6.rs", ANSWERS],
    todo: "Choose the style in src/e4_6.rs, build the filter, and answer the questions in answers/e4_6.toml.",
    hints: &[
        ("style", "ImplStyle::Block"),
        ("report", "read the line `total` of `fpga build fir1_var_block`"),
        ("fit", "20 blocks, eight for each filter"),
        ("choice", "wires cost nothing, and blocks that nobody else needs neither"),
        ("x", "the numbers must be those of exercise 4.5"),
    ],
    checks: &[
        Check {
            name: "style",
            what: "eight blocks, the same numbers, less than a fifth of the LUTs",
            weight: 2,
            run: style,
        },
        Check { name: "answers", what: "costs, and when to take what", weight: 3, run: answers },
    ],
};

/// The design in the student's style.
pub fn fir1(t: &Trial) -> Result<Block, Finding> {
    t.design("e4_6.fir1", &json!({ "lsb": LSB }))
}

fn style(t: &Trial) -> Outcome {
    let block = fir1(t)?;
    let cost = rig::cost(&block);
    expect::that(cost.multipliers == 8, || {
        format!("expected 8 multiplier blocks, found {}", cost.multipliers)
    })
    .map_err(|f| f.hint("style"))?;
    let logic = rig::cost(&t.design("e4_5.fir1", &json!({ "lsb": LSB, "style": "pipe_lut" }))?);
    expect::that(5 * cost.luts < logic.luts, || {
        format!("{} LUTs in blocks, {} in logic", cost.luts, logic.luts)
    })
    .map_err(|f| f.hint("style"))?;
    let source = programme_of(&NEGATIVE);
    programmed("y", &rig::run(&block, &source)?.y, &source)?;
    Ok(Evidence::new(format!("8 blocks and {} LUTs, in logic {} LUTs", cost.luts, logic.luts)))
}

fn answers(t: &Trial) -> Outcome {
    let cost = rig::cost(&fir1(t)?);
    let a = t.answers(ANSWERS)?;
    int(&a, "luts", cost.luts.into(), "report")?;
    int(&a, "multiplier_blocks", cost.multipliers.into(), "report")?;
    let (fit, limit) = rig::fits(cost);
    int(&a, "filters_that_fit", fit.into(), "fit")?;
    words(&a, "limit", limit, "fit")?;
    words(&a, "constant_powers", "logic", "choice")?;
    words(&a, "variable_spare_blocks", "blocks", "choice")?;
    Ok(Evidence::new(format!("{fit} filters fit, limited by {limit}")))
}
