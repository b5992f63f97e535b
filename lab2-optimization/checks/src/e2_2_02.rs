//! Checks of exercise 2.2.2: bank conflicts.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Run, Trial, expect, trace};
use serde_json::json;
use simt::fault::{Fault, FaultKind};

use crate::mmt::{self, Diagnosis, EXAMPLE, Matrix};
use references::counts::product::Kernel;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.2.2",
    key: "e2_2_02",
    title: "Bank conflicts",
    points: 5,
    files: &[KERNEL, "src/e2_2_02.rs"],
    todo: "Pad the rows of ATs in kernels/mmt3.cu by PAD words, then find the best padding in \
        src/e2_2_02.rs.",
    hints: &[
        ("a", "the conflicts are on ATs: As is written along rows already"),
        ("b", "more rows change nothing: make the row longer, the second dimension"),
        ("c", "index with the declared row length: ATs[tx][ty], not tx * K + ty"),
        ("e", "PAD = 1 leaves two words in one bank at K = 16: try the next ones"),
        ("d", "16 more columns keep the same banks: 16 * (K + 16) is a multiple of 32"),
        (
            "f",
            "count for every padding from 0 to 31: lane l writes word (l % k) * (k + pad) + l / k, \
             in bank word % 32",
        ),
        ("s", "of several paddings with the fewest wavefronts take the smallest"),
    ],
    checks: &[
        Check { name: "mmt_c", what: "the product, with any padding", weight: 1, run: mmt_c },
        Check {
            name: "wavefronts",
            what: "no conflict left on any store",
            weight: 2,
            run: wavefronts,
        },
        Check {
            name: "best_pad",
            what: "the smallest padding with the fewest wavefronts",
            weight: 2,
            run: best_pad,
        },
    ],
};

const KERNEL: &str = "kernels/mmt3.cu";
const K: u32 = 16;

fn diagnose(fault: &Fault) -> Option<&'static str> {
    use FaultKind::{OutOfBoundsShared, RaceShared, Uninitialised};
    [OutOfBoundsShared, RaceShared, Uninitialised].contains(&fault.kind).then_some("c")
}

fn mmt_c(t: &Trial) -> Outcome {
    let diagnosis = Diagnosis { fault: &diagnose, wrong: &|_, _, _| Some("c"), unwritten: None };
    mmt::mmt_c(t, &t.kernel(KERNEL).compile()?, K, &diagnosis)?;
    for (k, pad) in [(8, 4), (16, 1), (32, 1), (32, 5)] {
        let kernels = t.kernel(KERNEL).define(&format!("K={k}")).define(&format!("PAD={pad}"));
        mmt::mmt_c(t, &kernels.compile()?, k, &diagnosis)?;
    }
    Ok(mmt::mmt_c_evidence("8, 16 and 32"))
}

/// What a wrong number of wavefronts deserves, told by where they come from and how much shared
/// memory is declared.
fn look(run: &Run, text: &str, k: u32, pad: Option<u32>) -> Option<&'static str> {
    let stores = |line: fn(&str) -> bool| run.lines_where(text, line);
    let (a, at) = (stores(mmt::loads_a), stores(mmt::loads_at));
    let longer = run.report().static_shared.checked_sub(8 * k * k).filter(|more| *more > 0);
    match (longer, pad) {
        (Some(_), _) if a.shst_wf > a.shst_req => Some("a"),
        // PAD rows of K words instead of K rows of PAD words more: the same memory, the same
        // conflicts as without.
        (Some(_), Some(_)) => Some("b"),
        (Some(more), None) if more / (4 * k) >= 16 => Some("d"),
        _ if at.shst_wf > at.shst_req => Some("e"),
        _ => None,
    }
}

fn wavefronts(t: &Trial) -> Outcome {
    let text = t.text(KERNEL)?;
    let matrix = Matrix::normal(t, EXAMPLE.0, EXAMPLE.1);
    let mut evidence = Evidence::default();
    // With the padding that the host asks for, then with the file's own.
    let asked =
        [(16, Some(1)), (16, Some(2)), (32, Some(1)), (8, Some(4)), (24, Some(2)), (K, None)];
    for (k, pad) in asked {
        let file = t.kernel(KERNEL).define(&format!("K={k}"));
        let file = match pad {
            Some(pad) => file.define(&format!("PAD={pad}")),
            None => file,
        };
        let run = mmt::launch(&file.compile()?, k, &matrix, diagnose)?;
        let best = Kernel::best_pad(k.into());
        let model = mmt::example(3, k.into(), pad.map_or(best, u64::from));
        let hint = |f: Finding| match look(&run, &text, k, pad) {
            Some(hint) => f.hint(hint),
            None => f,
        };
        for (name, want) in model.named() {
            if name == "shst.wf" {
                expect::at_most(&run, name, want).map_err(hint)?;
            } else {
                expect::count(&run, name, want).map_err(hint)?;
            }
        }
        let pad = pad.map_or("as in the file".into(), |pad| pad.to_string());
        let total = run.total();
        evidence = evidence.line(format!(
            "K = {k}, PAD {pad}: {} wavefronts in {} stores",
            total.shst_wf, total.shst_req
        ));
        if k == K {
            evidence = evidence.launch(run.report());
        }
    }
    Ok(evidence)
}

fn best_pad(t: &Trial) -> Outcome {
    let ks: Vec<u64> = (0..=32).collect();
    let pads: Vec<u32> = trace::list(&t.call("e2_2_02.best_pad", &json!(ks))?, ks.len())?;
    for (&k, &got) in ks.iter().zip(&pads) {
        let want = Kernel::best_pad(k);
        let of = |pad| Kernel { variant: 3, k, pad }.store_wavefronts();
        expect::that(u64::from(got) == want, || {
            format!(
                "best_pad({k}): {want} words give {} wavefronts per block, {got} give {}",
                of(want),
                of(got.into())
            )
        })
        .map_err(|f| if of(got.into()) == of(want) { f.hint("s") } else { f.hint("f") })?;
    }
    Ok(Evidence::new(format!(
        "best_pad of 8, 16, 24, 32: {:?}",
        [8, 16, 24, 32].map(Kernel::best_pad)
    )))
}
