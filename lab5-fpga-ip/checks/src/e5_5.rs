//! Checks of exercise 5.5: distributed arithmetic, several bits per clock.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect};
use hdl::estimate::{Count, Device, Estimate, Multipliers};
use ipcores::fir::{Fir, FirCore};
use rand::{Rng, RngExt};

use crate::{e5_4, fir};

const PARALLEL: &str = "e5_5.parallel";

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L5-5.5",
    key: "e5_5",
    title: "Distributed arithmetic, several bits per clock",
    points: 10,
    files: &["src/e5_5.rs"],
    todo: "Write parallel in src/e5_5.rs.",
    hints: &[
        ("sign", "only the topmost bit of the last group weighs negative"),
        ("tree", "bit j weighs 2^j: a pair on level k is 2^(k-1) places apart"),
        ("move", "the accumulator moves by p places per group, and so do the bits that it drops"),
        (
            "clocks",
            "as many groups as p bits fit into the sample; a register for the terms, one per \
             level, one for the sum",
        ),
        ("mult", "there is no multiplication in distributed arithmetic"),
    ],
    checks: &[
        Check {
            name: "whole",
            what: "all bits at once: one sample per clock",
            weight: 3,
            run: whole,
        },
        Check { name: "groups", what: "2, 4 and 8 bits per clock", weight: 4, run: groups },
        Check {
            name: "clocks",
            what: "16 / p clocks per sample, also on the board",
            weight: 2,
            run: clocks,
        },
        Check { name: "cost", what: "no multiplier; what speed costs", weight: 1, run: cost },
    ],
};

fn parallel(t: &Trial, f: &Fir, p: u32) -> Result<FirCore, Finding> {
    fir::filter(t, PARALLEL, f, Some(p))
}

fn exact(
    t: &Trial,
    f: &Fir,
    p: u32,
    rng: &mut impl Rng,
    otherwise: &'static str,
) -> Result<(), Finding> {
    let core = parallel(t, f, p)?;
    e5_4::no_products(&core)?;
    let x = fir::numbers(rng, f.data_bits(), 30);
    let run = fir::run(&core, &x, || true)?;
    let why = |got: &[i64], _: &[i64]| match e5_4::why(f, &x, got) {
        "first" | "low" => otherwise,
        hint => hint,
    };
    fir::exact(&format!("dout, {p} bits per clock"), f, &x, &run, why)?;
    let (clocks, groups) = (run.period().unwrap_or(0), u64::from(f.data_bits().div_ceil(p)));
    expect::that(clocks == groups, || {
        format!(
            "{} bits, {p} per clock: a sample takes {clocks} clocks, not {groups}",
            f.data_bits()
        )
    })
    .map_err(|f| f.hint("clocks"))?;
    let run = fir::run(&core, &x, || rng.random())?;
    fir::exact(&format!("dout with pauses, {p} bits per clock"), f, &x, &run, |_, _| "clocks")
}

fn whole(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    exact(t, &Fir::lab5(), 16, &mut rng, "tree")?;
    for (bits, p) in [(8, 8), (4, 4), (13, 16)] {
        let h = fir::numbers(&mut rng, 12, 7);
        let f = Fir::new(&h, bits, 12).map_err(|e| Finding::grader(e.to_string()))?;
        exact(t, &f, p, &mut rng, "tree")?;
    }
    Ok(Evidence::new("samples of 4, 8, 13 and 16 bits, all at once"))
}

fn groups(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    for p in [2, 4, 8] {
        exact(t, &Fir::lab5(), p, &mut rng, "move")?;
        let taps = rng.random_range(2..=12);
        let f = fir::random_filter(&mut rng, taps)?;
        exact(t, &f, p, &mut rng, "move")?;
    }
    Ok(Evidence::new("2, 4 and 8 bits per clock: every bit"))
}

fn clocks(t: &Trial) -> Outcome {
    let f = Fir::lab5();
    let mut evidence = Evidence::default();
    for p in [2, 4, 8, 16] {
        let core = parallel(t, &f, p)?;
        let run = fir::run(&core, &[5, -6, 7, 8], || true)?;
        let what = format!("{p} bits per clock");
        fir::clocks(&what, &core, &run, 16 / p, "clocks")?;
        let cycles = fir::on_board(&what, &f, &core, &fir::stimulus(), "clocks")?;
        evidence = evidence.line(format!("{what}: {cycles} clocks for 1024 words"));
    }
    Ok(evidence)
}

fn cost(t: &Trial) -> Outcome {
    let mut evidence = Evidence::default();
    let mut before: Option<Count> = None;
    for p in [2, 4, 8, 16] {
        let core = parallel(t, &Fir::lab5(), p)?;
        e5_4::no_products(&core)?;
        let total = Estimate::new(&core.block, &Device::XC3S700A, Multipliers::Blocks).total;
        if let Some(before) = before {
            expect::that(total.luts + total.ffs > before.luts + before.ffs, || {
                format!("{p} bits per clock take no more than {}: is every bit there?", p / 2)
            })?;
        }
        before = Some(total);
        evidence = evidence.line(format!(
            "{p} bits per clock: about {} LUTs, {} flip-flops",
            total.luts, total.ffs
        ));
    }
    Ok(evidence)
}
