//! Checks of exercise 5.9: the transform on the board.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, design, expect};
use hdl::board::Fpga;
use hdl::estimate::{Device, Estimate, Multipliers, RIMLAB00};
use ipcores::fft::{Fft, RADIX2_SCHEDULE, RADIX4_SCHEDULE, schedule_word};
use ipcores::magnitude::PAIRS;
use rand::RngExt;
use serde_json::json;

use crate::fft;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L5-5.9",
    key: "e5_9",
    title: "The transform on the board",
    points: 7,
    files: &["src/e5_9.rs"],
    todo: "Write the rest of top in src/e5_9.rs: state machine, magnitude, delay.",
    hints: &[
        ("sel", "the magnitudes come some clocks after dv: delay dv by exactly as many"),
        ("parts", "in_i is the real part, in_q the imaginary part of the bin"),
        ("idle", "after 1024 words the state must be IDLE again, or the next start is not heard"),
        ("fit", "one magnitude, one transform: what takes so much?"),
    ],
    checks: &[
        Check { name: "words", what: "1024 magnitudes in their places", weight: 4, run: words },
        Check { name: "again", what: "three runs, one after the other", weight: 2, run: again },
        Check {
            name: "fits",
            what: "with the radix-4 transform, on the laboratory's chip",
            weight: 1,
            run: fits,
        },
    ],
};

/// The board with the design around the given small transform.
fn board(t: &Trial) -> Result<Fpga, Finding> {
    let request = json!({ "core": "lite", "schedule": schedule_word(&RADIX2_SCHEDULE) });
    let block = t.design("e5_9.top", &request)?;
    Ok(design::board(&block)?.accept_late_writes())
}

/// Runs tones and compares with the model's spectrum; any of the four magnitudes will do.
fn compare(fpga: &mut Fpga, tones: &[(f64, f64)]) -> Result<u64, Finding> {
    let x = fft::tones(tones);
    let reals: Vec<f64> = x.iter().map(|v| v.0 as f64).collect();
    let run = design::run(fpga, &reals).map_err(|f| f.hint("idle"))?;
    let bins = Fft::lab5().model(2, &RADIX2_SCHEDULE, &x, false).bins;
    let wants = PAIRS.map(|pair| -> Vec<i16> {
        bins.iter().map(|&(re, im)| pair.reference(re as i16, im as i16) as i16).collect()
    });
    if wants.contains(&run.y) {
        return Ok(run.wall_cycles);
    }
    let late = |want: &Vec<i16>| {
        (1..8).any(|k| run.y[k..] == want[..1024 - k] || run.y[..1024 - k] == want[k..])
    };
    let hint = if wants.iter().any(late) { "sel" } else { "parts" };
    expect::eq("RESULT_DATA", &run.y, &wants[3]).map_err(|f| f.hint(hint))?;
    Ok(run.wall_cycles)
}

fn words(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut tone = || (rng.random_range(1000.0..10000.0), rng.random_range(0.02..0.48));
    let list = [tone(), tone(), tone()];
    let clocks = compare(&mut board(t)?, &list)?;
    Ok(Evidence::new(format!("three tones: 1024 magnitudes, {clocks} clocks in all")))
}

fn again(t: &Trial) -> Outcome {
    let mut fpga = board(t)?;
    for list in [[(8000.0, 0.26)], [(5000.0, 0.1)], [(9000.0, 0.4)]] {
        compare(&mut fpga, &list)?;
    }
    Ok(Evidence::new("three runs without switching off"))
}

fn fits(t: &Trial) -> Outcome {
    let request = json!({ "core": "radix4", "schedule": schedule_word(&RADIX4_SCHEDULE) });
    let block = t.design("e5_9.top", &request)?;
    let e = Estimate::new(&block, &Device::XC3S700A, Multipliers::Blocks);
    let (times, what) = e.total.fits(&Device::XC3S700A, RIMLAB00);
    let whole = e.modules.iter().any(|m| m.module == "mag16");
    expect::that(times >= 1 && whole, || {
        format!(
            "the whole design does not fit beside the communication block: {what} run out, or \
             the magnitude is missing"
        )
    })
    .map_err(|f| f.hint("fit"))?;
    Ok(Evidence::new(format!(
        "{} LUTs, {} flip-flops, {} multiplier blocks, {} bits of block RAM: it fits",
        e.total.luts, e.total.ffs, e.total.multipliers, e.total.ram_bits
    )))
}
