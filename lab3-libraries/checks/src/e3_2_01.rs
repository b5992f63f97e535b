//! Checks of exercise 3.2.1: the rain problem.

use grading::{Call, Check, Evidence, Exercise, Finding, Outcome, Trial, expect, host, trace};
use rand::RngExt;
use serde::Deserialize;
use serde_json::json;

use crate::device::f32s;
use crate::rain::{self, Rain};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.2.1",
    key: "e3_2_01",
    title: "The problem",
    points: 3,
    files: &["src/e3_2_01.rs"],
    todo: "Write a row of the full matrix, a random problem, and the draw without repetition in \
        src/e3_2_01.rs.",
    hints: &[
        ("a", "rain that falls later is not in the bucket yet: row d is 0 for i > d"),
        ("b", "the exponent is -(d - i)/tau, in days: old rain is less than it was"),
        ("c", "draw days without repetition: exchange place i with one from i on"),
        ("f", "A is stored by columns: all m values of day 0, then those of day 1"),
        (
            "y",
            "y = A x with the rows of the observation days, sums in f64; k days have rain, the \
             others 0",
        ),
        ("s", "m or k greater than n, and a tau that is not positive, are errors"),
    ],
    checks: &[
        Check { name: "toeplitz", what: "rows of the full matrix", weight: 1, run: toeplitz },
        Check { name: "prefix", what: "no evaporation: prefix sums", weight: 1, run: prefix },
        Check { name: "zero_cols", what: "the matrix and its days", weight: 1, run: zero_cols },
        Check { name: "errors", what: "what is no problem", weight: 1, run: errors },
        Check {
            name: "support_theorem",
            what: "a pursuit picks observation days only",
            weight: 1,
            run: support_theorem,
        },
    ],
};

fn row(t: &Trial, d: usize, n: usize, tau: f64) -> Result<Vec<f32>, Finding> {
    let request = json!({ "d": d, "n": n, "tau": tau.to_bits() });
    Ok(f32s(&trace::value::<Vec<u32>>(&t.call("e3_2_01.row", &request)?)?))
}

fn toeplitz(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    for _ in 0..4 {
        let (n, tau) = (rng.random_range(20..60), rng.random_range(1.0..40.0));
        let d = rng.random_range(3..n - 1);
        let got = row(t, d, n, tau)?;
        let want: Vec<f64> = (0..n).map(|i| rain::left(d, i, tau)).collect();
        let later = got.iter().skip(d + 1).any(|v| *v != 0.0);
        expect::close(&format!("full_row({d}, {n}, {tau:.2})"), &got, &want, |_| 1e-6)
            .map_err(|f| f.hint(if later { "a" } else { "b" }))?;
        // One day later, all has moved by one.
        let next = row(t, d + 1, n, tau)?;
        expect::eq("row d + 1 from day 1 on", &next[1..], &got[..n - 1])
            .map_err(|f| f.hint("b"))?;
    }
    Ok(Evidence::new("four rows, each the one before moved by a day"))
}

fn prefix(t: &Trial) -> Outcome {
    let n = 40;
    for d in [0, 17, n - 1] {
        let got = row(t, d, n, f64::INFINITY)?;
        let want: Vec<f32> = (0..n).map(|i| if i <= d { 1.0 } else { 0.0 }).collect();
        expect::eq(&format!("full_row({d}, {n}, infinity)"), &got, &want)
            .map_err(|f| f.hint("a"))?;
    }
    Ok(Evidence::new("tau = infinity: all rain up to the day, and nothing after it"))
}

#[derive(Deserialize)]
struct Got {
    n: usize,
    m: usize,
    days: Vec<usize>,
    x: Vec<u32>,
    a: Vec<u32>,
    y: Vec<u32>,
}

/// The student's problem, its days checked.
fn problem(
    t: &Trial,
    seed: u64,
    (n, k, m): (usize, usize, usize),
    tau: f64,
) -> Result<Rain, Finding> {
    let request = json!({ "seed": seed, "n": n, "k": k, "m": m, "tau": tau.to_bits() });
    let got: Got = trace::value(&t.call("e3_2_01.problem", &request)?)?;
    let what = format!("problem(n = {n}, k = {k}, m = {m}, tau = {tau:.1})");
    expect::that(got.n == n && got.m == m && got.days.len() == m, || {
        format!("{what}: n, m or the number of days is wrong")
    })?;
    let ascending = got.days.windows(2).all(|w| w[0] < w[1]) && got.days.iter().all(|d| *d < n);
    expect::that(ascending, || {
        format!("{what}: days {:?} are not different days of 0..{n} in ascending order", got.days)
    })
    .map_err(|f| f.hint("c"))?;
    Ok(Rain { m, n, days: got.days, a: f32s(&got.a), x: f32s(&got.x), y: f32s(&got.y) })
}

