//! Random vectors, and the parts that checks of vector kernels share.

use grading::{Evidence, Finding, Kernels, Outcome, Run, Trial, expect};
use rand::RngExt;

use crate::model::Counts;

/// Vectors whose sum cannot overflow.
pub fn ints(t: &Trial, n: usize) -> (Vec<i32>, Vec<i32>) {
    let mut rng = t.rng();
    let mut one = || (0..n).map(|_| rng.random_range(-1_000_000_000..1_000_000_000)).collect();
    (one(), one())
}

/// What `c` must be.
pub fn sum(a: &[i32], b: &[i32]) -> Vec<i32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// The integer kernel on fresh memory; `size` is the last argument of guarded kernels. `hint` looks
/// at a fault.
pub fn add(
    kernels: &Kernels,
    (grid, block): (u32, u32),
    (a, b): (&[i32], &[i32]),
    size: Option<i32>,
    hint: impl Fn(&simt::fault::Fault) -> Option<&'static str>,
) -> Result<Run, Finding> {
    let launch = kernels
        .launch("add_kernel", grid, block)
        .output::<i32>("c", a.len())
        .input("a", a)
        .input("b", b)
        .on_fault(hint);
    match size {
        Some(size) => launch.scalar(size).run(),
        None => launch.run(),
    }
}

/// Every element was stored once, by a thread of its own: as many lanes as elements, a whole warp
/// at a time.
pub fn shared_out(run: &Run, n: usize) -> Result<(), Finding> {
    let (lanes, requests) = (n as u64, n.div_ceil(32) as u64);
    let (found, seen) = (run.total().gst_lane, run.total().gst_req);
    expect::that((found, seen) == (lanes, requests), || {
        format!("{n} elements: {found} stores in {seen} requests, expected {lanes} in {requests}")
    })
}

/// Compares the counts of a run with those of the model.
pub fn counts(run: &Run, want: &Counts) -> Outcome {
    let all = [
        ("gld.req", want.gld.0),
        ("gld.sec", want.gld.1),
        ("gst.req", want.gst.0),
        ("gst.sec", want.gst.1),
        ("br.exec", want.br.0),
        ("br.div", want.br.1),
    ];
    for (name, want) in all {
        expect::count(run, name, want)?;
    }
    let Counts { gld, gst, br } = want;
    Ok(Evidence::new(format!(
        "requests/sectors: loads {}/{}, stores {}/{}; branches {}, divergent {}",
        gld.0, gld.1, gst.0, gst.1, br.0, br.1
    ))
    .launch(run.report()))
}
