//! Checks of exercise 3.1.8: moments of inertia.

use grading::{Check, Evidence, Exercise, Outcome, Trial, expect};
use rand::RngExt;
use serde_json::json;
use simt::fault::{Fault, FaultKind};

use crate::device::{self, within};
use crate::mc::SOLIDS;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.1.8",
    key: "e3_1_08",
    title: "Moments of inertia",
    points: 3,
    files: &[KERNEL, "src/e3_1_08.rs"],
    todo: "Write the two sums of kernels/mc_inertia.cu and the estimate in src/e3_1_08.rs.",
    hints: &[
        ("a", "the squared distance from the z axis is x^2 + y^2"),
        ("b", "outside the solid f is 0: multiply by f_product"),
        ("c", "sum in double: a float loses the small terms of a long sum"),
        ("d", "the uncertainty needs the squares of this f, (x^2 + y^2)^2"),
        (
            "e",
            "sums[2k] and sums[2k + 1] belong to block k: all warps of it, and all blocks on the \
             host",
        ),
        ("h", "256 threads of a block share the points: i, i + T, i + 2T, ..., as in mc_hits"),
        (
            "g",
            "all threads must reach the barrier, and it stands between writing and reading the \
             sums of the warps",
        ),
    ],
    checks: &[
        Check { name: "inertia", what: "moments of six solids", weight: 2, run: inertia },
        Check { name: "u", what: "their uncertainty", weight: 1, run: u },
        Check { name: "f64_sum", what: "sums to six digits", weight: 1, run: f64_sum },
    ],
};

const KERNEL: &str = "kernels/mc_inertia.cu";

fn diagnose(fault: &Fault) -> Option<&'static str> {
    match fault.kind {
        FaultKind::DivergentBarrier | FaultKind::RaceShared | FaultKind::Uninitialised => Some("g"),
        FaultKind::RaceGlobal => Some("e"),
        _ => None,
    }
}

/// The threads share the points.
fn shared(t: &Trial) -> Outcome {
    let coordinate = vec![0.5f32; 1024];
    let run = t
        .kernel(KERNEL)
        .compile()?
        .launch("mc_inertia", 1u32, 256u32)
        .input("x", &coordinate)
        .input("y", &coordinate)
        .input("z", &coordinate)
        .scalar(1024u64)
        .scalar(0i32)
        .output::<f64>("sums", 2)
        .on_fault(diagnose)
        .run()?;
    expect::shared_work(&run).map_err(|f| f.hint("h"))
}

/// The student's moment and uncertainty.
fn moment(t: &Trial, id: usize, n: usize, seed: u32) -> Result<[f64; 2], grading::Finding> {
    let request = json!({ "id": id, "n": n, "seed": seed });
    let bits: [u64; 2] = device::value(&t.call("e3_1_08.inertia", &request)?, diagnose)?;
    Ok(bits.map(f64::from_bits))
}

fn inertia(t: &Trial) -> Outcome {
    shared(t)?;
    let mut rng = t.rng();
    const N: usize = 1 << 14;
    let mut evidence = Evidence::default();
    for (id, solid) in SOLIDS.iter().enumerate() {
        let [i, u] = moment(t, id, N, rng.random())?;
        let bound = 5.0 * solid.sigma(&mut rng, |x, y| x * x + y * y) / (N as f64).sqrt();
        if !within(i, solid.inertia, bound) {
            let all = |axis: usize| {
                let [a, b] = [solid.bounds[2 * axis], solid.bounds[2 * axis + 1]];
                (b.powi(3) - a.powi(3)) / (3.0 * (b - a))
            };
            let of_box = solid.box_volume() * (all(0) + all(1));
            let hint = if (i / of_box - 1.0).abs() < 0.03 { "b" } else { "a" };
            let text = format!(
                "I_z of {}: expected {:.3} +- {bound:.3}, got {i:.3}",
                solid.name, solid.inertia
            );
            return Err(grading::Finding::wrong(text).hint(hint));
        }
        evidence = evidence
            .line(format!("{}: {i:.3} +- {u:.3}, exactly {:.3}", solid.name, solid.inertia));
    }
    Ok(evidence)
}

fn u(t: &Trial) -> Outcome {
    shared(t)?;
    let mut rng = t.rng();
    const N: usize = 1 << 15;
    let mut shown = Vec::new();
    for id in [1, 2, 5] {
        let [_, u] = moment(t, id, N, rng.random())?;
        let want = SOLIDS[id].sigma(&mut rng, |x, y| x * x + y * y) / (N as f64).sqrt();
        expect::that((u / want - 1.0).abs() <= 0.07, || {
            format!("u of {}: expected about {want:.4}, got {u:.4}", SOLIDS[id].name)
        })
        .map_err(|f| f.hint("d"))?;
        shown.push(format!("{u:.3} (expected {want:.3})"));
    }
    Ok(Evidence::new(shown.join(", ")))
}

fn f64_sum(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let kernels = t.kernel(KERNEL).compile()?;
    let mut worst = 0.0f64;
    for (blocks, n) in [(1u32, 1usize << 17), (1, 1 << 17), (1, 1 << 17), (3, 50_001)] {
        // One point over and over: rounding errors of the same sign add up.
        let (x, y) = (rng.random_range(0.2..0.7f32), rng.random_range(0.2..0.7f32));
        let run = kernels
            .launch("mc_inertia", blocks, 256u32)
            .input("x", &vec![x; n])
            .input("y", &vec![y; n])
            .input("z", &vec![0.1f32; n])
            .scalar(n as u64)
            .scalar(0i32)
            .output::<f64>("sums", 2 * blocks as usize)
            .on_fault(diagnose)
            .run()?;
        let of_blocks = run.get::<f64>("sums").map_err(|f| f.hint("e"))?;
        let r2 = f64::from(x).powi(2) + f64::from(y).powi(2);
        for (k, name, one) in [(0, "f", r2), (1, "f^2", r2 * r2)] {
            let got: f64 = of_blocks.iter().skip(k).step_by(2).sum();
            let want = one * n as f64;
            let off = (got / want - 1.0).abs();
            expect::that(off <= 1e-6, || {
                format!(
                    "{n} times the point ({x}, {y}): sum of {name}: expected {want}, got \
                    {got}: off by {off:.1e}"
                )
            })
            .map_err(|f| f.hint(if off < 1e-2 { "c" } else { "e" }))?;
            worst = worst.max(off);
        }
    }
    Ok(Evidence::new(format!("sums of up to {} terms, off by at most {worst:.1e}", 1 << 17)))
}
