//! Checks of exercise 3.4.4: the three-dimensional transform and its layouts.

use std::collections::BTreeSet;

use grading::{Check, Evidence, Exercise, Finding, Kernels, Outcome, Run, Trial, expect};
use npb::ft::{C64, transform};
use rand::RngExt;
use serde_json::json;
use simt::fault::{Fault, FaultKind};

use crate::ft::{SIZES, bits, close, complex, grid, initial, pairs, replied, roots, transformed};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.4.4",
    key: "e3_4_04",
    title: "Three-kernel passes and their layouts",
    points: 5,
    files: &[KERNEL, "src/e3_4_04.rs"],
    todo: "Write line and the nine kernels in kernels/ft.cu, then the launches in src/e3_4_04.rs.",
    hints: &[
        (
            "a",
            "32 sectors per request: neighbouring threads must be neighbours in memory: use \
             [z][x][y]",
        ),
        ("b", "NX and NY exchanged (a cube hides it)"),
        ("c", "one thread per line: those beyond the last line have nothing to do"),
        ("d", "copy out of the buffer that holds the result: y0"),
        (
            "f",
            "the stages of 3.4.3: log2 n of n/2 butterflies, ten operations each; not n^2 products",
        ),
        ("e", "the three kernels depend on one another: one stream"),
    ],
    checks: &[
        Check { name: "axes", what: "each axis alone", weight: 3, run: axes },
        Check { name: "arrays", what: "whole transforms", weight: 2, run: arrays },
        Check { name: "roundtrip", what: "forward, then inverse", weight: 1, run: roundtrip },
        Check { name: "counts", what: "sectors of each kernel", weight: 2, run: counts },
    ],
};

const KERNEL: &str = "kernels/ft.cu";

fn fault(fault: &Fault) -> Option<&'static str> {
    match fault.kind {
        FaultKind::RaceGlobal | FaultKind::OutOfBoundsGlobal => Some("c"),
        FaultKind::Uninitialised => Some("d"),
        _ => None,
    }
}

/// Runs of the three kernels of an axis (1 to 3).
pub struct Pass {
    /// To the layout of the axis.
    pub copy_in: Run,
    /// All lines.
    pub transform: Run,
    /// And back.
    pub copy_out: Run,
}

/// The three kernels of an axis (1: x) for a field of the given size.
pub fn pass(
    kernels: &Kernels,
    axis: usize,
    size: [usize; 3],
    u: &[C64],
    sign: i32,
    block: u32,
) -> Result<Pass, Finding> {
    let n: usize = size.iter().product();
    let [nx, ny, nz] = size.map(|n| n as i32);
    let longest = size.into_iter().max().unwrap_or(1);
    let grid = |threads: usize| (threads as u32).div_ceil(block);
    let copy_in = kernels
        .launch(&format!("ft_in{axis}"), grid(n), block)
        .input("u", &pairs(u))
        .output::<[f64; 2]>("y0", n)
        .scalar(nx)
        .scalar(ny)
        .scalar(nz)
        .on_fault(fault)
        .run()?;
    let transform = kernels
        .launch(&format!("ft_fft{axis}"), grid(n / size[axis - 1]), block)
        .inout("y0", &copy_in.get::<[f64; 2]>("y0").map_err(|f| f.hint("b"))?)
        .output::<[f64; 2]>("y1", n)
        .input("roots", &pairs(&roots(longest)))
        .scalar(nx)
        .scalar(ny)
        .scalar(nz)
        .scalar(sign)
        .on_fault(fault)
        .run()?;
    let copy_out = kernels
        .launch(&format!("ft_out{axis}"), grid(n), block)
        .input("y0", &transform.get::<[f64; 2]>("y0")?)
        .output::<[f64; 2]>("u", n)
        .scalar(nx)
        .scalar(ny)
        .scalar(nz)
        .on_fault(fault)
        .run()?;
    Ok(Pass { copy_in, transform, copy_out })
}

fn noise(t: &Trial, n: usize) -> Vec<C64> {
    let mut rng = t.rng();
    (0..n).map(|_| C64::new(rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0))).collect()
}

