//! Checks of exercise 3.1.2: the volume of a ball on the CPU.

use grading::{
    Call, Check, Evidence, Exercise, Finding, Outcome, Picture, Trial, expect, host, trace,
};
use rand::RngExt;
use serde_json::json;

use crate::device::{f32s, f64s};
use crate::mc;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.1.2",
    key: "e3_1_02",
    title: "CPU prototype: volume of a ball",
    points: 6,
    files: &["src/e3_1_02.rs"],
    todo: "Write the sequence that can be drawn in any order, the points and the sum in \
        src/e3_1_02.rs.",
    hints: &[
        ("a", "all elements are equal: jump to position i, by 48271^(i+1) from squares"),
        ("r", "u = (s - 1)/(2^31 - 2) and a + (b - a)u in f64, rounded to f32 once"),
        (
            "b",
            "x, y and z must be three parts of one sequence: with seeds s, 2s and 3s they are \
             multiples of one another, and pi becomes 4.14",
        ),
        ("c", "an f32 cannot count beyond 2^24 = 16,777,216: sum in f64"),
        ("d", "the box is [-1, 1]^3, which is what V = 8 belongs to"),
        ("e", "multiply the mean by the volume of the box, 8, and take 3/4 of the result"),
        ("o", "the surface belongs to the ball: a point at the distance 1 counts"),
        ("s", "a seed that is a multiple of 2^31 - 1 and a mean over no points are errors"),
    ],
    checks: &[
        Check { name: "surface", what: "what belongs to the ball", weight: 1, run: surface },
        Check { name: "at", what: "elements in any order", weight: 2, run: at },
        Check {
            name: "threads",
            what: "sums that do not depend on the threads",
            weight: 1,
            run: threads,
        },
        Check {
            name: "pi5sigma",
            what: "pi from 1000 to 1,000,000 points",
            weight: 1,
            run: pi5sigma,
        },
        Check { name: "streams", what: "three parts of one sequence", weight: 1, run: streams },
        Check { name: "grid_chi2", what: "points fill the box evenly", weight: 1, run: grid_chi2 },
        Check { name: "errors", what: "seed 0, no points", weight: 1, run: errors },
    ],
};

fn surface(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    // The next number above 1 is outside.
    let outside = f32::from_bits(1f32.to_bits() + 1);
    let mut points = Vec::new();
    for axis in 0..3 {
        for (length, others) in [(1.0, 0.0), (-1.0, 0.0), (outside, 0.0), (0.0, 0.0), (1.0, 0.5)] {
            let mut point = [others; 3];
            point[axis] = length;
            points.push(point);
        }
    }
    points.extend((0..100).map(|_| [0; 3].map(|_: i32| rng.random_range(-1.0f32..1.0))));
    let got = f32s(&trace::value::<Vec<u32>>(&t.call("e3_1_02.f_ball", &json!(points))?)?);
    let want: Vec<f32> =
        points.iter().map(|[x, y, z]| f32::from(x * x + y * y + z * z <= 1.0)).collect();
    expect::eq("f_ball", &got, &want).map_err(|f| f.hint("o"))?;
    Ok(Evidence::new("inside, outside and on the surface"))
}

fn at(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let period = mc::MODULUS - 1;
    let mut indices = vec![0, 1, 2, 31, 1_000_000, 1 << 40, (1 << 40) % period];
    indices.extend((0..20).map(|_| rng.random_range(0..1u64 << 50)));
    for (seed, a, b) in [
        (1, 0.0, 1.0),
        (mc::seed(&mut rng), -1.0, 1.0),
        (mc::seed(&mut rng), rng.random_range(-9.0..0.0), rng.random_range(0.0..9.0)),
    ] {
        let request = json!({ "seed": seed, "a": a, "b": b, "indices": indices });
        let got = f32s(&trace::value::<Vec<u32>>(&t.call("e3_1_02.at", &request)?)?);
        let want: Vec<f32> =
            indices.iter().map(|i| mc::number(mc::state(seed, *i), a, b)).collect();
        let equal = got.iter().all(|v| v.to_bits() == got[0].to_bits());
        expect::eq(&format!("elements {indices:?} of seed {seed}: at"), &got, &want)
            .map_err(|f| f.hint(if equal { "a" } else { "r" }))?;
    }
    Ok(Evidence::new("27 elements of three sequences; element 2^40 is element 2^40 mod (2^31 - 2)"))
}

