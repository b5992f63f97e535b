//! Checks of exercise 1.1.8: floating point arrives.

use grading::{
    Call, Check, Evidence, Exercise, Finding, Kernels, Outcome, Run, Trial, expect, trace,
};
use rand::RngExt;
use serde_json::json;

use crate::e1_1_07::{dur_fault, durations};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L1-1.1.8",
    key: "e1_1_08",
    title: "Floating point arrives",
    points: 7,
    files: &["src/e1_1_08.rs", KERNEL],
    todo: "Make the kernels of kernels/e1_1_08.cu add float and tell their clocks, then write \
        fill, the two errors and gflops in src/e1_1_08.rs.",
    hints: &[
        ("e", "the kernel still adds ints"),
        ("a", "the literal 0.0001 is a double: write 0.0001f or use b"),
        ("l", "a[i] = i as f32, b[i] = (i as f32) * 0.0001f32: round after each step"),
        ("c", "errors of opposite sign cancel: take abs"),
        ("r", "the reference is 1.0001 * i in f64; 1.0001f32 is another number"),
        ("b", "NaN slips through `>`: look for it, and give it back"),
        ("w", "as in 1.1.7: dur[i / 32], by the lane with threadIdx.x % 32 == 0"),
        ("k", "two readings of clock() as unsigned, and their difference"),
        ("i", "the addition must lie between the two readings"),
        ("d", "milliseconds: divide by 1e6 * ms"),
    ],
    checks: &[
        Check {
            name: "err0_f32",
            what: "no error against the processor's own f32 sum",
            weight: 2,
            run: err0_f32,
        },
        Check {
            name: "err_exact",
            what: "the error against exact arithmetic",
            weight: 1,
            run: err_exact,
        },
        Check { name: "nan", what: "a NaN in c is not passed over", weight: 2, run: nan },
        Check { name: "flop", what: "one operation per element", weight: 1, run: flop },
        Check { name: "gflops", what: "the rate", weight: 1, run: gflops },
        Check { name: "dur", what: "clocks of a warp, in float", weight: 1, run: dur },
    ],
};

const KERNEL: &str = "kernels/e1_1_08.cu";

/// The vectors of the exercise.
fn vectors(n: usize) -> (Vec<f32>, Vec<f32>) {
    let a: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let b = a.iter().map(|a| a * 0.0001f32).collect();
    (a, b)
}

