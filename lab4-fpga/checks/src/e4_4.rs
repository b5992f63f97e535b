//! Checks of exercise 4.4: constant coefficients in logic cells.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect, trace};
use hdl::Block;
use rand::RngExt;
use serde_json::json;

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
    todo: "Choose the style and write digits in src/e4_4.rs, build both filters, and answer the \
        questions in answers/e4_4.toml.",
    hints: &[
        ("style", "ImplStyle::PipeLut"),
        (
            "report",
            "read the LUT column of `fpga build fir1_lut` and `fpga build fir1_lut_lab5`, line \
             `total`",
        ),
        (
            "fit",
            "what the communication block leaves of the chip, divided by what a filter takes; the \
             smallest quotient counts",
        ),
        (
            "owed",
            "a product with a power of two is one term, a row of wires; let your `digits` count \
             those of lab 5's coefficients",
        ),
        ("terms", "the terms must add up to b: (1, k) is 2^k, (-1, k) is -2^k"),
        (
            "runs",
            "a run of ones is two terms: 0111b = 7 = 8 - 1; go through b from bit 0, look at two \
             bits at a time",
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
        Check {
            name: "digits",
            what: "products with constants by the fewest additions",
            weight: 13,
            run: digits,
        },
        Check { name: "answers", what: "costs and how many filters fit", weight: 5, run: answers },
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

/// Terms that `b` takes at least: the digits other than 0 of its canonical signed-digit form, which
/// are those in which |b| and 3 |b| differ.
fn fewest(b: i64) -> usize {
    let b = b.unsigned_abs();
    ((3 * b) ^ b).count_ones() as usize
}

fn digits(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut numbers = vec![0, 1, -1, 3, 7, -15, 11, 16383, 14335, -32768, 32767, 21845, 23];
    numbers.extend((0..200).map(|_| rng.random_range(-32768..=32767)));
    let found: Vec<Vec<(i64, u32)>> = trace::value(&t.call("e4_4.digits", &json!(numbers))?)?;
    expect::that(found.len() == numbers.len(), || "not all numbers have an answer".into())?;
    for (b, terms) in numbers.iter().zip(&found) {
        let sum: i128 = terms.iter().map(|(d, k)| i128::from(*d) << (*k).min(60)).sum();
        let signs = terms.iter().all(|(d, k)| d.abs() == 1 && *k < 60);
        expect::that(signs && sum == i128::from(*b), || {
            format!("digits({b}) = {terms:?}, which makes {sum}")
        })
        .map_err(|f| f.hint("terms"))?;
        expect::that(terms.len() == fewest(*b), || {
            format!("digits({b}) has {} terms, and there is a way with fewer", terms.len())
        })
        .map_err(|f| f.hint("runs"))?;
    }
    Ok(Evidence::new(format!("{} numbers, each by the fewest terms", numbers.len())))
}

fn answers(t: &Trial) -> Outcome {
    let cheap = rig::cost(&fir1(t, &LAB4, LSB)?);
    let dear = rig::cost(&fir1(t, &LAB5, LSB5)?);
    let a = t.answers(ANSWERS)?;
    a.is_int("luts_lab4", cheap.luts.into(), "report")?;
    a.is_int("luts_lab5", dear.luts.into(), "report")?;
    a.is_int("multiplier_blocks", 0, "style")?;
    let ((many, _), (few, limit)) = (rig::fits(cheap), rig::fits(dear));
    a.is_int("fit_lab4", many.into(), "fit")?;
    a.is_int("fit_lab5", few.into(), "fit")?;
    a.is_int("terms_lab5", LAB5.map(fewest).iter().sum::<usize>() as i64, "owed")?;
    a.is_among("limit", &rig::PARTS)?;
    a.choices(&[("limit", limit)], "fit")?;
    Ok(Evidence::new(format!("{many} filters fit with powers of two, {few} with other constants")))
}
