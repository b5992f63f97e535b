//! Checks of exercise 3.1.4: random numbers from the library.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Reply, Trial, expect, trace};
use rand::{Rng, RngExt};
use serde_json::json;
use simt::fault::FaultKind;

use crate::device::{self, f32s};
use crate::mc;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.1.4",
    key: "e3_1_04",
    title: "cuRAND",
    points: 5,
    files: &[KERNEL, "src/e3_1_04.rs"],
    todo: "Write uniform_ab in kernels/mc_uniform.cu, its launch, and the points from three generators in src/e3_1_04.rs.",
    hints: &[
        ("a", "three coordinates need three seeds"),
        ("b", "set the seed before you generate"),
        ("c", "map once: one launch of uniform_ab for each coordinate"),
        ("d", "the width of the interval is b - a"),
        (
            "e",
            "a generator lives until its numbers are there, and is destroyed exactly once: Rust does that when it goes out of scope",
        ),
        ("m", "v = a + (b - a) v, one load and one store for each number, neighbours side by side"),
    ],
    checks: &[
        Check { name: "moments", what: "mean and variance", weight: 1, run: moments },
        Check { name: "range", what: "the map to [a, b] and its traffic", weight: 2, run: range },
        Check {
            name: "correlation",
            what: "three independent coordinates",
            weight: 1,
            run: correlation,
        },
        Check { name: "repro", what: "the same seeds, the same numbers", weight: 1, run: repro },
        Check { name: "pi", what: "hits of the points", weight: 1, run: pi },
        Check { name: "api_log", what: "the calls and their order", weight: 2, run: api_log },
    ],
};

const KERNEL: &str = "kernels/mc_uniform.cu";

fn three(rng: &mut impl Rng) -> [u64; 3] {
    let first = rng.random_range(1..1_000_000_000);
    [first, first + 1, first + rng.random_range(2..1000)]
}

/// Points of the student's, and the reply that has them.
fn points(
    t: &Trial,
    n: usize,
    seeds: [u64; 3],
    (a, b): (f32, f32),
) -> Result<([Vec<f32>; 3], Reply), Finding> {
    let request = json!({ "n": n, "seeds": seeds, "a": a, "b": b });
    let reply = t.call("e3_1_04.points", &request)?;
    let bits: [Vec<u32>; 3] = device::plain(&reply)?;
    let points = bits.map(|axis| f32s(&axis));
    expect::that(points.iter().all(|axis| axis.len() == n), || {
        format!("expected {n} numbers in each coordinate")
    })?;
    Ok((points, reply))
}

fn moments(t: &Trial) -> Outcome {
    const N: usize = 40_000;
    let (points, _) = points(t, N, three(&mut t.rng()), (-1.0, 1.0))?;
    let n = N as f64;
    let mut shown = Vec::new();
    for (axis, name) in points.iter().zip(["x", "y", "z"]) {
        let mean = axis.iter().map(|v| f64::from(*v)).sum::<f64>() / n;
        let square = axis.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() / n;
        // The mean of v has variance 1/(3N), that of v^2 has (1/5 - 1/9)/N.
        let cases =
            [("mean", mean, 0.0, 1.0 / 3.0), ("mean square", square, 1.0 / 3.0, 4.0 / 45.0)];
        for (what, got, want, variance) in cases {
            let bound = 5.0 * (variance / n).sqrt();
            expect::that((got - want).abs() <= bound, || {
                format!("{what} of {name}: expected {want:.4} +- {bound:.4}, got {got:.4}")
            })
            .map_err(|f| f.hint("d"))?;
        }
        shown.push(format!("{name}: {mean:.4}, {square:.4}"));
    }
    Ok(Evidence::new(format!("mean and mean square over [-1, 1]: {}", shown.join("; "))))
}

