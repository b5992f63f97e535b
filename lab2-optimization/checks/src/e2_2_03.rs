//! Checks of exercise 2.2.3: coalescing global accesses.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Run, Trial, expect};
use rand::RngExt;
use simt::fault::{Fault, FaultKind};

use crate::mmt::{self, Diagnosis, EXAMPLE, Matrix};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.2.3",
    key: "e2_2_03",
    title: "Coalescing global accesses",
    points: 4,
    files: &[KERNEL, ANSWERS],
    todo: "Predict in answers/e2_2_03.toml, then write the line of kernels/mmt2.cu that loads the \
        tile of A^T.",
    hints: &[
        ("n", "lanes of a warp differ in tx: the address must grow by 1 with tx, not by n"),
        ("a", "the tile is transposed: exchange tx and ty on both sides of the line"),
        ("c", "the store is exchanged, the load is not: exchange the load as well"),
        ("b", "A was read right already: leave the line of As as it is"),
        (
            "p",
            "lanes 0 to 31 have tx = lane % 16, ty = lane / 16: which banks do the words 16 * tx + \
             ty lie in?",
        ),
    ],
    checks: &[
        Check { name: "mmt_c", what: "the product", weight: 2, run: mmt_c },
        Check {
            name: "sectors",
            what: "four sectors per request of both loads",
            weight: 3,
            run: sectors,
        },
        Check {
            name: "prediction",
            what: "what you expected to count",
            weight: 1,
            run: prediction,
        },
    ],
};

const KERNEL: &str = "kernels/mmt2.cu";
const ANSWERS: &str = "answers/e2_2_03.toml";
const K: u32 = 16;

/// Which side of which line is exchanged, told by the sectors of the two loads.
fn look(run: &Run, text: &str, right: bool) -> Option<&'static str> {
    let (a, at) =
        (mmt::load_sectors(run, text, mmt::loads_a), mmt::load_sectors(run, text, mmt::loads_at));
    match (a, at) {
        (5.., _) => Some("b"),
        (_, 5..) if right => Some("n"),
        (_, 5..) => Some("c"),
        _ if right => None,
        _ => Some("a"),
    }
}

fn diagnose(fault: &Fault) -> Option<&'static str> {
    (fault.kind == FaultKind::Uninitialised).then_some("n")
}

fn mmt_c(t: &Trial) -> Outcome {
    let text = t.text(KERNEL)?;
    let diagnosis = Diagnosis {
        fault: &diagnose,
        wrong: &|run, _, _| look(run, &text, false),
        unwritten: None,
    };
    mmt::mmt_c(t, &t.kernel(KERNEL).compile()?, K, &diagnosis)?;
    mmt::mmt_c(t, &t.kernel(KERNEL).define("K=32").compile()?, 32, &diagnosis)?;
    Ok(mmt::mmt_c_evidence("16 and 32"))
}

fn sectors(t: &Trial) -> Outcome {
    let text = t.text(KERNEL)?;
    let mut evidence = Evidence::default();
    for k in [K, 8, 32] {
        let kernels = t.kernel(KERNEL).define(&format!("K={k}")).compile()?;
        let run = mmt::launch(&kernels, k, &Matrix::normal(t, EXAMPLE.0, EXAMPLE.1), diagnose)?;
        let model = mmt::example(2, k.into(), 0);
        let hint = |f: Finding| match look(&run, &text, true) {
            Some(hint) => f.hint(hint),
            None => f,
        };
        for (name, want) in model.named() {
            // Conflicts of the store are the next exercise; without exchange there would be none.
            expect::count(&run, name, want).map_err(hint)?;
        }
        let total = run.total();
        evidence = evidence.line(format!(
            "K = {k}: {} sectors in {} requests; the price: {} wavefronts in {} stores to shared \
             memory",
            total.gld_sec, total.gld_req, total.shst_wf, total.shst_req
        ));
        if k == K {
            evidence = evidence.launch(run.report());
        }
    }
    Ok(evidence)
}

fn prediction(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let row = 2 * a.own()?.random_range(8..25u64);
    let a = a.about(format!("rows of {row} words"));
    // The line of version 2 with the rows of version 3.
    let model = mmt::example(3, K.into(), row - u64::from(K));
    let sectors = model.load_at as f64 / (model.gld_req as f64 / 2.0);
    let wavefronts = model.store_ats as f64 / (model.shst_req as f64 / 2.0);
    a.is_near("load_sectors", sectors, 0.01, "p")?;
    a.is_near("store_wavefronts", wavefronts, 0.01, "p")?;
    Ok(Evidence::new(format!(
        "rows of {row}: {sectors} sectors per request, {wavefronts} wavefronts per store"
    )))
}
