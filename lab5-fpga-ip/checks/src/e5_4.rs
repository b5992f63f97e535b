//! Checks of exercise 5.4: distributed arithmetic, bit by bit.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect, host};
use hdl::estimate::{Device, Estimate, Multipliers};
use hdl::inspect::Kind;
use ipcores::fir::{Fir, FirCore};
use rand::RngExt;
use serde_json::json;

use crate::fir;

const SERIAL: &str = "e5_4.serial";

/// LUTs that the tables and adders of lab 5's filter may take; with one table of 256 words they
/// take more.
const LUTS: u32 = 160;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L5-5.4",
    key: "e5_4",
    title: "Distributed arithmetic, one bit per clock",
    points: 15,
    files: &["src/e5_4.rs"],
    todo: "Write table, term and serial in src/e5_4.rs.",
    hints: &[
        ("words", "word 5 = 101 is the sum of the first and the third coefficient"),
        ("bits", "the first coefficient belongs to bit 0 of the address"),
        ("sign", "the bit with the sign weighs -2^(n-1): subtract its term"),
        (
            "first",
            "the first bit of a sample begins a new sum: nothing of the last result may be left in \
             it",
        ),
        ("low", "the bit that the halving drops is the next bit of the result"),
        (
            "clocks",
            "a sample has to wait for all bits of the one before; the result is one register \
             behind the last bit",
        ),
        ("mult", "there is no multiplication in distributed arithmetic"),
        (
            "split",
            "a table of 16 words per four taps, and adders: a table of 2^8 words is larger by far",
        ),
    ],
    checks: &[
        Check { name: "table", what: "sums of the chosen coefficients", weight: 3, run: table },
        Check { name: "serial", what: "every bit of random filters", weight: 6, run: serial },
        Check {
            name: "clocks",
            what: "16 clocks per sample, also on the board",
            weight: 3,
            run: clocks,
        },
        Check { name: "cost", what: "no multiplier, small tables", weight: 3, run: cost },
    ],
};

fn table(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    for taps in 1..=6 {
        let h = fir::numbers(&mut rng, 16, taps);
        let reply = t.call("e5_4.table", &json!({ "coefficients": h }))?;
        let got: Vec<i64> = serde_json::from_value(host::value(&reply)?.clone())
            .map_err(|e| Finding::grader(e.to_string()))?;
        let sum = |a: usize, bit: fn(usize, usize) -> usize| -> i64 {
            (0..taps).filter(|&k| a >> bit(k, taps) & 1 == 1).map(|k| h[k]).sum()
        };
        let want: Vec<i64> = (0..1 << taps).map(|a| sum(a, |k, _| k)).collect();
        let reversed: Vec<i64> = (0..1 << taps).map(|a| sum(a, |k, taps| taps - 1 - k)).collect();
        let hint = if got == reversed { "bits" } else { "words" };
        expect::eq(&format!("table({h:?})"), &got, &want).map_err(|f| f.hint(hint))?;
    }
    Ok(Evidence::new("tables of 2 to 64 words"))
}

fn serial(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut cases = vec![Fir::lab5()];
    for _ in 0..5 {
        let taps = rng.random_range(2..=16);
        cases.push(fir::random_filter(&mut rng, taps)?);
    }
    for f in cases {
        let core = fir::filter(t, SERIAL, &f, None)?;
        no_products(&core)?;
        let x = fir::numbers(&mut rng, f.data_bits(), 30);
        let run = fir::run(&core, &x, || true)?;
        fir::exact("dout", &f, &x, &run, |got, _| why(&f, &x, got))?;
        let run = fir::run(&core, &x, || rng.random())?;
        fir::exact("dout with pauses", &f, &x, &run, |_, _| "clocks")?;
    }
    Ok(Evidence::new("six filters of 2 to 16 taps, -2^(n-1) among the samples: every bit"))
}

/// Distributed arithmetic multiplies nothing.
pub fn no_products(core: &FirCore) -> Result<(), Finding> {
    let products = core.block.operations().iter().filter(|o| o.kind == Kind::Product).count();
    expect::that(products == 0, || format!("{products} multiplications"))
        .map_err(|f| f.hint("mult"))
}

/// The mistake that makes these results.
pub fn why(f: &Fir, x: &[i64], got: &[i64]) -> &'static str {
    // The samples with their sign bits taken as positive.
    let unsigned: Vec<i64> = x.iter().map(|v| v & ((1 << f.data_bits()) - 1)).collect();
    let wrap = hdl::signed(f.width());
    let plain: Vec<i64> = f.reference(&unsigned).into_iter().map(|y| wrap.wrap(y)).collect();
    let want = f.reference(x);
    if got == plain {
        "sign"
    } else if got.len() == want.len()
        && got.iter().zip(&want).all(|(g, w)| (g ^ w) >> (f.data_bits() - 1) == 0)
    {
        "low"
    } else if fir::shifted(got, &want) {
        "clocks"
    } else {
        "first"
    }
}

fn clocks(t: &Trial) -> Outcome {
    let f = Fir::lab5();
    let core = fir::filter(t, SERIAL, &f, None)?;
    let run = fir::run(&core, &[5, -6, 7, 8], || true)?;
    fir::clocks(SERIAL, &core, &run, 16, "clocks")?;
    let cycles = fir::on_board(SERIAL, &f, &core, &fir::stimulus(), "clocks")?;
    Ok(Evidence::new(format!("{cycles} clocks for 1024 words: 16 per word")))
}

fn cost(t: &Trial) -> Outcome {
    let core = fir::filter(t, SERIAL, &Fir::lab5(), None)?;
    let operations = core.block.operations();
    let count = |kind: Kind| operations.iter().filter(|o| o.kind == kind).count();
    no_products(&core)?;
    let e = Estimate::new(&core.block, &Device::XC3S700A, Multipliers::Blocks);
    expect::that(count(Kind::Memory) > 0 && e.total.luts <= LUTS, || {
        format!(
            "about {} LUTs with {} tables; {LUTS} are enough",
            e.total.luts,
            count(Kind::Memory)
        )
    })
    .map_err(|f| f.hint("split"))?;
    Ok(Evidence::new(format!(
        "no multiplier, about {} LUTs, {} flip-flops",
        e.total.luts, e.total.ffs
    )))
}
