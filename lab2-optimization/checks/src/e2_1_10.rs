//! Checks of exercise 2.1.10: static order and unrolling.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Run, Trial, expect, host};

use crate::fir_c::{self, BLOCK, SIZES};
use crate::fir_host::{self, Hints};
use crate::fir_rig::{Channel, KERNEL, Version, exact};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.1.10",
    key: "e2_1_10",
    title: "Static order and unrolling",
    points: 7,
    files: &["kernels/fir5.cu", "src/e2_1_10.rs"],
    todo: "Write the kernel of fixed order in kernels/fir5.cu and refuse other orders in \
        src/e2_1_10.rs.",
    hints: &[
        (
            "b",
            "the bound is not a constant: the tap loop must end at N, and the kernel has no \
             parameter n any more",
        ),
        ("a", "the pragma stands before the wrong loop: it belongs before the tap loop"),
        ("d", "1 means: do not unroll"),
        ("c", "compare n with N: another order would silently be filtered wrongly"),
    ],
    checks: &[
        Check { name: "fir_c", what: "right outputs, built for each order", weight: 2, run: fir_c },
        Check { name: "wrong_n", what: "another order is refused", weight: 1, run: wrong_n },
        Check { name: "br_exec", what: "the tap loop has no branch left", weight: 2, run: br_exec },
        Check {
            name: "inst_ratio",
            what: "at most 0.6 of the instructions of 2.1.9",
            weight: 2,
            run: inst_ratio,
        },
    ],
};

const NAME: &str = "e2_1_10.audiofir";

fn launched(t: &Trial, len: usize, n: usize) -> Result<(Channel, Run), Finding> {
    let kernels = Version::Static.compile(t, BLOCK, n)?;
    if kernels.parameters(KERNEL).is_some_and(|p| p > 2) {
        let text = "the kernel still has a parameter beside yout and yin: its order is no constant";
        return Err(Finding::wrong(text).hint("b"));
    }
    let channel = Channel::random(Version::Static, &mut t.rng(), len, n, BLOCK);
    let run = channel.launcher(&kernels).run()?;
    channel.verify(&run)?;
    Ok((channel, run))
}

fn fir_c(t: &Trial) -> Outcome {
    // The kernel alone, built for every order.
    for (len, n) in SIZES.into_iter().filter(|(len, n)| *len > 0 && *n != 1024) {
        launched(t, len, n)?;
    }
    // The host code, for the order that it is built for.
    let hints =
        Hints { mistake: &|_| None, fault: &|_, _| None, no_block: None, panic: None, code: None };
    let mut cases = fir_c::cases(&mut t.rng());
    cases.retain(|c| c.n() == 1024);
    fir_host::run(t, NAME, &cases, &hints)
}

fn wrong_n(t: &Trial) -> Outcome {
    for n in [0, 100, 1023] {
        let [case, ..] = fir_c::signals(&mut t.rng(), 600, n);
        let reply = t.call(NAME, &fir_host::request(&case, BLOCK))?;
        let refuse = |f: Finding| Finding { hint: None, ..f }.hint("c");
        let (message, _) = host::error(&reply).map_err(refuse)?;
        expect::that(message.contains(&n.to_string()) && message.contains("1024"), || {
            format!(
                "order {n}: expected an error such as \"this kernel is built for order 1024, \
                file has {n}\", found \"{message}\""
            )
        })
        .map_err(refuse)?;
    }
    Ok(Evidence::new("orders 0, 100 and 1023 are refused, and the error names both numbers"))
}

/// What keeps the loop from being unrolled.
fn rolled(t: &Trial) -> Result<&'static str, Finding> {
    let text = t.text(Version::Static.file())?;
    let off =
        text.lines().any(|l| l.trim().starts_with("#pragma unroll") && l.trim().ends_with(" 1"));
    Ok(if off { "d" } else { "a" })
}

fn br_exec(t: &Trial) -> Outcome {
    let (channel, run) = launched(t, 2048, 1024)?;
    let warps = (channel.shape().blocks() * BLOCK / 32) as u64;
    // Three rounds and the last test of the filling loop, if that is not unrolled.
    let hint = rolled(t)?;
    expect::at_most(&run, "br.exec", 4 * warps).map_err(|f| f.hint(hint))?;
    exact(&run, &channel, |_| None).map(|e| {
        e.line(format!(
            "{} branches for {} products of a warp each",
            run.total().br_exec,
            1025 * warps
        ))
    })
}

fn inst_ratio(t: &Trial) -> Outcome {
    let (channel, run) = launched(t, 2048, 1024)?;
    let before = Channel { version: Version::Tiled, ..channel };
    let tiled = Version::Tiled.compile(t, BLOCK, 1024)?;
    let tiled = before.launcher(&tiled).run().map_err(|f| Finding {
        message: format!("kernels/fir4.cu of exercise 2.1.9 must run first: {}", f.message),
        hint: None,
        ..f
    })?;
    let hint = rolled(t)?;
    expect::at_most(&run, "inst", tiled.total().inst * 6 / 10).map_err(|f| f.hint(hint))?;
    Ok(Evidence::new(format!(
        "{} instructions, {:.2} of the {} of 2.1.9",
        run.total().inst,
        run.total().inst as f64 / tiled.total().inst as f64,
        tiled.total().inst
    )))
}
