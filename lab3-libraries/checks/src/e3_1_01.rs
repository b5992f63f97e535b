//! Checks of exercise 3.1.1: the estimate and its uncertainty.

use grading::{Call, Check, Evidence, Exercise, Finding, Outcome, Trial, expect, host, trace};
use rand::RngExt;
use serde_json::json;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.1.1",
    key: "e3_1_01",
    title: "The problem",
    points: 3,
    files: &["src/e3_1_01.rs"],
    todo: "Write the volume of a box, the estimate with its uncertainty, and the number of points \
        for a given one, in src/e3_1_01.rs.",
    hints: &[
        (
            "v",
            "the volume is the product of the widths b - a; refuse an interval unless a < b, which \
             NaN fails, too",
        ),
        (
            "a",
            "the mean and the variance divide by N, and so does the root of the handout: never by \
             N - 1",
        ),
        ("b", "u is a square root: it falls as 1/sqrt(N)"),
        ("d", "multiply the uncertainty by the volume, as the mean"),
        ("c", "rounding can make <f^2> - <f>^2 negative: clamp the variance at 0 before the root"),
        ("n", "solve u = V sqrt(var/N) for N, and round up"),
    ],
    checks: &[
        Check { name: "volume", what: "boxes of 1 to 10 dimensions", weight: 1, run: volume },
        Check { name: "estimate", what: "integral and uncertainty", weight: 2, run: estimate },
        Check { name: "degenerate", what: "no points, equal values", weight: 1, run: degenerate },
        Check { name: "n_for", what: "points for an uncertainty", weight: 1, run: n_for },
    ],
};

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

fn volume(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    for dimensions in 1..=10 {
        let bounds: Vec<f64> = (0..dimensions)
            .flat_map(|_| {
                let a = rng.random_range(-3.0..3.0);
                [a, a + rng.random_range(0.1..4.0)]
            })
            .collect();
        let want: f64 = bounds.chunks(2).map(|s| s[1] - s[0]).product();
        let got: u64 = trace::value(&t.call("e3_1_01.volume", &json!(bits(&bounds)))?)?;
        let what = format!("box_volume, {dimensions} dimensions");
        expect::close(&what, &[f64::from_bits(got)], &[want], |_| 1e-13 * want)
            .map_err(|f| f.hint("v"))?;
    }
    let bad: [&[f64]; 5] = [
        &[1.0, 0.0],
        &[0.0, 1.0, 2.0, 1.0, 3.0, 2.0],
        &[0.0, 1.0, 2.0, 2.0],
        &[0.0, f64::NAN],
        &[0.0, f64::INFINITY],
    ];
    for bounds in bad {
        let reply = t.call("e3_1_01.volume", &json!(bits(bounds)))?;
        host::error(&reply).map_err(|f| {
            Finding { message: format!("box_volume of {bounds:?}: {}", f.message), ..f }
                .or_hint("v")
        })?;
    }
    Ok(Evidence::new("1 to 10 dimensions; reversed, empty, NaN and infinite intervals refused"))
}

/// `(I, u)` as the student computes it.
fn estimated(t: &Trial, v: f64, sum: f64, sum2: f64, n: u64) -> Result<(f64, f64), Finding> {
    let request = json!({ "values": bits(&[v, sum, sum2]), "n": n });
    let [i, u] = trace::value::<[u64; 2]>(&t.call("e3_1_01.estimate", &request)?)?;
    Ok((f64::from_bits(i), f64::from_bits(u)))
}

