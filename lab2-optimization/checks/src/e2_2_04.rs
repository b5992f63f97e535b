//! Checks of exercise 2.2.4: half of the product is enough.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Run, Trial, expect, trace};
use simt::fault::{Fault, FaultKind};

use crate::e2_2_01::{replied, request};
use crate::mmt::{self, Diagnosis, EXAMPLE, Matrix};
use references::counts::product::Kernel;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.2.4",
    key: "e2_2_04",
    title: "Changing the algorithm: symmetry",
    points: 6,
    files: &[KERNEL],
    todo: "Let the blocks of kernels/mmt4.cu on and below the diagonal compute, and write every \
        tile and its mirror image.",
    hints: &[
        ("h", "blocks with blockIdx.x > blockIdx.y have nothing to do"),
        ("b", "leave by whole blocks only: all threads of a block must reach the barrier"),
        ("d", "the other half of C is missing: store s at its mirrored place, too"),
        (
            "c",
            "source and mirror exchanged: (iy, ix) is the place of s along a row, (ix, iy) its \
             mirror image",
        ),
        (
            "a",
            "two threads write the same element (equal values are a race all the same): skip the \
             mirror when blockIdx.x == blockIdx.y",
        ),
        (
            "v",
            "carry over the padded declaration, the padding and the load of the exercises before",
        ),
        ("e", "one launch is enough: the kernel decides by blockIdx"),
    ],
    checks: &[
        Check { name: "mmt_c", what: "the product", weight: 1, run: mmt_c },
        Check { name: "once", what: "every element written once", weight: 1, run: once },
        Check {
            name: "symmetric",
            what: "both halves equal to the last bit",
            weight: 1,
            run: symmetric,
        },
        Check { name: "counts", what: "half the work, in one launch", weight: 5, run: counts },
    ],
};

const KERNEL: &str = "kernels/mmt4.cu";
const K: u32 = 16;

fn diagnose(fault: &Fault) -> Option<&'static str> {
    match fault.kind {
        FaultKind::RaceGlobal => Some("a"),
        FaultKind::DivergentBarrier => Some("b"),
        // The tile of A is complete unless threads of the block have left.
        FaultKind::Uninitialised if fault.target.as_ref().is_some_and(|t| t.name == "As") => {
            Some("b")
        }
        FaultKind::Uninitialised | FaultKind::RaceShared => Some("v"),
        _ => None,
    }
}

fn diagnosis() -> Diagnosis<'static> {
    Diagnosis { fault: &diagnose, wrong: &|_, _, _| Some("c"), unwritten: Some("d") }
}

fn mmt_c(t: &Trial) -> Outcome {
    mmt::mmt_c(t, &t.kernel(KERNEL).compile()?, K, &diagnosis())?;
    let kernels = t.kernel(KERNEL).define("K=32").define("PAD=1").compile()?;
    mmt::mmt_c(t, &kernels, 32, &diagnosis())?;
    Ok(mmt::mmt_c_evidence("16 and 32"))
}

fn example(t: &Trial) -> Result<(Run, Vec<f32>), Finding> {
    let matrix = Matrix::normal(t, EXAMPLE.0, EXAMPLE.1);
    let run = mmt::launch(&t.kernel(KERNEL).compile()?, K, &matrix, diagnose)?;
    let c = mmt::product(&run, &diagnosis())?;
    Ok((run, c))
}

fn once(t: &Trial) -> Outcome {
    let (run, c) = example(t)?;
    let (elements, stores) = (c.len() as u64, run.total().gst_lane);
    expect::that(stores == elements, || {
        format!("C has {elements} elements, the threads store {stores} values")
    })
    .map_err(|f| f.hint("a"))?;
    Ok(Evidence::new(format!("{stores} stores for {elements} elements")))
}

fn symmetric(t: &Trial) -> Outcome {
    let (_, c) = example(t)?;
    let m = EXAMPLE.0;
    let mirrored: Vec<f32> = (0..m * m).map(|p| c[p % m * m + p / m]).collect();
    expect::eq("C^T", &mirrored, &c).map_err(|f| f.hint("c"))
}

fn counts(t: &Trial) -> Outcome {
    let (run, _) = example(t)?;
    let pad = Kernel::best_pad(K.into());
    let (model, full) = (mmt::example(4, K.into(), pad), mmt::example(3, K.into(), pad));
    expect::count(&run, "flop", model.flop)
        .map_err(|f| if run.total().flop == full.flop { f.hint("h") } else { f })?;
    for name in ["gld.req", "gld.sec", "gst.req"] {
        let want = model.named().into_iter().find(|(own, _)| *own == name).map_or(0, |(_, n)| n);
        expect::count(&run, name, want).map_err(|f| f.hint("v"))?;
    }
    expect::at_most(&run, "gst.sec", model.own.1 + model.mirror.1).map_err(|f| f.hint("c"))?;
    // A tile may take the way through shared memory, so that its mirror image is written along
    // rows: the price is a store and a load there, of two wavefronts at most, and a barrier or two.
    let detour =
        if run.total().gst_sec < model.own.1 + model.mirror.1 { 2 * model.mirror.0 } else { 0 };
    let blocks = EXAMPLE.0 as u64 / u64::from(K);
    let bounds = [
        ("shst.wf", model.store_as + model.store_ats + detour),
        ("shld.wf", model.shld_wf + detour),
        ("bar", model.bar + if detour > 0 { 2 * blocks * blocks } else { 0 }),
    ];
    for (name, bound) in bounds {
        expect::at_most(&run, name, bound).map_err(|f| f.hint("v"))?;
    }
    // By the host function of 2.2.1.
    let small = Matrix::integers(t, 3 * K as usize, K as usize);
    let reply = t.call("e2_2_04.product", &request(4, K, &small))?;
    small.compare(&replied(&reply)?)?;
    let launches = trace::launches(&reply).len();
    expect::that(launches == 1, || format!("expected one launch, counted {launches}"))
        .map_err(|f| f.hint("e"))?;
    Ok(Evidence::new(format!(
        "flop {} of {}; loads {} sectors of {}; stores {} sectors{}",
        model.flop,
        full.flop,
        run.total().gld_sec,
        full.load_a + full.load_at,
        run.total().gst_sec,
        if detour > 0 { ", the mirror image through shared memory" } else { "" }
    ))
    .launch(run.report()))
}
