//! Checks of exercise 3.3.3: the paper's design on the device.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect};
use rand::RngExt;
use serde_json::json;
use simt::fault::{Fault, FaultKind};

use crate::ep::{Found, divergence, launch, ragged, shared, truth};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.3.3",
    key: "e3_3_03",
    title: "The paper's GPU design",
    points: 5,
    files: &[KERNEL, "src/e3_3_03.rs", ANSWERS],
    todo: "Write the kernel ep_seed in kernels/ep.cu and its launch in src/e3_3_03.rs, then answer \
        in answers/e3_3_03.toml.",
    hints: &[
        ("a", "clear the accumulators: they are added to"),
        (
            "b",
            "no return before the barrier: threads from nn on add nothing, but they must come \
             along",
        ),
        ("c", "atomics for shared counters: `nq[l] += ..` of two threads loses one"),
        ("d", "a barrier before the sums: they read what the whole block has written"),
        ("e", "seeds must differ per thread: batch kk starts 2 nk kk steps on"),
        ("f", "two arrays of blockDim doubles: 2 * block * 8 bytes"),
        ("n", "count the batches: threads from nn on add nothing"),
        ("s", "a thread is a batch: thread kk makes the nk pairs of batch kk, and no others"),
        ("w", "a lane is inside with probability pi/4: all agree if all are inside, or none"),
        ("q", "an array whose index is not known to the compiler cannot lie in registers"),
    ],
    checks: &[
        Check { name: "t12", what: "2^12 pairs", weight: 1, run: t12 },
        Check { name: "t16", what: "2^16 pairs", weight: 1, run: t16 },
        Check { name: "ragged", what: "grids that do not come out even", weight: 2, run: uneven },
        Check { name: "counts", what: "atomics and barriers", weight: 1, run: counts },
        Check { name: "divergence", what: "what a warp sees", weight: 1, run: diverging },
    ],
};

const KERNEL: &str = "kernels/ep.cu";
const ANSWERS: &str = "answers/e3_3_03.toml";

/// The hint that a fault deserves.
fn fault(fault: &Fault) -> Option<&'static str> {
    match fault.kind {
        FaultKind::DivergentBarrier => Some("b"),
        FaultKind::RaceGlobal => Some("c"),
        FaultKind::RaceShared => Some("d"),
        FaultKind::OutOfBoundsShared => Some("f"),
        FaultKind::Uninitialised if in_global(fault) => Some("a"),
        // Sums that a thread reads before they are there.
        FaultKind::Uninitialised => Some("d"),
        _ => None,
    }
}

/// True if the fault is about an accumulator.
fn in_global(fault: &Fault) -> bool {
    fault.target.as_ref().is_none_or(|t| !["sums", "ssx", "ssy"].contains(&t.name.as_str()))
}

/// The hint that a fault deserves where some threads have no batch.
fn uneven_fault(found: &Fault) -> Option<&'static str> {
    match found.kind {
        // Sums that a thread has not stored because it left.
        FaultKind::Uninitialised => Some("b"),
        _ => fault(found),
    }
}

/// By the student's host code.
fn class(t: &Trial, m: u32, mk: u32, block: u32) -> Outcome {
    shared(t, KERNEL, "ep_seed", fault)?;
    let request = json!({ "m": m, "mk": mk, "block": block, "better": false });
    let reply = t.call("e3_3_03.ep_gpu", &request)?;
    if let Some(found) = reply.faults.first().filter(|f| f.kind != FaultKind::Leak) {
        let finding = Finding::fault(found.clone());
        return Err(match fault(found) {
            Some(hint) => finding.hint(hint),
            None => finding,
        });
    }
    let found = Found::of(&reply)?;
    grading::trace::launched(&reply)?;
    let (want, size) = truth(1, 1 << m);
    let batches = 1 << (m - mk);
    found.compare(&format!("2^{m} pairs by {batches} threads"), &want, size).map_err(
        |f| match found.q.iter().all(|q| q % batches == 0) {
            true => f.hint("e"),
            false => f.or_hint("c"),
        },
    )
}

fn t12(t: &Trial) -> Outcome {
    class(t, 12, 6, 32)
}

fn t16(t: &Trial) -> Outcome {
    class(t, 16, 8, 128)
}

fn uneven(t: &Trial) -> Outcome {
    ragged(t, KERNEL, "ep_seed", uneven_fault, "n")
}

fn counts(t: &Trial) -> Outcome {
    let (threads, block, nk) = (256u32, 128u32, 256u32);
    let run = launch(&t.kernel(KERNEL).compile()?, "ep_seed", (threads, nk, block), fault)?;
    let (threads, block) = (u64::from(threads), u64::from(block));
    let (blocks, warps) = (threads / block, threads / 32);
    expect::at_most(&run, "atom.lane", 10 * threads + 2 * blocks).map_err(|f| f.hint("c"))?;
    expect::at_most(&run, "atom.req", 10 * warps + 2 * blocks).map_err(|f| f.hint("c"))?;
    expect::count(&run, "bar", blocks).map_err(|f| f.hint("d"))?;
    expect::count(&run, "gld.req", 0)?;
    let total = run.total();
    Ok(Evidence::new(format!(
        "256 threads: {} lanes in {} atomic requests, {} passes more for equal addresses; {} \
         barriers",
        total.atom_lane, total.atom_req, total.atom_ser, total.bar
    ))
    .launch(run.report()))
}

fn diverging(t: &Trial) -> Outcome {
    let answers = t.answers(ANSWERS)?;
    let lanes = answers.own()?.random_range(2..8);
    let answers = answers.about(format!("{lanes} lanes"));
    let inside = std::f64::consts::FRAC_PI_4;
    let percent = 100.0 * (1.0 - inside.powi(lanes) - (1.0 - inside).powi(lanes));
    answers.is_near("diverging_percent", percent, 1.0, "w")?;
    answers.is_among("q_lives_in", &["registers", "local", "shared"])?;
    answers.choices(&[("q_lives_in", "local")], "q")?;
    let (evaluations, divergent) = divergence(256, 256);
    Ok(Evidence::new(format!(
        "{divergent} of {evaluations} evaluations of `t <= 1` diverge: 32 lanes agree with \
         probability 0.785^32"
    )))
}