/// Compares with the truth; a wrong uncertainty is told from the usual mistakes.
fn compare(t: &Trial, v: f64, sum: f64, sum2: f64, n: u64) -> Result<(f64, f64), Finding> {
    let count = n as f64;
    let (mean, square) = (sum / count, sum2 / count);
    let (i, u) = (v * mean, v * ((square - mean * mean) / count).sqrt());
    let got = estimated(t, v, sum, sum2, n)?;
    let close = |got: f64, want: f64| (got - want).abs() <= 1e-9 * want.abs();
    if !close(got.0, i) {
        let text = format!("estimate(V = {v}, n = {n}): I: expected {i}, got {}", got.0);
        return Err(Finding::wrong(text).hint("d"));
    }
    if !close(got.1, u) {
        let hint = if close(got.1, u * u) || close(got.1, u * u / v) {
            "b"
        } else if close(got.1, u / v) {
            "d"
        } else {
            "a"
        };
        let text = format!("estimate(V = {v}, n = {n}): u: expected {u:e}, got {:e}", got.1);
        return Err(Finding::wrong(text).hint(hint));
    }
    Ok(got)
}

fn estimate(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    // The ball in its box: f is 0 or 1, so both sums are the number of hits.
    let n = 1_000_000u64;
    let hits = (n as f64 * std::f64::consts::PI / 6.0).round();
    let (_, u) = compare(t, 8.0, hits, hits, n)?;
    for _ in 0..20 {
        let n = rng.random_range(2..200u64);
        let values: Vec<f64> = (0..n).map(|_| rng.random_range(-2.0..5.0)).collect();
        let sum = values.iter().sum();
        let sum2 = values.iter().map(|f| f * f).sum();
        compare(t, rng.random_range(0.5..20.0), sum, sum2, n)?;
    }
    Ok(Evidence::new(format!("a ball, 10^6 points: u(pi) = {:.4e}; 20 random sums", 0.75 * u)))
}

fn degenerate(t: &Trial) -> Outcome {
    let request = json!({ "values": bits(&[8.0, 0.0, 0.0]), "n": 0 });
    host::error(&t.call("e3_1_01.estimate", &request)?)
        .map_err(|f| Finding { message: format!("n = 0: {}", f.message), ..f })?;
    // Equal values whose variance is negative by rounding.
    let mut rng = t.rng();
    let mut calls = Vec::new();
    while calls.len() < 20 {
        let (value, n) = (rng.random_range(0.1..9.0f64), rng.random_range(2..100_000u64));
        let (sum, sum2) = (value * n as f64, value * value * n as f64);
        let mean = sum / n as f64;
        if sum2 / (n as f64) < mean * mean {
            let request = json!({ "values": bits(&[8.0, sum, sum2]), "n": n });
            calls.push(Call::new("e3_1_01.estimate", &request));
        }
    }
    for reply in t.host(&calls)? {
        let [_, u] = trace::value::<[u64; 2]>(&reply)?.map(f64::from_bits);
        expect::that(u == 0.0, || format!("equal values: u: expected 0, got {u}"))
            .map_err(|f| f.hint("c"))?;
    }
    Ok(Evidence::new("no points refused; 20 sets of equal values: u = 0"))
}

fn n_for(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let case = |u: f64, v: f64, var: f64| -> Result<u64, Finding> {
        let got: u64 = trace::value(&t.call("e3_1_01.n_for", &json!(bits(&[u, v, var])))?)?;
        let exact = (v / u) * (v / u) * var;
        // Rounding may move the result across an integer.
        let (low, high) =
            ((exact * (1.0 - 1e-12)).ceil().max(1.0), (exact * (1.0 + 1e-12)).ceil().max(1.0));
        expect::that(low as u64 <= got && got <= high as u64, || {
            format!("n_for(u = {u:e}, V = {v}, var = {var}): expected {low}, got {got}")
        })
        .map_err(|f| f.hint("n"))?;
        Ok(got)
    };
    let p = std::f64::consts::PI / 6.0;
    let shown = case(1e-3 / 0.75, 8.0, p * (1.0 - p))?;
    case(100.0, 8.0, p * (1.0 - p))?;
    case(1e-3, 8.0, 0.0)?;
    for _ in 0..20 {
        case(rng.random_range(1e-3..1.0), rng.random_range(0.5..20.0), rng.random_range(0.0..3.0))?;
    }
    Ok(Evidence::new(format!("pi to 0.001 from a ball needs {shown} points")))
}
