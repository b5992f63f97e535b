//! Checks of exercise 3.4.5: the checksum.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Run, Trial, expect, host, trace};
use npb::ft::{C64, checksum};
use rand::RngExt;
use serde_json::json;
use simt::fault::{Fault, FaultKind};

use crate::ft::{SIZES, bits, grid, pairs};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.4.5",
    key: "e3_4_05",
    title: "Checksum",
    points: 2,
    files: &[KERNEL, "src/e3_4_05.rs"],
    todo: "Write ft_checksum in kernels/ft_checksum.cu, then clear and checksum in src/e3_4_05.rs.",
    hints: &[
        ("a", "j runs 1..1024, both included"),
        ("b", "idle threads must store 0"),
        ("c", "the barrier is for all: outside of the `if`"),
        ("d", "divide by N = nx*ny*nz once"),
        ("e", "clear the sums before a run: they are added to"),
        ("f", "factors 1, 3, 5 for x, y, z"),
        ("k", "the tree needs blocks that are powers of two: refuse others"),
        ("s", "thread j - 1 takes element j: 1024 threads share the elements"),
        ("g", "a block adds up first; then one atomic operation for each part"),
    ],
    checks: &[
        Check { name: "direct", what: "the sum of 1024 elements", weight: 1, run: direct },
        Check { name: "blocks", what: "any block that is a power of two", weight: 1, run: blocks },
        Check {
            name: "counts",
            what: "atomics, barriers, scattered loads",
            weight: 5,
            run: counts,
        },
        Check { name: "cleared", what: "the second run is as the first", weight: 1, run: cleared },
    ],
};

const KERNEL: &str = "kernels/ft_checksum.cu";

fn fault(fault: &Fault) -> Option<&'static str> {
    match fault.kind {
        FaultKind::Uninitialised => Some("b"),
        FaultKind::DivergentBarrier | FaultKind::RaceShared => Some("c"),
        _ => None,
    }
}

fn noise(t: &Trial, n: usize) -> Vec<C64> {
    let mut rng = t.rng();
    (0..n).map(|_| C64::new(rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0))).collect()
}

fn launch(t: &Trial, size: [usize; 3], u: &[C64], grid: u32, block: u32) -> Result<Run, Finding> {
    let [nx, ny, nz] = size.map(|n| n as i32);
    let run = t
        .kernel(KERNEL)
        .compile()?
        .launch("ft_checksum", grid, block)
        .scalar(2i32)
        .input("u1", &pairs(u))
        .inout("sums", &[0.0f64; 8])
        .scalar(nx)
        .scalar(ny)
        .scalar(nz)
        .on_fault(fault)
        .run()?;
    expect::shared_work(&run).map_err(|f| f.hint("s"))?;
    Ok(run)
}

fn compare(what: &str, size: [usize; 3], u: &[C64], got: [f64; 2]) -> Outcome {
    let n: usize = size.iter().product();
    let want = checksum(size, u);
    let tolerance = 1e-13 * 1024.0 / n as f64 * 2.0;
    let close = |v: C64| (got[0] - v.re).abs() <= tolerance && (got[1] - v.im).abs() <= tolerance;
    let at = |j: usize, [a, b, c]: [usize; 3]| {
        let [nx, ny, nz] = size;
        u[a * j % nx + nx * (b * j % ny + ny * (c * j % nz))]
    };
    let sum = |first: usize, last: usize, f: [usize; 3]| -> C64 {
        (first..=last).map(|j| at(j, f)).sum::<C64>() / n as f64
    };
    let finding = expect::close(what, &got, &[want.re, want.im], |_| tolerance);
    finding.map_err(|f| {
        let scaled = |factor: f64| {
            let v = want * factor;
            ((got[0] - v.re).abs() + (got[1] - v.im).abs()) <= 1e-9 * v.norm()
        };
        if [(0, 1023), (1, 1023), (0, 1024)].iter().any(|(a, b)| close(sum(*a, *b, [1, 3, 5]))) {
            f.hint("a")
        } else if scaled(n as f64) || scaled(1.0 / n as f64) {
            f.hint("d")
        } else if [[5, 3, 1], [3, 1, 5], [1, 5, 3], [3, 5, 1], [5, 1, 3]]
            .into_iter()
            .any(|factors| close(sum(1, 1024, factors)))
        {
            f.hint("f")
        } else {
            f
        }
    })
}

