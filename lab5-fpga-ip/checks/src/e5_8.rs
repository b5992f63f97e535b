//! Checks of exercise 5.8: the radix-4 transform.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial};
use ipcores::fft::{Fft, RADIX2_SCHEDULE, RADIX4_SCHEDULE, drive, peak};
use rand::RngExt;

use crate::fft;

const ANSWERS: &str = "answers/e5_8.toml";

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L5-5.8",
    key: "e5_8",
    title: "Fourier transform, radix 4",
    points: 10,
    files: &["src/e5_8.rs", ANSWERS],
    todo: "Write addresses and butterfly in src/e5_8.rs, then answer answers/e5_8.toml.",
    hints: &[
        ("gap", "a digit is two bits: the gap of stage 1 is at bits 3 and 2"),
        ("factor", "the part below the gap, moved to the top by two bits per stage"),
        ("wait", "the products take three clocks: x[0] has to wait for them as long"),
        (
            "conjugate",
            "the phase factors are exp(-j ..) as they come: multiply by them as they are",
        ),
        ("wide", "a sum of two values needs a bit more than they have: extend both before it"),
        ("turn", "-j (a + j b) is b - j a; y1 and y3 differ in the sign of the turned part"),
        (
            "sums",
            "y0 is the sum of all four; work the others out for x = (1, 0, 0, 0) and (0, 1, 0, 0)",
        ),
        (
            "whole",
            "the parts are right for 1024 points: what in them depends on the size, and must come \
             from fft.log2()?",
        ),
        ("three", "three complex products of three multipliers of two blocks each"),
        ("count", "N/4 dragonflies in each of log4 N stages; N/2 butterflies in each of log2 N"),
        (
            "amplitude",
            "a cosine of amplitude A on a bin has a line of A N / 2, divided by 2^(sum of the \
             shifts)",
        ),
        ("flag", "the line A * 512 / 256 must not exceed 32767"),
    ],
    checks: &[
        Check { name: "addresses", what: "which values meet", weight: 2, run: addresses },
        Check {
            name: "butterfly",
            what: "the dragonfly's four sums, every bit",
            weight: 3,
            run: butterfly,
        },
        Check {
            name: "transform",
            what: "whole transforms of several sizes",
            weight: 3,
            run: transform,
        },
        Check { name: "cost", what: "18 multiplier blocks", weight: 1, run: cost },
        Check { name: "answers", what: "clocks, multipliers, amplitudes", weight: 1, run: answers },
    ],
};

fn addresses(t: &Trial) -> Outcome {
    fft::check_addresses(t, "e5_8.addresses", 4)
}

fn butterfly(t: &Trial) -> Outcome {
    fft::check_butterfly(t, "e5_8.butterfly", 4, |got, x, w| {
        let want = fft::expected_sums(Fft::lab5(), x, w);
        // y0 and y2 have no turned part.
        (got[..2] == want[..2] && got[4..6] == want[4..6]).then_some("turn")
    })
}

fn transform(t: &Trial) -> Outcome {
    fft::whole(t, "e5_8.transform", &[16, 64], &RADIX4_SCHEDULE, 1280, 45.0)
}

fn cost(t: &Trial) -> Outcome {
    fft::check_cost(t, "e5_8.transform", 18)
}

fn answers(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let amplitude = a.own()?.random_range(2000..8000);
    let a = a.about(format!("A = {amplitude}"));
    a.is_int("engine_radix4", 1280, "count")?;
    a.is_int("engine_radix2", 5120, "count")?;
    a.is_int("multiplier_ratio", 3, "three")?;
    let fft = Fft::lab5();
    let line = |radix: u32, schedule: &[u32]| {
        let x = fft::tones(&[(f64::from(amplitude), 0.25)]);
        peak(&fft.model(radix, schedule, &x, false).bins).1
    };
    a.is_near("line_radix4", line(4, &RADIX4_SCHEDULE), 1.0, "amplitude")?;
    a.is_near("line_radix2", line(2, &RADIX2_SCHEDULE), 1.0, "amplitude")?;
    // The flags, looked up in the hardware: one more must be too many.
    let largest = a.int("largest_amplitude")?.clamp(1, 32766);
    let frames = [largest, largest + 1].map(|a| fft::tones(&[(a as f64, 0.25)]));
    let core = fft::transform(t, "e5_8.transform", fft)?;
    let run = drive(&core.block, &frames, &RADIX4_SCHEDULE, false, 20_000)
        .map_err(|e| Finding::wrong(format!("the transform does not end: {e}")))?;
    let flags: Vec<bool> = run.frames.iter().map(|f| f.overflow).collect();
    let last = if flags == [false, true] { largest } else { -1 };
    a.is_int("largest_amplitude", last, "flag")?;
    Ok(Evidence::new(format!("clocks 4 to 1, multipliers 1 to 3; {} overflows", largest + 1)))
}
