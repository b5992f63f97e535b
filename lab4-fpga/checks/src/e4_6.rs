//! Checks of exercise 4.6: variable coefficients in multiplier blocks.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect, trace};
use hdl::Block;
use rand::RngExt;
use serde_json::json;

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
    todo: "Choose the style and write best_mix in src/e4_6.rs, build the filter, and answer the \
        questions in answers/e4_6.toml.",
    hints: &[
        rig::TABLE,
        ("style", "ImplStyle::Block"),
        ("report", "read the line `total` of `fpga build fir1_var_block`"),
        ("fit", "20 blocks, eight for each filter"),
        ("choice", "wires cost nothing, and blocks that nobody else needs neither"),
        (
            "mix",
            "for each number of filters in blocks: what is left, and how many in logic it holds; a \
             part that nobody needs limits nothing",
        ),
        ("x", "the numbers must be those of exercise 4.5"),
    ],
    checks: &[
        Check {
            name: "style",
            what: "eight blocks, the same numbers, less than a fifth of the LUTs",
            weight: 2,
            run: style,
        },
        Check {
            name: "mix",
            what: "the most filters, in blocks and in logic",
            weight: 13,
            run: mix,
        },
        Check { name: "answers", what: "costs, and when to take what", weight: 5, run: answers },
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

/// The truth, by trying.
fn most(left: [u32; 4], block: [u32; 4], logic: [u32; 4]) -> (u32, u32) {
    let fits = |b: u32, l: u32| (0..4).all(|k| b * block[k] + l * logic[k] <= left[k]);
    let mut best = (0, 0);
    let mut b = 0;
    while fits(b, 0) {
        let mut l = 0;
        while fits(b, l + 1) {
            l += 1;
        }
        if b + l >= best.0 + best.1 {
            best = (b, l);
        }
        b += 1;
    }
    best
}

fn mix(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    // LUTs, flip-flops, multiplier blocks, bits of memory: first this lab's filters on this lab's
    // chip.
    let mut cases = vec![
        ([11_241, 11_537, 20, 335_872], [408, 560, 8, 0], [6552, 2200, 0, 0]),
        ([100, 100, 8, 0], [101, 1, 8, 0], [1, 101, 0, 0]),
        ([1000, 1000, 20, 0], [10, 10, 1, 0], [10, 10, 0, 0]),
    ];
    for _ in 0..200 {
        let mut part = |low: u32, high: u32| rng.random_range(low..high);
        let left = [part(500, 12_000), part(500, 12_000), part(0, 40), part(0, 9000)];
        let block = [part(10, 900), part(10, 900), part(1, 12), part(0, 500)];
        cases.push((left, block, [part(200, 4000), part(50, 2000), 0, part(0, 500)]));
    }
    let found: Vec<(u32, u32)> = trace::value(&t.call("e4_6.mix", &json!(cases))?)?;
    expect::that(found.len() == cases.len(), || "not all cases have an answer".into())?;
    for ((left, block, logic), found) in cases.iter().zip(&found) {
        expect::that(*found == most(*left, *block, *logic), || {
            format!(
                "best_mix: {left:?} left, {block:?} with blocks, {logic:?} in logic: {found:?} \
                 is not the best"
            )
        })
        .map_err(|f| f.hint("mix"))?;
    }
    Ok(Evidence::new(format!("{} chips filled", cases.len())))
}

fn answers(t: &Trial) -> Outcome {
    let cost = rig::cost(&fir1(t)?);
    let a = t.answers(ANSWERS)?;
    a.is_int("luts", cost.luts.into(), "report")?;
    let logic = rig::cost(&t.design("e4_5.fir1", &json!({ "lsb": LSB, "style": "pipe_lut" }))?);
    let each = (f64::from(logic.luts) - f64::from(cost.luts)) / 8.0;
    a.is_near("luts_of_a_multiplier", each, 1.0, "table")?;
    a.is_int("multiplier_blocks", cost.multipliers.into(), "report")?;
    let (fit, limit) = rig::fits(cost);
    a.is_int("filters_that_fit", fit.into(), "fit")?;
    a.is_among("limit", &rig::PARTS)?;
    for key in ["constant_powers", "variable_spare_blocks"] {
        a.is_among(key, &["blocks", "logic"])?;
    }
    let choices =
        [("limit", limit), ("constant_powers", "logic"), ("variable_spare_blocks", "blocks")];
    a.choices(&choices, "choice")?;
    Ok(Evidence::new(format!("{fit} filters fit, limited by {limit}")))
}