fn axes(t: &Trial) -> Outcome {
    let kernels = t.kernel(KERNEL).compile()?;
    for (name, size) in SIZES {
        let size = grid(size);
        let u = noise(t, size.iter().product());
        for axis in 1..=3 {
            for sign in [1, -1] {
                // A block that divides no number of lines of any class but T1.
                let done = pass(&kernels, axis, size, &u, sign, 96)?;
                let got = complex(&done.copy_out.get::<[f64; 2]>("u")?);
                let mut want = u.clone();
                transform(size, axis - 1, sign > 0, &mut want);
                close(&format!("{name}, axis {axis}, sign {sign:+}"), &got, &want, 1e-12)
                    .map_err(|f| f.hint("b"))?;
                let stages = u64::from(size[axis - 1].ilog2());
                expect::at_most(&done.transform, "flop", 10 * u.len() as u64 / 2 * stages)
                    .map_err(|f| f.hint("f"))?;
                for run in [&done.copy_in, &done.transform, &done.copy_out] {
                    expect::shared_work(run).map_err(|f| f.hint("c"))?;
                }
            }
        }
    }
    Ok(Evidence::new("T1 to T4: three kernels for each axis, both signs"))
}

fn ask(t: &Trial, size: [usize; 4], u: &[C64], signs: &[i32]) -> Result<Vec<C64>, Finding> {
    let longest = grid(size).into_iter().max().unwrap_or(1);
    let request = json!({
        "size": size, "u": bits(u), "roots": bits(&roots(longest)), "signs": signs, "block": 64,
    });
    let reply = t.call("e3_4_04.fft3d", &request)?;
    let launches = reply.api.iter().filter(|c| c.launch.is_some());
    let streams: BTreeSet<_> = launches.map(|c| c.stream).collect();
    expect::that(streams.len() <= 1, || {
        format!(
            "the launches are on {} streams, and nothing says which one waits for which",
            streams.len()
        )
    })
    .map_err(|f| f.hint("e"))?;
    if let Some(found) = reply.faults.first().filter(|f| f.kind != FaultKind::Leak) {
        let finding = Finding::fault(found.clone());
        return Err(match fault(found) {
            Some(hint) => finding.hint(hint),
            None => finding,
        });
    }
    let out = replied(&reply)?;
    grading::trace::launched(&reply)?;
    Ok(out)
}

fn arrays(t: &Trial) -> Outcome {
    for (name, size) in SIZES {
        let u = initial(grid(size));
        for sign in [1, -1] {
            let got = ask(t, size, &u, &[sign])?;
            let want = transformed(grid(size), sign > 0, &u);
            close(&format!("{name}, sign {sign:+}"), &got, &want, 1e-12)
                .map_err(|f| f.or_hint("d"))?;
        }
    }
    Ok(Evidence::new("T1 to T4: the whole field, nine launches in one stream"))
}

fn roundtrip(t: &Trial) -> Outcome {
    for (name, size) in SIZES {
        let n: usize = grid(size).iter().product();
        let u = noise(t, n);
        let got = ask(t, size, &u, &[1, -1])?;
        let want: Vec<C64> = u.iter().map(|v| v * n as f64).collect();
        close(&format!("{name}, forward and inverse"), &got, &want, 1e-12)
            .map_err(|f| f.or_hint("d"))?;
    }
    Ok(Evidence::new("T1 to T4: inverse of forward is nx ny nz times the field"))
}

fn counts(t: &Trial) -> Outcome {
    let kernels = t.kernel(KERNEL).compile()?;
    let size = [32, 16, 8];
    let n: usize = size.iter().product();
    let u = noise(t, n);
    let mut evidence = Evidence::default();
    for axis in 1..=3 {
        let done = pass(&kernels, axis, size, &u, 1, 128)?;
        let requests = n as u64 / 32;
        // Along one of its sides, the copy to [z][x][y] has neighbours that are ny elements apart.
        let copy = requests * if axis == 1 { 16 + 32 } else { 16 + 16 };
        for run in [&done.copy_in, &done.copy_out] {
            at_most(run, copy)?;
        }
        let length = size[axis - 1] as u64;
        let (lines, stages) = (n as u64 / length, u64::from(length.ilog2()));
        let warps = lines / 32;
        let butterflies = length / 2 * stages;
        let moves = 4 * butterflies + if stages % 2 == 1 { 2 * length } else { 0 };
        let sectors = warps * (16 * moves + butterflies);
        at_most(&done.transform, sectors)?;
        let total = done.transform.total();
        evidence = evidence.and(
            Evidence::new(format!(
                "axis {axis}: transform {} sectors of {sectors}, copies {copy} each",
                total.gld_sec + total.gst_sec
            ))
            .launch(done.transform.report()),
        );
    }
    Ok(evidence)
}

/// Loads and stores together within 2 percent of the model.
fn at_most(run: &Run, model: u64) -> Result<(), Finding> {
    let found = run.total().gld_sec + run.total().gst_sec;
    expect::that(50 * found <= 51 * model, || {
        format!("{}: {found} sectors, expected at most {model}", run.report().kernel)
    })
    .map_err(|f| match run.pattern("gld.sec") {
        Some(pattern) => f.pattern(&pattern).hint("a"),
        None => f.hint("a"),
    })
}
