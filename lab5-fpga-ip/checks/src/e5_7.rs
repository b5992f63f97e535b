//! Checks of exercise 5.7: the radix-2 transform.

use grading::{Check, Exercise, Outcome, Trial};
use ipcores::fft::{Fft, RADIX2_SCHEDULE};

use crate::fft;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L5-5.7",
    key: "e5_7",
    title: "Fourier transform, radix 2",
    points: 15,
    files: &["src/e5_7.rs"],
    todo: "Write addresses and butterfly in src/e5_7.rs.",
    hints: &[
        (
            "gap",
            "stage 1, butterfly 5 = 101: the upper bits 10 stay above the gap, the lower bit 1 \
             below it: 1001 and 1011",
        ),
        (
            "factor",
            "the part below the gap counts the factors; in the first stage there is one factor, in \
             the last N/2: move it to the top",
        ),
        ("wait", "the product takes three clocks: x[0] has to wait for it as long"),
        (
            "point",
            "the product has fft.fraction() bits behind the point: shift x[0] by as many before \
             the sum",
        ),
        (
            "conjugate",
            "the phase factors are exp(-j ..) as they come: multiply by them as they are",
        ),
        ("wide", "a sum of two values needs a bit more than they have: extend both before it"),
        ("signs", "first the sum, then the difference x[0] - t"),
        ("sums", "write down the four real sums of one butterfly and compare"),
        (
            "whole",
            "the parts are right for 1024 points: what in them depends on the size, and must come \
             from fft.log2()?",
        ),
        ("three", "`product` takes three multipliers, a product by the schoolbook four"),
    ],
    checks: &[
        Check { name: "addresses", what: "which values meet", weight: 4, run: addresses },
        Check {
            name: "butterfly",
            what: "sum and difference, every bit",
            weight: 4,
            run: butterfly,
        },
        Check {
            name: "transform",
            what: "whole transforms of several sizes",
            weight: 4,
            run: transform,
        },
        Check { name: "cost", what: "six multiplier blocks", weight: 3, run: cost },
    ],
};

fn addresses(t: &Trial) -> Outcome {
    fft::check_addresses(t, "e5_7.addresses", 2)
}

fn butterfly(t: &Trial) -> Outcome {
    fft::check_butterfly(t, "e5_7.butterfly", 2, |got, x, w| {
        let fft = Fft::lab5();
        let want = fft::expected_sums(fft, x, w);
        // t is half of the difference of both sums.
        let t = [(want[0] - want[2]) / 2, (want[1] - want[3]) / 2];
        let plain = [x[0].0 + t[0], x[0].1 + t[1]];
        if got[..2] == plain {
            Some("point")
        } else if got[..2] == want[2..] {
            Some("signs")
        } else {
            None
        }
    })
}

fn transform(t: &Trial) -> Outcome {
    fft::whole(t, "e5_7.transform", &[8, 32, 64], &RADIX2_SCHEDULE, 5120, 32.0)
}

fn cost(t: &Trial) -> Outcome {
    fft::check_cost(t, "e5_7.transform", 6)
}