fn zero_cols(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut zero = 0;
    for _ in 0..4 {
        let n = rng.random_range(30..90);
        let m = rng.random_range(2..n / 2);
        let tau = rng.random_range(5.0..40.0);
        let got = problem(t, rng.random(), (n, m / 2, m), tau)?;
        let want: Vec<f64> =
            (0..m * n).map(|at| rain::left(got.days[at % m], at / m, tau)).collect();
        expect::close("A", &got.a, &want, |_| 1e-6).map_err(|f| f.hint("f"))?;
        zero += n - 1 - got.days[m - 1];
    }
    Ok(Evidence::new(format!("four matrices; {zero} columns after the last observation are zero")))
}

fn errors(t: &Trial) -> Outcome {
    let call = |n: usize, k: usize, m: usize, tau: f64| {
        let request = json!({ "seed": 1, "n": n, "k": k, "m": m, "tau": tau.to_bits() });
        Call::new("e3_2_01.problem", &request)
    };
    let bad = [
        ("m = 11 of n = 10", call(10, 2, 11, 30.0)),
        ("k = 11 of n = 10", call(10, 11, 5, 30.0)),
        ("tau = 0", call(10, 2, 5, 0.0)),
        ("tau = -3", call(10, 2, 5, -3.0)),
        ("tau = NaN", call(10, 2, 5, f64::NAN)),
    ];
    let calls: Vec<Call> = bad.iter().map(|(_, call)| call.clone()).collect();
    for ((what, _), reply) in bad.iter().zip(t.host(&calls)?) {
        host::error(&reply)
            .map_err(|f| Finding { message: format!("{what}: {}", f.message), ..f }.hint("s"))?;
    }
    let dry = problem(t, 5, (30, 0, 10), 30.0)?;
    expect::that(dry.x.iter().chain(&dry.y).all(|v| *v == 0.0), || {
        "no rainy day: x and y must be 0".into()
    })
    .map_err(|f| f.hint("y"))?;
    problem(t, 5, (12, 12, 12), 30.0)?;
    Ok(Evidence::new("five that are none are refused; no rain gives y = 0; m = n is allowed"))
}

fn support_theorem(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut steps = 0;
    for _ in 0..3 {
        let got = problem(t, rng.random(), (365, 20, 50), 30.0)?;
        let rainy = got.x.iter().filter(|x| **x > 0.0).count();
        let dry = got.x.iter().filter(|x| **x == 0.0).count();
        expect::that(got.x.len() == 365 && rainy == 20 && dry == 345, || {
            format!("expected 20 rainy days of 365, found {rainy} with rain and {dry} without")
        })
        .map_err(|f| f.hint("y"))?;
        expect::that(got.a.len() == 50 * 365 && got.y.len() == 50, || {
            "A has 50 * 365 values, y has 50".into()
        })
        .map_err(|f| f.hint("f"))?;
        let want: Vec<f64> =
            (0..50 * 365).map(|at| rain::left(got.days[at % 50], at / 50, 30.0)).collect();
        expect::close("A", &got.a, &want, |_| 1e-6).map_err(|f| f.hint("f"))?;
        let want: Vec<f64> = (0..50)
            .map(|row| (0..365).map(|i| f64::from(got.a[50 * i + row]) * f64::from(got.x[i])).sum())
            .collect();
        expect::close("y", &got.y, &want, |row| 1e-5 * want[row].abs() + 1e-9)
            .map_err(|f| f.hint("y"))?;
        for step in rain::pursuit(&got, 50, 0.05).0 {
            expect::that(got.days.contains(&(step.index - 1)), || {
                format!("a pursuit picks day {}, which is no observation day", step.index - 1)
            })
            .map_err(|f| f.hint("f"))?;
            steps += 1;
        }
    }
    Ok(Evidence::new(format!("{steps} steps of three pursuits: all on observation days")))
}
