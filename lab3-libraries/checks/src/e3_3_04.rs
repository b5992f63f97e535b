//! Checks of exercise 3.3.4: a better reduction.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect};
use serde_json::json;
use simt::fault::{Fault, FaultKind};

use crate::ep::{Found, launch, ragged, shared, truth};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.3.4",
    key: "e3_3_04",
    title: "A better reduction",
    points: 3,
    files: &[KERNEL],
    todo: "Write ep_better in kernels/ep_better.cu: reduce by warps, then by blocks, with one \
        atomic operation for each accumulator and block.",
    hints: &[
        ("a", "shuffle all 64 bits: `__shfl_down_sync` takes a double as it is"),
        ("b", "a counter is too narrow for the pairs of a thread"),
        (
            "c",
            "the last warp may have few batches: its other threads add 0, but they take part in \
             every shuffle",
        ),
        ("d", "a barrier between the warps' sums and those who read them"),
        ("s", "a thread is a batch: thread kk makes the nk pairs of batch kk, and no others"),
        ("r", "one atomic operation for each accumulator and block: 12 in all"),
    ],
    checks: &[
        Check { name: "t16", what: "2^16 pairs", weight: 1, run: t16 },
        Check { name: "ragged", what: "grids that do not come out even", weight: 1, run: uneven },
        Check {
            name: "atomics",
            what: "12 atomic operations for each block",
            weight: 4,
            run: atomics,
        },
    ],
};

const KERNEL: &str = "kernels/ep_better.cu";

fn fault(fault: &Fault) -> Option<&'static str> {
    match fault.kind {
        FaultKind::RaceShared | FaultKind::Uninitialised => Some("d"),
        FaultKind::DivergentBarrier => Some("c"),
        FaultKind::RaceGlobal => Some("r"),
        _ => None,
    }
}

/// The same where some threads have no batch.
fn uneven_fault(found: &Fault) -> Option<&'static str> {
    match found.kind {
        // Sums that a warp without batches did not store.
        FaultKind::Uninitialised => Some("c"),
        _ => fault(found),
    }
}

fn t16(t: &Trial) -> Outcome {
    shared(t, KERNEL, "ep_better", fault)?;
    let (want, size) = truth(1, 1 << 16);
    let kernels = t.kernel(KERNEL).compile()?;
    // 64 threads of 1024 pairs: more than 8 bits can count.
    for shape in [(256, 256, 128), (64, 1024, 64)] {
        let run = launch(&kernels, "ep_better", shape, fault)?;
        let found = Found::in_run(&run)?;
        let what = format!("2^16 pairs by {} threads", shape.0);
        found.compare(&what, &want, size).map_err(|f: Finding| match found.q == want.q {
            true => f.hint("a"),
            false => f.hint("b"),
        })?;
    }
    // By the host function of 3.3.3.
    let request = json!({ "m": 12, "mk": 6, "block": 64, "better": true });
    let found = Found::of(&t.call("e3_3_03.ep_gpu", &request)?)?;
    let (want, size) = truth(1, 1 << 12);
    found.compare("2^12 pairs by ep_gpu", &want, size)
}

fn uneven(t: &Trial) -> Outcome {
    ragged(t, KERNEL, "ep_better", uneven_fault, "c")
}

fn atomics(t: &Trial) -> Outcome {
    let run = launch(&t.kernel(KERNEL).compile()?, "ep_better", (256, 64, 128), fault)?;
    let (want, size) = truth(256, 64);
    Found::in_run(&run)?.compare("256 batches of 64 pairs", &want, size)?;
    shared(t, KERNEL, "ep_better", fault)?;
    let (blocks, warps) = (2, 4);
    expect::at_most(&run, "atom.lane", 12 * blocks).map_err(|f| f.hint("r"))?;
    expect::count(&run, "atom.ser", 0).map_err(|f| f.hint("r"))?;
    expect::at_most(&run, "shld.req", blocks * (2 * warps * 12 + 16)).map_err(|f| f.hint("r"))?;
    let total = run.total();
    Ok(Evidence::new(format!(
        "256 threads in 2 blocks: {} atomic lanes, no two on one address; {} shuffles, {} requests \
         to shared memory",
        total.atom_lane,
        total.shfl,
        total.shld_req + total.shst_req
    ))
    .launch(run.report()))
}
