//! Checks of exercise 1.1.15: vector addition in OpenCL C. The counts are those of the CUDA kernel.

use grading::{Check, Evidence, Exercise, Finding, Kernels, Outcome, Trial, expect};
use rand::RngExt;
use simt::fault::{Fault, FaultKind};

use crate::{model, vectors};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L1-1.1.15",
    key: "e1_1_15",
    title: "The same kernel in OpenCL C",
    points: 2,
    files: &[KERNEL],
    todo: "Write the kernel in kernels/add.cl with OpenCL's words.",
    hints: &[
        ("a", "get_local_id counts within a group: the element is get_global_id(0)"),
        ("b", "there are more work items than elements: compare with size before c[i], a[i], b[i]"),
        ("c", "one element for each work item, neighbours side by side"),
    ],
    checks: &[
        Check { name: "right", what: "sums of any length, without a fault", weight: 2, run: right },
        Check { name: "counts", what: "the counts of the CUDA kernel", weight: 1, run: counts },
    ],
};

const KERNEL: &str = "kernels/add.cl";
const GROUP: u32 = 256;

fn compile(t: &Trial) -> Result<Kernels, Finding> {
    t.kernel(KERNEL).define("ELEM=int").compile()
}

fn diagnose(fault: &Fault) -> Option<&'static str> {
    match fault.kind {
        FaultKind::RaceGlobal => Some("a"),
        FaultKind::OutOfBoundsGlobal => Some("b"),
        _ => None,
    }
}

fn run(t: &Trial, n: usize) -> Result<grading::Run, Finding> {
    let (a, b) = vectors::ints(t, n);
    let groups = (n as u32).div_ceil(GROUP);
    let run = vectors::add(&compile(t)?, (groups, GROUP), (&a, &b), Some(n as i32), diagnose)?;
    let c = run.get::<i32>("c").map_err(|f| f.hint("a"))?;
    expect::eq("c", &c, &vectors::sum(&a, &b))?;
    vectors::shared_out(&run, n).map_err(|f| f.hint("c"))?;
    Ok(run)
}

fn right(t: &Trial) -> Outcome {
    let sizes = [1, 256, 2000, 2048, t.rng().random_range(300..5_000)];
    for n in sizes {
        run(t, n)?;
    }
    Ok(Evidence::new(format!("n = {sizes:?}: right, no fault")))
}

fn counts(t: &Trial) -> Outcome {
    let want = model::vector_add(2000, 4, 8, u64::from(GROUP), true);
    vectors::counts(&run(t, 2000)?, &want).map_err(|f| f.hint("c"))
}
