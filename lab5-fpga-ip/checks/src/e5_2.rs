//! Checks of exercise 5.2: the delay.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, design, expect};
use hdl::estimate::{Device, Estimate, Multipliers};
use hdl::{Block, Simulator, bit};
use rand::RngExt;
use serde_json::json;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L5-5.2",
    key: "e5_2",
    title: "A delay of any length",
    points: 5,
    files: &["src/e5_2.rs"],
    todo: "Write delaysel in src/e5_2.rs.",
    hints: &[
        ("one", "sel registers in a row delay by sel clocks: count them for sel = 1"),
        ("wire", "sel = 0 is a wire: dout is din in the same clock"),
        ("ffs", "one flip-flop per clock of delay, no more: the row is as long as sel"),
    ],
    checks: &[
        Check {
            name: "delay",
            what: "random bits through delays of 0 to 32",
            weight: 3,
            run: delay,
        },
        Check { name: "cost", what: "as many flip-flops as clocks", weight: 2, run: cost },
    ],
};

fn delaysel(t: &Trial, sel: u32) -> Result<Block, Finding> {
    let block = t.design("e5_2.delaysel", &json!({ "sel": sel }))?;
    design::ports(&block, &[("din", bit())], &[("dout", bit())])?;
    Ok(block)
}

fn delay(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let bits: Vec<bool> = (0..120).map(|_| rng.random()).collect();
    for sel in [0, 1, 2, 4, 8, 17, 32] {
        let mut sim = Simulator::new(&delaysel(t, sel)?);
        let mut got: Vec<u8> = Vec::new();
        for &b in &bits {
            let wrong = |e: hdl::UseError| Finding::grader(e.to_string());
            sim.set("din", i64::from(b)).map_err(wrong)?;
            got.push(sim.get("dout").map_err(wrong)? as u8);
            sim.step();
        }
        let want: Vec<u8> =
            ipcores::delay::reference(&bits, sel as usize).into_iter().map(u8::from).collect();
        let hint = if sel == 0 { "wire" } else { "one" };
        expect::eq(&format!("dout, sel = {sel}"), &got, &want).map_err(|f| f.hint(hint))?;
    }
    Ok(Evidence::new("delays of 0, 1, 2, 4, 8, 17 and 32 clocks"))
}

fn cost(t: &Trial) -> Outcome {
    for sel in [1, 8, 32] {
        let e = Estimate::new(&delaysel(t, sel)?, &Device::XC3S700A, Multipliers::Blocks);
        expect::that(e.total.ffs == sel, || {
            format!("sel = {sel}: {} flip-flops, expected {sel}", e.total.ffs)
        })
        .map_err(|f| f.hint("ffs"))?;
    }
    Ok(Evidence::new("1, 8 and 32 flip-flops"))
}