fn threads(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let seed = mc::seed(&mut rng);
    let request = json!({ "n": 30_000, "seed": seed, "threads": [1, 2, 8] });
    let n = 17_000_000;
    let calls = [
        Call::new("e3_1_02.pi", &request),
        Call::new("e3_1_02.same_points", &json!({ "n": n, "value": 0.0 })),
        Call::new("e3_1_02.same_points", &json!({ "n": n, "value": 0.1f32 })),
    ];
    let replies = t.host(&calls)?;
    let pi = f64s(&trace::list::<u64>(&replies[0], 3)?);
    expect::that(pi.iter().all(|p| p.to_bits() == pi[0].to_bits()), || {
        format!("pi with 1, 2 and 8 threads: {pi:?}")
    })
    .map_err(|f| f.hint("c"))?;
    for (reply, ball, first) in [(&replies[1], 1.0, 0.0), (&replies[2], 1.0, f64::from(0.1f32))] {
        let found = f64s(&trace::list::<u64>(reply, 2)?);
        for (got, want) in found.iter().zip([ball, first]) {
            expect::that((got - want).abs() <= 1e-9, || {
                format!("the mean of {n} equal values: expected {want}, got {got}")
            })
            .map_err(|f| f.hint("c"))?;
        }
    }
    Ok(Evidence::new(format!("pi = {:.4} with 1, 2 and 8 threads; {n} hits are counted", pi[0])))
}

fn pi5sigma(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut lines = Vec::new();
    for n in [1000, 100_000, 1_000_000] {
        let seed = mc::seed(&mut rng);
        let request = json!({ "n": n, "seed": seed, "threads": [2] });
        let got = f64s(&trace::list(&t.call("e3_1_02.pi", &request)?, 1)?)[0];
        let of = |a: f32, b: f32| 6.0 * mc::hits(&mc::points(seed, n, a, b)) as f64 / n as f64;
        let want = of(-1.0, 1.0);
        if (got - want).abs() > 1e-9 {
            let hint = if (got - want / 8.0).abs() < 1e-9 {
                "e"
            } else if (got - of(0.0, 1.0)).abs() < 1e-9 {
                "d"
            } else {
                "b"
            };
            let text =
                format!("pi from {n} points of seed {seed}: expected {want:.6}, got {got:.6}");
            return Err(Finding::wrong(text).hint(hint));
        }
        mc::near_pi("seed and all", got, n)?;
        lines.push(format!("{n} points: {got:.5}"));
    }
    let picture = slice(&mc::points(mc::seed(&mut rng), 60_000, -1.0, 1.0));
    Ok(Evidence::new(lines.join(", ")).picture(picture))
}

/// The points with |z| < 0.1, those in the ball in blue.
fn slice([x, y, z]: &[Vec<f32>; 3]) -> Picture {
    const SIDE: usize = 240;
    let mut rgba = vec![255; 4 * SIDE * SIDE];
    for i in (0..x.len()).filter(|i| z[*i].abs() < 0.1) {
        let place = |v: f32| (((v + 1.0) / 2.0 * SIDE as f32) as usize).min(SIDE - 1);
        let at = 4 * (place(-y[i]) * SIDE + place(x[i]));
        let inside = x[i] * x[i] + y[i] * y[i] + z[i] * z[i] <= 1.0;
        let colour = if inside { [0, 114, 178] } else { [213, 94, 0] };
        rgba[at..at + 3].copy_from_slice(&colour);
    }
    let title = "points with |z| < 0.1: hits in blue";
    Picture::new(title, SIDE as u32, SIDE as u32, &rgba)
}

