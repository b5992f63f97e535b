//! Checks of exercise 3.1.5: the spread of the results and its law.

use grading::{Call, Check, Evidence, Exercise, Finding, Outcome, Trial, expect, host, trace};
use rand::RngExt;
use serde_json::json;

use crate::device::{self, bits64, f64s, within};
use crate::mc;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.1.5",
    key: "e3_1_05",
    title: "Spread against the number of points",
    points: 5,
    files: &["src/e3_1_05.rs"],
    todo: "Write the source that keeps its generators, the repetition, the summary and the fit in \
        src/e3_1_05.rs.",
    hints: &[
        ("a", "all results are equal: make the generators once, and do not seed them again"),
        ("b", "the same logarithm on both axes: log10"),
        ("c", "delta falls with N: alpha is minus the slope"),
        ("d", "delta is max - min"),
        ("e", "fit against log10 of N, once"),
        ("f", "the offset c is log10 of delta at N = 1: mean(log delta) - slope mean(log N)"),
        (
            "s",
            "a logarithm needs a positive number, a line two different N, a series a value: refuse \
             everything else, NaN included",
        ),
    ],
    checks: &[
        Check {
            name: "alpha",
            what: "the law of the spread, and a source that goes on",
            weight: 2,
            run: alpha,
        },
        Check { name: "fit", what: "the line of least squares", weight: 1, run: fit },
        Check { name: "stats", what: "mean, least, greatest, spread", weight: 1, run: stats },
        Check { name: "errors", what: "what has no logarithm", weight: 1, run: errors },
    ],
};

/// Sizes of the law: half decades from 10^3 to 10^6.
const SIZES: [usize; 7] = [1000, 3162, 10_000, 31_623, 100_000, 316_228, 1_000_000];
const P: usize = 10;

fn alpha(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let request = json!({ "seed": rng.random::<u64>(), "p": P, "n": SIZES });
    let series: Vec<Vec<u64>> = trace::list(&t.call("e3_1_05.law", &request)?, SIZES.len())?;
    let mut deltas = Vec::new();
    for (bits, n) in series.iter().zip(SIZES) {
        let values = f64s(bits);
        expect::that(values.len() == P, || {
            format!("N = {n}: expected {P} results, got {}", values.len())
        })?;
        values.iter().try_for_each(|v| mc::near_pi("one of a series", *v, n))?;
        let delta = mc::spread(&values);
        expect::that(delta > 0.0, || format!("N = {n}: all {P} results are equal"))
            .map_err(|f| f.hint("a"))?;
        deltas.push(delta);
    }
    let (slope, _) = mc::line(&SIZES.map(|n| n as f64), &deltas);
    // The spread of ten normal numbers has a relative deviation of 26 %, so that of the slope is
    // 0.043: 4.6 times that.
    expect::that((slope + 0.5).abs() <= 0.2, || {
        format!("the spread falls as N^{slope:.3}, expected about N^-0.5")
    })?;
    // On the device: one source for two series, which never meets the same points twice.
    let seeds: [u64; 3] = [0, 1, 2].map(|k| 10 * rng.random_range(1..100_000u64) + k);
    let request = json!({ "seeds": seeds, "p": 4, "n": [3000, 3000] });
    let reply = t.call("e3_1_05.device", &request)?;
    let series: Vec<Vec<u64>> = trace::counted(&reply, device::plain(&reply)?, 2)?;
    let all = f64s(&series.concat());
    all.iter().try_for_each(|v| mc::near_pi("the source on the device", *v, 3000))?;
    // Eight counts of about 1571 +- 27 hits: all equal by chance once in 10^13 times.
    expect::that(all.len() == 8 && mc::spread(&all) > 0.0, || {
        "the source on the device: all 8 results are equal".into()
    })
    .map_err(|f| f.hint("a"))?;
    for name in
        ["curandCreateGenerator", "curandSetPseudoRandomGeneratorSeed", "curandDestroyGenerator"]
    {
        let got = device::calls(&reply, name);
        expect::that(got == 3, || format!("{name}: expected 3 calls in all, counted {got}"))
            .map_err(|f| f.hint("a"))?;
    }
    Ok(Evidence::new(format!("{P} results each for N = 10^3 to 10^6: alpha = {:.3}", -slope))
        .line("three generators for eight results on the device"))
}

/// The student's `(alpha, c)`.
fn fitted(t: &Trial, n: &[f64], delta: &[f64]) -> Result<[f64; 2], Finding> {
    let request = json!({ "n": bits64(n), "delta": bits64(delta) });
    Ok(trace::value::<[u64; 2]>(&t.call("e3_1_05.fit", &request)?)?.map(f64::from_bits))
}

