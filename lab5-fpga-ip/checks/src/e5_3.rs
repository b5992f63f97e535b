//! Checks of exercise 5.3: filters with a multiplier per tap.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect};
use hdl::estimate::{Device, Estimate, Multipliers};
use ipcores::fir::{Driven, Fir, FirCore};
use rand::RngExt;

use crate::fir;

const SYSTOLIC: &str = "e5_3.systolic";
const TRANSPOSED: &str = "e5_3.transposed";

/// Estimated clock rate that a multiplier and an adder in a row do not reach on the laboratory's
/// chip, and either alone exceeds.
const LEAST_MHZ: f64 = 110.0;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L5-5.3",
    key: "e5_3",
    title: "A multiplier per tap: systolic and transposed",
    points: 20,
    files: &["src/e5_3.rs"],
    todo: "Write systolic and transposed in src/e5_3.rs.",
    hints: &[
        (
            "two",
            "between two taps the sample passes two registers, the sum one: the sum gains a sample \
             on each tap",
        ),
        ("order", "the first coefficient is added last: the chain begins at the last tap"),
        ("gaps", "a tap's sample registers move where its bit v is 1, not in every clock"),
        ("chain", "the chain of sums stands still while no product of a new sample is there"),
        (
            "latency",
            "rdy must be as many registers behind nd as the result behind its sample; `latency` \
             counts them",
        ),
        ("adder", "put a register behind every product and every sum: no path has two of them"),
        (
            "kind",
            "systolic: a sum passes a register at each tap, so it takes as many clocks as there \
             are taps; transposed: behind the product and the last sum it is there",
        ),
        ("mult", "one multiplication per tap"),
    ],
    checks: &[
        Check {
            name: "systolic",
            what: "every bit of the systolic filter",
            weight: 4,
            run: systolic,
        },
        Check {
            name: "transposed",
            what: "every bit of the transposed filter",
            weight: 4,
            run: transposed,
        },
        Check { name: "gaps", what: "samples with pauses between", weight: 4, run: gaps },
        Check { name: "structure", what: "multipliers and registers", weight: 3, run: structure },
        Check {
            name: "board",
            what: "1024 words through the top, in the declared clocks",
            weight: 3,
            run: board,
        },
    ],
};

/// Lab 5's filter and random ones, with samples.
fn cases(t: &Trial) -> Result<Vec<(Fir, Vec<i64>)>, Finding> {
    let mut rng = t.rng();
    let mut cases = vec![(Fir::lab5(), fir::numbers(&mut rng, 16, 60))];
    for _ in 0..4 {
        let taps = rng.random_range(2..=20);
        let random = fir::random_filter(&mut rng, taps)?;
        let x = fir::numbers(&mut rng, random.data_bits(), 50);
        cases.push((random, x));
    }
    Ok(cases)
}

/// Registers that a result passes behind its sample, at most, in a filter whose sums move towards
/// the result while the samples come.
const TRANSPOSED_LATENCY: u32 = 4;

/// A sample in every clock, after the latency that the architecture has.
fn architecture(call: &str, f: &Fir, core: &FirCore, run: &Driven) -> Result<(), Finding> {
    expect::that(run.period() == Some(1), || {
        let clocks = run.period().unwrap_or(0);
        format!("{call}: a sample every {clocks} clocks; with a multiplier per tap it is one")
    })
    .map_err(|f| f.hint("mult"))?;
    let systolic = call == SYSTOLIC;
    let latency = run.latency().unwrap_or(0) as u32;
    let right = if systolic { latency >= f.taps() } else { latency <= TRANSPOSED_LATENCY };
    // What is declared wrongly is another mistake.
    expect::that(right || core.latency != latency, || {
        format!("{call}: the result of {} taps comes {latency} clocks after its sample", f.taps())
    })
    .map_err(|f| f.hint("kind"))
}

fn exact(t: &Trial, call: &str, what: &str, otherwise: &'static str) -> Outcome {
    for (f, x) in cases(t)? {
        let core = fir::filter(t, call, &f, None)?;
        let run = fir::run(&core, &x, || true)?;
        fir::exact(what, &f, &x, &run, |got, want| {
            if fir::shifted(got, want) { "latency" } else { otherwise }
        })?;
        architecture(call, &f, &core, &run)?;
    }
    Ok(Evidence::new("lab 5's filter and four random ones: every bit"))
}

fn systolic(t: &Trial) -> Outcome {
    exact(t, SYSTOLIC, "dout of the systolic filter", "two")
}

fn transposed(t: &Trial) -> Outcome {
    exact(t, TRANSPOSED, "dout of the transposed filter", "order")
}

fn gaps(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    for (f, x) in cases(t)? {
        for (call, hint) in [(SYSTOLIC, "gaps"), (TRANSPOSED, "chain")] {
            let core = fir::filter(t, call, &f, None)?;
            let every = fir::run(&core, &x, || true)?;
            let run = fir::run(&core, &x, || rng.random_range(0..3) == 0)?;
            fir::exact(&format!("{call} with pauses"), &f, &x, &run, |_, _| hint)?;
            architecture(call, &f, &core, &every)?;
        }
    }
    Ok(Evidence::new("one result per sample, in order, whatever the pauses"))
}

fn structure(t: &Trial) -> Outcome {
    let f = Fir::lab5();
    let mut counts = Vec::new();
    let mut evidence = Evidence::default();
    for call in [SYSTOLIC, TRANSPOSED] {
        let core = fir::filter(t, call, &f, None)?;
        let e = Estimate::new(&core.block, &Device::XC3S700A, Multipliers::Blocks);
        expect::that(e.total.multipliers == f.taps(), || {
            format!(
                "{call}: expected {} multiplier blocks, counted {}",
                f.taps(),
                e.total.multipliers
            )
        })
        .map_err(|f| f.hint("mult"))?;
        expect::that(e.mhz >= LEAST_MHZ, || {
            format!(
                "{call}: at most {:.0} MHz, and with one multiplier or adder between two registers \
                 it would be more than {LEAST_MHZ}",
                e.mhz
            )
        })
        .map_err(|f| f.hint("adder"))?;
        evidence = evidence.line(format!(
            "{call}: {} multipliers, about {} LUTs, {} flip-flops, {:.0} MHz",
            e.total.multipliers, e.total.luts, e.total.ffs, e.mhz
        ));
        counts.push(e.total.ffs);
    }
    expect::that(counts[0] > counts[1], || {
        format!(
            "the systolic filter has {} flip-flops, the transposed one {}: it should have fewer",
            counts[0], counts[1]
        )
    })?;
    Ok(evidence)
}

fn board(t: &Trial) -> Outcome {
    let f = Fir::lab5();
    let mut evidence = Evidence::default();
    let x = fir::stimulus();
    for call in [SYSTOLIC, TRANSPOSED] {
        let core = fir::filter(t, call, &f, None)?;
        let run = fir::run(&core, &[1, 2, 3, 4], || true)?;
        fir::clocks(call, &core, &run, 1, "latency")?;
        let cycles = fir::on_board(call, &f, &core, &x, "latency")?;
        evidence = evidence.line(format!(
            "{call}: {cycles} clocks for 1024 words, {} of them to start up",
            cycles - 1024
        ));
        if let Ok(top) = ipcores::fir::top(&core.block, 17) {
            evidence =
                evidence.drawing(hdl::timing(&top, &hdl::stimulus::pulses(64, 16, 32767.0), 16));
        }
    }
    Ok(evidence)
}
