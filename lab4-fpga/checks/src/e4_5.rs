//! Checks of exercise 4.5: coefficients that come with the data.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect};
use hdl::Block;
use hdl::board::WORDS;
use rand::RngExt;
use serde_json::json;

use crate::e4_1::{datapath, ports};
use crate::e4_2::LSB;
use crate::e4_4::LSB5;
use crate::model::{LAB4, LAB5, NEGATIVE, TAPS, fir};
use crate::rig;

const ANSWERS: &str = "answers/e4_5.toml";

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L4-4.5",
    key: "e4_5",
    title: "Variable coefficients",
    points: 20,
    files: &["src/e4_5.rs", ANSWERS],
    todo: "Write fir1 with coefficient registers that take the first eight words in src/e4_5.rs.",
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
            "style",
            "hand the parameter `style` to mult16x16, and its latency to the chain of valid bits",
        ),
        (
            "read_late",
            "SRC_RD rises one clock late: word 0 is read twice, and c1 and c2 are the same",
        ),
        ("index", "c1 is word 0, c2 is word 1, ..., c8 is word 7"),
        ("sign", "coefficients are signed words of 16 bits: bit 15 is their sign"),
        ("late", "the chain of valid bits must be as long as the pipeline"),
        ("slice", "the result is total.slice(lsb + 15, lsb)"),
        rig::CUT,
        rig::LOST,
        rig::SKIPPED,
        ("order", "x1 is the newest sample and goes with c1"),
        ("x", "the first eight words are c1 to c8, and go through the delay line as well"),
        ("report", "read the LUT column of `fpga build fir1_var_lut`, line `total`"),
        ("fit", "what the communication block leaves of the chip, divided by what a filter takes"),
        (
            "sum",
            "compare sum|b| with 32768: it is 32640 for the first set and 61440 for the second",
        ),
    ],
    checks: &[
        Check {
            name: "structure",
            what: "ports, multipliers and adders in both styles",
            weight: 1,
            run: structure,
        },
        Check {
            name: "programme",
            what: "the coefficients of the lab, loaded",
            weight: 2,
            run: programme,
        },
        Check { name: "negative", what: "negative coefficients", weight: 3, run: negative },
        Check { name: "random", what: "random coefficients and words", weight: 2, run: random },
        Check { name: "answers", what: "cost and overflow", weight: 2, run: answers },
    ],
};

fn fir1(t: &Trial, style: &str) -> Result<Block, Finding> {
    t.design("e4_5.fir1", &json!({ "lsb": LSB, "style": style })).map_err(rig::refused)
}

/// The coefficients, zeros, and words at full height: 15 to 31, then 47, 63, ...
pub fn programme_of(b: &[i64; TAPS]) -> Vec<i16> {
    let mut source = vec![0i16; WORDS];
    for (word, &b) in source.iter_mut().zip(b) {
        *word = b as i16;
    }
    source[15..32].fill(i16::MAX);
    (47..WORDS).step_by(16).for_each(|n| source[n] = i16::MAX);
    source
}

/// The result for these source words, of which the first eight are the coefficients.
pub fn programmed(what: &str, got: &[i16], source: &[i16]) -> Outcome {
    let first = |words: &[i16]| -> [i64; TAPS] { std::array::from_fn(|i| words[i].into()) };
    let b = first(source);
    rig::filtered(what, got, source, &b, LSB).map_err(|finding| {
        let twice: Vec<i16> =
            [source[0]].into_iter().chain(source.iter().copied()).take(WORDS).collect();
        // An index that is one too high leaves c1 or c8 empty.
        let shifted = |by: usize| -> [i64; TAPS] {
            std::array::from_fn(|i| if i < by { 0 } else { source[i - by].into() })
        };
        let ahead: [i64; TAPS] = std::array::from_fn(|i| source[i + 1].into());
        let unsigned: [i64; TAPS] = std::array::from_fn(|i| i64::from(source[i] & 0x7fff));
        let is = |words: &[i16], b: &[i64; TAPS]| got[TAPS..] == fir(words, b, LSB)[TAPS..];
        if is(&twice, &first(&twice)) {
            finding.hint("read_late")
        } else if is(source, &ahead) || is(source, &shifted(1)) {
            finding.hint("index")
        } else if is(source, &unsigned) {
            finding.hint("sign")
        } else {
            finding
        }
    })
}

fn structure(t: &Trial) -> Outcome {
    for (style, blocks) in [("block", 8), ("pipe_lut", 0)] {
        let block = fir1(t, style)?;
        ports(&block)?;
        datapath(&block)?;
        let found = rig::cost(&block).multipliers;
        expect::that(found == blocks, || {
            format!("style {style}: expected {blocks} multiplier blocks, found {found}")
        })
        .map_err(|f| f.hint("style"))?;
    }
    Ok(Evidence::new("8 mult16x16 in the style that is asked for"))
}

fn with(t: &Trial, b: &[i64; TAPS]) -> Outcome {
    let source = programme_of(b);
    let mut seen = Evidence::default();
    for style in ["block", "pipe_lut"] {
        let y = rig::run(&fir1(t, style)?, &source)?.y;
        seen = seen.and(programmed(&format!("y (style {style})"), &y, &source)?);
    }
    Ok(seen)
}

fn programme(t: &Trial) -> Outcome {
    let block = fir1(t, "block")?;
    let x = crate::model::numbers(&programme_of(&LAB4));
    Ok(with(t, &LAB4)?.drawing(hdl::timing(&block, &x, 14)))
}

fn negative(t: &Trial) -> Outcome {
    with(t, &NEGATIVE)
}

fn random(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut source = rig::random_words(&mut rng);
    source[0] = rng.random_range(1..i16::MAX);
    let y = rig::run(&fir1(t, "block")?, &source)?.y;
    programmed("y", &y, &source)
}

fn answers(t: &Trial) -> Outcome {
    let cost = rig::cost(&fir1(t, "pipe_lut")?);
    let a = t.answers(ANSWERS)?;
    a.is_int("luts", cost.luts.into(), "report")?;
    let constant = t.design("e4_4.fir1", &json!({ "coefficients": LAB5, "lsb": LSB5 }))?;
    let times = f64::from(cost.luts) / f64::from(rig::cost(&constant).luts.max(1));
    a.is_near("times_constant", times, 0.06, "table")?;
    let (fit, limit) = rig::fits(cost);
    a.is_int("filters_that_fit", fit.into(), "fit")?;
    a.is_among("limit", &rig::PARTS)?;
    a.choices(&[("limit", limit)], "fit")?;
    let overflows = |b: &[i64; TAPS]| b.iter().map(|b| b.abs()).sum::<i64>() > 1 << 15;
    let [first, second] = [&LAB4, &NEGATIVE].map(|b| overflows(b).to_string());
    a.choices(&[("overflow_first", &first), ("overflow_second", &second)], "sum")?;
    Ok(Evidence::new(format!("{} LUTs: {fit} fits, limited by {limit}", cost.luts)))
}