fn fit(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    for noise in [0.0, 0.0, 0.3] {
        let (alpha, c) = (rng.random_range(0.3..1.2), rng.random_range(-1.0..2.0));
        let n: Vec<f64> = (0..6).map(|i| 10f64.powf(2.5 + 0.7 * f64::from(i))).collect();
        let delta: Vec<f64> = n
            .iter()
            .map(|n| 10f64.powf(c - alpha * n.log10() + noise * rng.random_range(-1.0..1.0)))
            .collect();
        let (slope, offset) = mc::line(&n, &delta);
        let [got, got_c] = fitted(t, &n, &delta)?;
        if !within(got, -slope, 1e-9) {
            let hint = if (got - slope).abs() <= 1e-9 {
                "c"
            } else if [10f64.ln(), 1.0 / 10f64.ln()].iter().any(|k| (got + k * slope).abs() <= 1e-9)
            {
                "b"
            } else {
                "e"
            };
            let text = format!("fit_alpha: expected alpha = {:.6}, got {got:.6}", -slope);
            return Err(Finding::wrong(text).hint(hint));
        }
        expect::that((got_c - offset).abs() <= 1e-8, || {
            format!("fit_alpha: expected c = {offset:.6}, got {got_c:.6}")
        })
        .map_err(|f| f.hint("f"))?;
    }
    Ok(Evidence::new("two exact laws and one with noise: alpha and c to 8 digits"))
}

fn stats(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    for len in [1, 2, 10, 100] {
        let values: Vec<f64> = (0..len).map(|_| rng.random_range(-4.0..4.0)).collect();
        let mean = values.iter().sum::<f64>() / f64::from(len);
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = low + mc::spread(&values);
        let got: [u64; 4] = trace::value(&t.call("e3_1_05.stats", &json!(bits64(&values)))?)?;
        for ((name, hint), (got, want)) in
            [("mean", "d"), ("min", "d"), ("max", "d"), ("delta", "d")]
                .into_iter()
                .zip(got.into_iter().zip([mean, low, high, high - low]))
        {
            let got = f64::from_bits(got);
            expect::that((got - want).abs() <= 1e-12, || {
                format!("stats of {len} values: {name}: expected {want}, got {got}")
            })
            .map_err(|f| f.hint(hint))?;
        }
    }
    Ok(Evidence::new("1, 2, 10 and 100 values"))
}

fn errors(t: &Trial) -> Outcome {
    let fit = |n: &[f64], d: &[f64]| {
        Call::new("e3_1_05.fit", &json!({ "n": bits64(n), "delta": bits64(d) }))
    };
    let series =
        |p: usize, n: usize| Call::new("e3_1_05.law", &json!({ "seed": 1, "p": p, "n": [n] }));
    let stats = |v: &[f64]| Call::new("e3_1_05.stats", &json!(bits64(v)));
    let cases = [
        ("a spread of 0", fit(&[10.0, 100.0, 1e3], &[0.1, 0.0, 0.01])),
        ("N = 0", fit(&[0.0, 100.0], &[0.1, 0.01])),
        ("N = -10", fit(&[-10.0, 100.0], &[0.1, 0.01])),
        ("a spread that is NaN", fit(&[10.0, 100.0], &[f64::NAN, 0.01])),
        ("one N", fit(&[10.0], &[0.1])),
        ("equal N", fit(&[10.0, 10.0], &[0.1, 0.2])),
        ("p = 0", series(0, 100)),
        ("n = 0", series(2, 0)),
        ("an empty series", stats(&[])),
        ("a series with NaN", stats(&[1.0, f64::NAN, 2.0])),
    ];
    // Whoever refuses everything, or answers nothing, has refused nothing.
    let good = [fit(&[10.0, 100.0], &[0.1, 0.01]), series(2, 100), stats(&[1.0, 2.0])];
    let good = t.host(&good)?;
    trace::value::<[u64; 2]>(&good[0])?;
    for values in trace::list::<Vec<u64>>(&good[1], 1)? {
        trace::counted(&good[1], values, 2)?;
    }
    trace::value::<[u64; 4]>(&good[2])?;
    let calls: Vec<Call> = cases.iter().map(|(_, call)| call.clone()).collect();
    for ((what, _), reply) in cases.iter().zip(t.host(&calls)?) {
        host::error(&reply)
            .map_err(|f| Finding { message: format!("{what}: {}", f.message), ..f }.hint("s"))?;
    }
    Ok(Evidence::new(format!("{} bad inputs refused", cases.len())))
}