/// The student's points as values.
fn generated(t: &Trial, seed: u32, n: usize, a: f32, b: f32) -> Result<[Vec<f32>; 3], Finding> {
    let request = json!({ "seed": seed, "n": n, "a": a, "b": b });
    let [x, y, z] = trace::value::<[Vec<u32>; 3]>(&t.call("e3_1_02.generate", &request)?)?;
    let points = [x, y, z].map(|axis| f32s(&axis));
    for (axis, name) in points.iter().zip(["x", "y", "z"]) {
        expect::that(axis.len() == n, || {
            format!("{name}: expected {n} numbers, got {}", axis.len())
        })?;
    }
    Ok(points)
}

fn streams(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    for n in [1, 100, 4096] {
        let (seed, a, b) =
            (mc::seed(&mut rng), rng.random_range(-3.0..0.0), rng.random_range(0.0..3.0));
        let got = generated(t, seed, n, a, b)?;
        let want = mc::points(seed, n, a, b);
        for ((got, want), (name, hint)) in
            got.iter().zip(&want).zip([("x", "r"), ("y", "b"), ("z", "b")])
        {
            expect::eq(&format!("n = {n}: {name}"), got, want).map_err(|f| f.hint(hint))?;
        }
    }
    Ok(Evidence::new("1, 100 and 4096 points: elements 0..n, n..2n, 2n..3n"))
}

fn grid_chi2(t: &Trial) -> Outcome {
    const N: usize = 40_960;
    let points = generated(t, mc::seed(&mut t.rng()), N, -1.0, 1.0)?;
    let mut cells = [0u32; 512];
    let [x, y, z] = &points;
    for ((x, y), z) in x.iter().zip(y).zip(z) {
        let [x, y, z] = [x, y, z].map(|v| (((v + 1.0) * 4.0) as usize).min(7));
        cells[x + 8 * (y + 8 * z)] += 1;
    }
    let mean = N as f64 / 512.0;
    let chi2: f64 = cells.iter().map(|c| (f64::from(*c) - mean).powi(2) / mean).sum();
    // 511 degrees of freedom, six standard deviations.
    let bound = 511.0 + 6.0 * (2.0 * 511.0f64).sqrt();
    expect::that(chi2 <= bound, || {
        format!(
            "{N} points in 8 x 8 x 8 cells: chi^2 = {chi2:.0}, expected about 511, at most \
             {bound:.0}"
        )
    })
    .map_err(|f| f.hint("b"))?;
    let worst = mc::uncorrelated(&points, "b")?;
    Ok(Evidence::new(format!(
        "chi^2 = {chi2:.0} for 511 degrees of freedom; correlations up to {worst:.4}"
    )))
}

fn errors(t: &Trial) -> Outcome {
    for seed in [0u32, mc::MODULUS as u32] {
        let request = json!({ "seed": seed, "a": 0.0, "b": 1.0, "indices": [] });
        host::error(&t.call("e3_1_02.at", &request)?).map_err(|f| {
            Finding { message: format!("seed {seed}: {}", f.message), ..f }.hint("s")
        })?;
    }
    for lengths in [[0, 0, 0], [3, 2, 3], [3, 3, 4]] {
        host::error(&t.call("e3_1_02.lengths", &json!(lengths))?).map_err(|f| {
            let message = format!("{lengths:?} numbers in x, y, z: {}", f.message);
            Finding { message, ..f }.hint("s")
        })?;
    }
    let eight: u64 = trace::value(&t.call("e3_1_02.lengths", &json!([5, 5, 5]))?)?;
    expect::same("the integral over five points in the ball", &f64::from_bits(eight), &8.0)?;
    Ok(Evidence::new("seeds 0 and 2^31 - 1, no points and different lengths are refused"))
}
