//! Checks of exercise 2.1.12: the tiled filter in OpenCL C. The counts are those of the CUDA
//! kernel.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Run, Trial, expect};
use rand::RngExt;
use simt::fault::{Fault, FaultKind};

use crate::fir_rig::{Channel, Version, exact};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.1.12",
    key: "e2_1_12",
    title: "The tiled filter in OpenCL C",
    points: 2,
    files: &["kernels/fir4.cl"],
    todo: "Write the kernel in kernels/fir4.cl: that of 2.1.9 with OpenCL's words.",
    hints: &[
        (
            "a",
            "others' samples are read before they are written: barrier(CLK_LOCAL_MEM_FENCE) \
             between filling and summing",
        ),
        ("b", "all work items must reach the barrier: move it out of the loop"),
        (
            "g",
            "get_global_id counts through the whole range: the place within the group is \
             get_local_id(0)",
        ),
        ("d", "the tile needs n samples of history before the group's own K"),
        (
            "f",
            "let all work items load, neighbours side by side: item t takes the entries n+t, \
             n+t-K, ...",
        ),
        ("l", "sum up from the tile: the signal is loaded from global memory once per group"),
        ("c", "the coefficients are constant memory: the argument's type is __constant float *"),
    ],
    checks: &[
        Check { name: "right", what: "right outputs for several sizes", weight: 2, run: right },
        Check { name: "races", what: "no race, one barrier per group", weight: 1, run: races },
        Check { name: "counts", what: "the counts of the CUDA kernel", weight: 3, run: counts },
    ],
};

const TILED: Version = Version::OpenCl;

fn diagnose(fault: &Fault) -> Option<&'static str> {
    match fault.kind {
        FaultKind::RaceShared => Some("a"),
        FaultKind::DivergentBarrier => Some("b"),
        FaultKind::OutOfBoundsShared | FaultKind::OutOfBoundsGlobal => Some("g"),
        FaultKind::Uninitialised if fault.site.is_some() => Some("d"),
        _ => None,
    }
}

/// A random channel through the kernel, without a fault.
fn launched(t: &Trial, len: usize, n: usize, k: usize) -> Result<(Channel, Run), Finding> {
    let kernels = TILED.compile(t, k, n)?;
    let channel = Channel::random(TILED, &mut t.rng(), len, n, k);
    let run = channel.launcher(&kernels).on_fault(diagnose).run().map_err(|f| refined(t, f))?;
    Ok((channel, run))
}

/// A tile entry that nobody has written yet may lack its history (`d`), or a barrier (`a`).
fn refined(t: &Trial, finding: Finding) -> Finding {
    let text = t.text(TILED.file()).unwrap_or_default();
    let waits = text.lines().filter_map(|l| l.split("//").next()).any(|l| l.contains("barrier("));
    let lacks = !waits && finding.hint.as_deref() == Some("d");
    if lacks { finding.hint("a") } else { finding }
}

fn right(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut sizes = vec![(2048, 1024, 512), (1500, 100, 512), (130, 0, 64), (900, 1000, 128)];
    let k = 32 * rng.random_range(1..33);
    sizes.push((rng.random_range(1..1500), rng.random_range(0..1025), k));
    for (len, n, k) in &sizes {
        let (channel, run) = launched(t, *len, *n, *k)?;
        channel.verify(&run)?;
    }
    Ok(Evidence::new(format!("(len, n, K) = {sizes:?}: right, no fault")))
}

fn races(t: &Trial) -> Outcome {
    for (len, n, k) in [(1500, 100, 128), (300, 1000, 96)] {
        let (channel, run) = launched(t, len, n, k)?;
        let groups = channel.shape().blocks() as u64;
        expect::that(run.total().shld_req > 0, || "nothing is read from local memory".into())
            .map_err(|f| f.hint("l"))?;
        expect::that(run.total().bar > 0, || "no barrier".into()).map_err(|f| f.hint("a"))?;
        expect::at_most(&run, "bar", groups).map_err(|f| f.hint("b"))?;
    }
    Ok(Evidence::new("two sizes: nothing is read before it is written; one barrier per group"))
}

/// The hint of a count that is wrong.
fn costly(name: &str) -> Option<&'static str> {
    Some(match name {
        "gld.req" | "gld.sec" | "shst.wf" => "f",
        "bar" => "b",
        _ => "l",
    })
}

fn counts(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let random =
        (rng.random_range(100..900), rng.random_range(1..200), 32 * rng.random_range(1..9));
    let mut evidence = Evidence::default();
    for (len, n, k) in [(2048, 1024, 512), random] {
        let (channel, run) = launched(t, len, n, k)?;
        // Without any load from constant memory that is what is wrong, whichever count shows it
        // first.
        let counted = exact(&run, &channel, costly);
        let none = run.total().cld_req == 0;
        evidence = evidence.and(counted.map_err(|f| if none { f.hint("c") } else { f })?);
    }
    Ok(evidence)
}