fn direct(t: &Trial) -> Outcome {
    for (name, size) in SIZES {
        let size = grid(size);
        let u = noise(t, size.iter().product());
        // One block more than needed: its threads have nothing to add.
        for blocks in [4, 5] {
            let sums: Vec<f64> = launch(t, size, &u, blocks, 256)?.get("sums")?;
            compare(&format!("{name}: checksum"), size, &u, [sums[4], sums[5]])?;
            let others = sums.iter().enumerate().filter(|(i, v)| !(4..6).contains(i) && **v != 0.0);
            expect::that(others.count() == 0, || {
                format!("{name}: iteration 2 adds to sums[4] and sums[5], found {sums:?}")
            })?;
        }
    }
    Ok(Evidence::new("T1 to T4: elements 1 to 1024, over nx ny nz"))
}

fn blocks(t: &Trial) -> Outcome {
    let (_, size) = SIZES[1];
    let u = noise(t, grid(size).iter().product());
    for block in [32, 64, 128, 256, 512, 1024] {
        let sums: Vec<f64> = launch(t, grid(size), &u, 1024 / block, block)?.get("sums")?;
        compare(&format!("blocks of {block}"), grid(size), &u, [sums[4], sums[5]])?;
    }
    for block in [0, 16, 96, 1000, 2048] {
        let request = json!({ "size": size, "u": bits(&u), "block": block, "runs": 1 });
        host::error(&t.call("e3_4_05.checksum", &request)?)
            .map_err(|f| Finding { hint: None, ..f }.hint("k"))?;
    }
    Ok(Evidence::new("blocks of 32 to 1024; 0, 16, 96, 1000 and 2048 are refused"))
}

fn counts(t: &Trial) -> Outcome {
    let (_, size) = SIZES[0];
    let size = grid(size);
    let u = noise(t, size.iter().product());
    let run = launch(t, size, &u, 4, 256)?;
    let sums: Vec<f64> = run.get("sums")?;
    compare("T1: checksum", size, &u, [sums[4], sums[5]])?;
    expect::at_most(&run, "atom.lane", 8).map_err(|f| f.hint("g"))?;
    expect::at_most(&run, "bar", 4 * 9).map_err(|f| f.hint("g"))?;
    expect::at_most(&run, "gld.req", 32)?;
    expect::at_most(&run, "gld.sec", 512)?;
    let total = run.total();
    Ok(Evidence::new(format!(
        "{} blocks: {} atomic lanes, {} barriers; 1024 elements in {} sectors: only {} different \
         ones in a cube of 16",
        4, total.atom_lane, total.bar, total.gld_sec, 16
    ))
    .launch(run.report()))
}

fn cleared(t: &Trial) -> Outcome {
    let (name, size) = SIZES[2];
    let u = noise(t, grid(size).iter().product());
    for runs in [1, 2] {
        let request = json!({ "size": size, "u": bits(&u), "block": 128, "runs": runs });
        let reply = t.call("e3_4_05.checksum", &request)?;
        let bits: Vec<u64> = trace::list(&reply, 2 * (size[3] + 1))?;
        trace::launched(&reply)?;
        for iteration in 1..=size[3] {
            let got = [2 * iteration, 2 * iteration + 1].map(|i| f64::from_bits(bits[i]));
            compare(&format!("{name}, run {runs}, iteration {iteration}"), grid(size), &u, got)
                .map_err(|f| Finding { hint: None, ..f }.hint("e"))?;
        }
    }
    Ok(Evidence::new("two runs in memory that held something else: the same checksums"))
}