fn sum(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn bits(v: &[f32]) -> Vec<u32> {
    v.iter().map(|x| x.to_bits()).collect()
}

fn launch(t: &Trial, a: &[f32], b: &[f32]) -> Result<Run, Finding> {
    let n = a.len();
    let kernels = t.kernel(KERNEL).compile()?;
    kernels
        .launch("add_kernel", (n as u32).div_ceil(256), 256)
        .output::<f32>("c", n)
        .input("a", a)
        .input("b", b)
        .scalar(n as i32)
        .run()
}

/// Compares a kernel's sums bit by bit and recognises the usual ways to be wrong.
fn compare(c: &[f32], a: &[f32], b: &[f32]) -> Result<(), Finding> {
    let n = c.len().min(a.len());
    let all = |want: &dyn Fn(usize) -> f32| (0..n).all(|i| c[i].to_bits() == want(i).to_bits());
    expect::eq("c", c, &sum(a, b)).map(drop).map_err(|f| {
        if all(&|i| f32::from_bits(a[i].to_bits().wrapping_add(b[i].to_bits()))) {
            f.hint("e")
        } else if all(&|i| (f64::from(a[i]) + i as f64 * 0.0001) as f32) {
            f.hint("a")
        } else {
            f
        }
    })
}

fn err0_f32(t: &Trial) -> Outcome {
    let (a, b) = vectors(2000);
    compare(&launch(t, &a, &b)?.get::<f32>("c")?, &a, &b)?;
    let mut rng = t.rng();
    let mut one = || (0..777).map(|_| rng.random_range(-1e6..1e6)).collect::<Vec<f32>>();
    let (x, y) = (one(), one());
    compare(&launch(t, &x, &y)?.get::<f32>("c")?, &x, &y)?;

    let reply = t.call("e1_1_08.fill", &json!({ "n": 2000 }))?;
    let (got_a, got_b): (Vec<u32>, Vec<u32>) = trace::value(&reply)?;
    expect::eq("fill: a", &got_a, &bits(&a)).map_err(|f| f.hint("l"))?;
    expect::eq("fill: b", &got_b, &bits(&b)).map_err(|f| f.hint("l"))?;

    // The right sum, then one that is too large and one that is too small by more.
    let right = sum(&a, &b);
    let at = rng.random_range(10..1900);
    let mut spoilt = right.clone();
    spoilt[at] += 0.25;
    spoilt[at + 50] -= 0.5;
    let largest = (f64::from(spoilt[at + 50]) - f64::from(right[at + 50])).abs();
    for (c, want) in [(&right, 0.0), (&spoilt, largest)] {
        let got = error(t, c, &a, &b)?;
        expect::that(got == want, || format!("max_abs_err: expected {want:e}, got {got:e}"))
            .map_err(|f| if want > 0.0 && got < want { f.hint("c") } else { f })?;
    }
    Ok(Evidence::new("error 0: both sides make the same IEEE addition"))
}

/// The student's max_abs_err.
fn error(t: &Trial, c: &[f32], a: &[f32], b: &[f32]) -> Result<f64, Finding> {
    let args = json!({ "c": bits(c), "a": bits(a), "b": bits(b) });
    let got: u64 = trace::value(&t.call("e1_1_08.max_abs_err", &args)?)?;
    Ok(f64::from_bits(got))
}

fn err_exact(t: &Trial) -> Outcome {
    let (a, b) = vectors(2000);
    let c = sum(&a, &b);
    let error = |i: usize| (f64::from(c[i]) - 1.0001 * i as f64).abs();
    let want = (0..c.len()).map(error).fold(0.0, f64::max);
    let reply = t.call("e1_1_08.max_abs_err_exact", &json!({ "c": bits(&c) }))?;
    let got = f64::from_bits(trace::value(&reply)?);
    expect::that((got - want).abs() <= 1e-12, || {
        format!("max_abs_err_exact: expected {want:.4e}, got {got:.4e}")
    })
    .map_err(|f| f.hint("r"))?;
    Ok(Evidence::new(format!(
        "{got:.4e}, half a unit in the last place of 1024..2047 is 6.1035e-5"
    )))
}

fn nan(t: &Trial) -> Outcome {
    let (a, b) = vectors(200);
    let clean = error(t, &sum(&a, &b), &a, &b)?;
    expect::that(!clean.is_nan(), || "without any NaN in c, max_abs_err returns NaN".into())?;
    for at in [0, 100, 199] {
        let mut c = sum(&a, &b);
        c[at] = f32::NAN;
        // A larger error elsewhere must not cover it.
        c[150] += if at == 150 { 0.0 } else { 8.0 };
        let plain = error(t, &c, &a, &b)?;
        let reply = t.call("e1_1_08.max_abs_err_exact", &json!({ "c": bits(&c) }))?;
        let exact = f64::from_bits(trace::value(&reply)?);
        for (name, got) in [("max_abs_err", plain), ("max_abs_err_exact", exact)] {
            expect::that(got.is_nan(), || format!("c[{at}] is NaN, {name} returns {got:e}"))
                .map_err(|f| f.hint("b"))?;
        }
    }
    Ok(Evidence::new("a NaN comes back wherever it is"))
}

fn dur(t: &Trial) -> Outcome {
    let n = 2000;
    let (a, b) = vectors(n);
    durations(t, KERNEL, |kernels: &Kernels| {
        let run = kernels
            .launch("add_dur", 8, 256)
            .output::<f32>("c", n)
            .input("a", &a)
            .input("b", &b)
            .scalar(n as i32)
            .output::<u32>("dur", n.div_ceil(32))
            .on_fault(dur_fault)
            .run()?;
        compare(&run.get::<f32>("c")?, &a, &b)?;
        Ok(run)
    })
}

fn flop(t: &Trial) -> Outcome {
    let n = t.rng().random_range(1..3000);
    let (a, b) = vectors(n);
    let run = launch(t, &a, &b)?;
    expect::count(&run, "flop", n as u64).map_err(|f| {
        let hint = if run.total().flop == 0 { "e" } else { "a" };
        f.hint(hint)
    })?;
    expect::count(&run, "gld.lane", 2 * n as u64).map_err(|f| f.hint("a"))?;
    expect::count(&run, "gst.lane", n as u64)?;
    Ok(Evidence::new(format!("n = {n}: {n} operations, 3 accesses each")).launch(run.report()))
}

fn gflops(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let cases = [
        (1_000_000, 1.0),
        (2000, 0.002),
        (rng.random_range(1..1 << 24), rng.random_range(0.001..10.0)),
    ];
    let calls = cases.map(|(n, ms): (usize, f64)| {
        Call::new("e1_1_08.gflops", &json!({ "n": n, "ms": ms.to_bits() }))
    });
    for ((n, ms), reply) in cases.into_iter().zip(t.host(&calls)?) {
        let got = f64::from_bits(trace::value(&reply)?);
        let want = n as f64 / (ms * 1e6);
        expect::that((got / want - 1.0).abs() <= 1e-12, || {
            format!("{n} additions in {ms} ms: expected {want:e} GFLOP/s, got {got:e}")
        })
        .map_err(|f| f.hint("d"))?;
    }
    Ok(Evidence::new("1000000 additions in 1 ms are 1 GFLOP/s"))
}