fn range(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let (a, b) = (rng.random_range(-9.0..0.0f32), rng.random_range(1.0..9.0f32));
    // The kernel by itself, on numbers that the library gives at its ends.
    let kernels = t.kernel(KERNEL).compile()?;
    for n in [1usize, 31, 257, 100_000] {
        let mut v: Vec<f32> = (0..n).map(|_| 1.0 - rng.random::<f32>()).collect();
        v[0] = 1.0;
        v[n / 2] = 2f32.powi(-33);
        let blocks = n.div_ceil(256).min(64) as u32;
        let run = kernels
            .launch("uniform_ab", blocks, 256u32)
            .inout("v", &v)
            .scalar(n as u64)
            .scalar(a)
            .scalar(b)
            .on(FaultKind::OutOfBoundsGlobal, "C7")
            .run()?;
        let want: Vec<f64> = v
            .iter()
            .map(|u| f64::from(a) + (f64::from(b) - f64::from(a)) * f64::from(*u))
            .collect();
        let tolerance = 4.0 * f64::from(f32::EPSILON) * f64::from(a.abs().max(b));
        expect::close(&format!("uniform_ab, n = {n}: v"), &run.get::<f32>("v")?, &want, |_| {
            tolerance
        })
        .map_err(|f| f.hint("d"))?;
        if n == 100_000 {
            let n = n as u64;
            for name in ["gld.req", "gst.req"] {
                expect::count(&run, name, n / 32).map_err(|f| f.hint("m"))?;
            }
            for name in ["gld.sec", "gst.sec"] {
                expect::count(&run, name, n / 8).map_err(|f| f.hint("m"))?;
            }
            expect::at_most(&run, "flop", 3 * n).map_err(|f| f.hint("m"))?;
        }
    }
    const N: usize = 20_000;
    let (points, _) = points(t, N, three(&mut rng), (a, b))?;
    for (axis, name) in points.iter().zip(["x", "y", "z"]) {
        let least = axis.iter().copied().fold(f32::INFINITY, f32::min);
        let greatest = axis.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let edge = 0.01 * (b - a);
        let slack = 4.0 * f32::EPSILON * a.abs().max(b);
        let inside = least >= a - slack && greatest <= b + slack;
        expect::that(inside && least < a + edge && greatest > b - edge, || {
            format!("{name}: expected numbers of all of [{a}, {b}], got {least} to {greatest}")
        })
        .map_err(|f| f.hint("c"))?;
    }
    Ok(Evidence::new(format!(
        "[{a:.3}, {b:.3}] is filled; 12,500 sectors each way for 100,000 numbers"
    )))
}

fn correlation(t: &Trial) -> Outcome {
    const N: usize = 40_000;
    let (points, _) = points(t, N, three(&mut t.rng()), (-1.0, 1.0))?;
    let worst = mc::uncorrelated(&points, "a")?;
    Ok(Evidence::new(format!("{N} points: correlations up to {worst:.4}")))
}

fn repro(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let seeds = three(&mut rng);
    let get = |seeds| points(t, 500, seeds, (-1.0, 1.0)).map(|(p, _)| p);
    let (first, again) = (get(seeds)?, get(seeds)?);
    for (a, b) in first.iter().zip(&again) {
        expect::eq("the same seeds again", b, a)?;
    }
    let other = get(seeds.map(|s| s + 5000))?;
    for ((a, b), name) in first.iter().zip(&other).zip(["x", "y", "z"]) {
        let equal = a.iter().zip(b).filter(|(a, b)| a == b).count();
        expect::that(equal < 10, || format!("{name}: other seeds give the same numbers"))
            .map_err(|f| f.hint("b"))?;
    }
    Ok(Evidence::new("the same seeds give the same bits, others give others"))
}

fn pi(t: &Trial) -> Outcome {
    const N: usize = 100_000;
    let request = json!({ "n": N, "seeds": three(&mut t.rng()), "a": -1.0, "b": 1.0 });
    let hits: u64 = device::plain(&t.call("e3_1_04.pi", &request)?)?;
    let estimate = 6.0 * hits as f64 / N as f64;
    mc::near_pi("the library's points", estimate, N).map_err(|f| f.hint("d"))?;
    Ok(Evidence::new(format!("{N} points: pi = {estimate:.4}")))
}

fn api_log(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let (a, b) = (rng.random_range(-9.0..0.0f32), rng.random_range(1.0..9.0f32));
    let (_, reply) = points(t, 1000, three(&mut rng), (a, b))?;
    let at = |name: &str| device::positions(&reply, name);
    let (made, seeded, filled, gone) = (
        at("curandCreateGenerator"),
        at("curandSetPseudoRandomGeneratorSeed"),
        at("curandGenerateUniform"),
        at("curandDestroyGenerator"),
    );
    let counted = |what: &str, got: usize, hint: &str| {
        expect::that(got == 3, || format!("{what}: expected 3 calls, counted {got}"))
            .map_err(|f| f.hint(hint))
    };
    counted("curandCreateGenerator", made.len(), "a")?;
    counted("curandSetPseudoRandomGeneratorSeed", seeded.len(), "b")?;
    counted("curandGenerateUniform", filled.len(), "a")?;
    counted("curandDestroyGenerator", gone.len(), "e")?;
    let launches = trace::launches(&reply);
    counted("launches of uniform_ab", launches.len(), "c")?;
    for k in 0..3 {
        expect::that(seeded[k] < filled[k], || {
            format!("the numbers of coordinate {} are generated before their seed is set", k + 1)
        })
        .map_err(|f| f.hint("b"))?;
    }
    for launch in launches {
        for (k, want) in [(2, a), (3, b)] {
            let bytes = launch.params.get(k).map(|p| p.bytes.as_slice());
            expect::that(bytes == Some(want.to_le_bytes().as_slice()), || {
                format!("argument {} of uniform_ab is not the f32 {want}", k + 1)
            })
            .map_err(|f| f.hint("C2"))?;
        }
    }
    Ok(Evidence::new("3 generators made, seeded, used and destroyed; 3 maps"))
}
