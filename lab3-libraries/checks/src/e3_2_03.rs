//! Checks of exercise 3.2.3: matching pursuit in calls of BLAS.

use grading::{Check, Class, Evidence, Exercise, Finding, Outcome, Reply, Trial, expect, host};
use simt::fault::{Fault, FaultKind};

use crate::device;
use crate::e3_2_02::Answer;
use crate::rain::{self, Rain};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.2.3",
    key: "e3_2_03",
    title: "Implementation with BLAS calls",
    points: 8,
    files: &["src/e3_2_03.rs"],
    todo: "Write the pursuit in BLAS calls in src/e3_2_03.rs.",
    hints: &[
        (
            "a",
            "isamax counts from 1: column i begins at element (i - 1) * m, xr and sp are counted \
             from 0",
        ),
        ("b", "s = A^T r: Op::T, m rows, n columns, leading dimension m"),
        ("c", "axpy adds: pass -sigma"),
        ("d", "divide by the square of the column's norm"),
        ("e", "sp was never written: beta must be 0, so that it is not read"),
        ("f", "the elements of a column lie side by side: increment 1"),
        ("g", "isamax looks at |s|; sigma has the sign of s: take the number itself from sp"),
        ("n", "A goes to the device once, before the loop; six library calls make a step"),
        ("t", "go on while there are fewer than TMAX steps and |r| > EPS |y|"),
    ],
    checks: &[
        Check { name: "trace", what: "steps as those of 3.2.2", weight: 3, run: trace },
        Check { name: "max_err", what: "the rain that is found", weight: 1, run: max_err },
        Check { name: "api_log", what: "the library calls", weight: 2, run: api_log },
        Check { name: "tiny", what: "one equation, no rain, NaN", weight: 1, run: tiny },
    ],
};

fn diagnose(fault: &Fault) -> Option<&'static str> {
    (fault.kind == FaultKind::Uninitialised).then_some("e")
}

fn csmp(t: &Trial, rain: &Rain) -> Result<(Answer, Reply), Finding> {
    let reply = t.call("e3_2_03.csmp", &rain.request())?;
    let answer: Answer = device::value(&reply, diagnose).map_err(|f| match f.class {
        Class::Crash => Finding { hint: None, ..f }.hint("a"),
        _ => f.or_hint("b"),
    })?;
    let products = device::calls(&reply, "cublasSgemv");
    expect::that(products > 0 || answer.steps().is_empty(), || {
        "steps were taken, and no product was the library's".into()
    })
    .map_err(|f| f.hint("n"))?;
    Ok((answer, reply))
}

fn trace(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut lengths = Vec::new();
    for _ in 0..4 {
        let rain = rain::clear(&mut rng, 365, 20, 50, 30.0);
        let want = want_steps(&rain);
        let (answer, _) = csmp(t, &rain)?;
        let steps = answer.steps();
        let norm_y = rain::norm(&rain.y.iter().map(|v| f64::from(*v)).collect::<Vec<_>>());
        let (mut before, all) = (norm_y, want.len());
        for (k, want) in want.iter().enumerate() {
            let number = k + 1;
            let Some(got) = steps.get(k) else {
                let text = format!("ends after {k} steps, expected {all}");
                return Err(Finding::wrong(text).hint("t"));
            };
            let wrong = |what: &str, want: f64, got: f64, hint: &str| {
                Err(Finding::wrong(format!(
                    "step {number}: {what}: expected {want:.5}, got {got:.5}"
                ))
                .hint(hint))
            };
            let near = |a: f64, b: f64| (a - b).abs() <= 2e-4 * (b.abs() + norm_y * 0.1);
            if got.index != want.index {
                let hint = if got.index + 1 == want.index { "a" } else { "b" };
                return wrong("column", want.index as f64, got.index as f64, hint);
            }
            if !near(got.sigma, want.sigma) {
                // With the norm of the next column, or of a row; or not squared.
                let root = rain.square(want.index - 1).sqrt();
                let hint = if near(got.sigma, want.sigma * root) { "d" } else { "a" };
                return wrong("sigma", want.sigma, got.sigma, hint);
            }
            if !near(got.norm, want.norm) {
                let hint = if got.norm > before { "c" } else { "f" };
                return wrong("norm of the residual", want.norm, got.norm, hint);
            }
            if !near(got.value, want.value) {
                return wrong("value", want.value, got.value, "g");
            }
            before = want.norm;
        }
        expect::that(steps.len() == want.len(), || {
            format!("expected {} steps, got {}", want.len(), steps.len())
        })
        .map_err(|f| f.hint("t"))?;
        lengths.push(steps.len());
    }
    Ok(Evidence::new(format!("{lengths:?} steps, each as in f64")))
}

/// The steps of the true pursuit.
fn want_steps(rain: &Rain) -> Vec<rain::True> {
    rain::pursuit(rain, 50, 0.05).0
}

fn max_err(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut worst = 0.0f64;
    for _ in 0..3 {
        let rain = signed(&mut rng);
        let (_, want) = rain::pursuit(&rain, 50, 0.05);
        let (answer, _) = csmp(t, &rain)?;
        let got = answer.xr();
        expect::close("xr", &got, &want, |_| 2e-4).map_err(|f| f.hint("g"))?;
        let err = got.iter().zip(&want).map(|(g, w)| (f64::from(*g) - w).abs());
        worst = err.fold(worst, f64::max);
    }
    Ok(Evidence::new(format!("max. abs. err. = {worst:.1e}")))
}

/// A clear problem of random numbers of both signs.
fn signed(rng: &mut impl rand::Rng) -> Rain {
    use rand::RngExt;
    loop {
        let mut rain = Rain::random(rng, 40, 5, 20, 30.0);
        rain.a = rain.a.iter().map(|_| rng.random_range(-1.0..1.0)).collect();
        rain.y = (0..20).map(|_| rng.random_range(-1.0..1.0)).collect();
        let steps = want_steps(&rain);
        let signs = steps.iter().filter(|s| s.sigma < 0.0).count();
        if steps.iter().all(|s| s.gap >= 2e-4) && signs > 0 {
            return rain;
        }
    }
}

fn api_log(t: &Trial) -> Outcome {
    let rain = rain::clear(&mut t.rng(), 365, 20, 50, 30.0);
    let (answer, reply) = csmp(t, &rain)?;
    let steps = answer.steps().len();
    expect::that(steps > 0, || "no step was taken".into()).map_err(|f| f.hint("t"))?;
    let cases = [
        ("cublasSetMatrix", 1, "n"),
        ("cublasSetVector", 1, "n"),
        ("cublasSgemv", steps, "n"),
        ("cublasIsamax", steps, "n"),
        ("cublasGetVector", steps, "n"),
        ("cublasSaxpy", steps, "n"),
        ("cublasSnrm2", 1 + 2 * steps, "n"),
    ];
    for (name, want, hint) in cases {
        let got = device::calls(&reply, name);
        expect::that(got == want, || {
            format!("{name}, {steps} steps: expected {want} calls, counted {got}")
        })
        .map_err(|f| f.hint(hint))?;
    }
    let copied: u64 = reply
        .api
        .iter()
        .filter(|c| c.name.starts_with("cuMemcpyHtoD"))
        .filter_map(|c| c.bytes)
        .sum();
    expect::that(copied < 4 * 50 * 365, || {
        format!("{copied} more bytes were copied to the device")
    })
    .map_err(|f| f.hint("n"))?;
    Ok(Evidence::new(format!("3 calls before the loop, 6 in each of {steps} steps")))
}

fn tiny(t: &Trial) -> Outcome {
    let one =
        |a: f32, y: f32| Rain { m: 1, n: 1, days: vec![0], a: vec![a], x: vec![0.0], y: vec![y] };
    for (a, y) in [(0.5f32, 2.0f32), (-0.25, 3.0), (2.0, -1.0)] {
        let (answer, _) = csmp(t, &one(a, y))?;
        let steps = answer.steps();
        expect::that(steps.len() == 1 && steps[0].index == 1, || {
            format!("{a} x = {y}: expected one step to column 1, got {}", steps.len())
        })
        .map_err(|f| f.hint("a"))?;
        expect::close(&format!("{a} x = {y}: x"), &answer.xr(), &[f64::from(y / a)], |_| 1e-5)
            .map_err(|f| f.hint("g"))?;
    }
    let dry = Rain::random(&mut t.rng(), 40, 0, 10, 30.0);
    let (answer, _) = csmp(t, &dry)?;
    expect::that(answer.steps().is_empty(), || "no rain: expected no step".into())
        .map_err(|f| f.hint("t"))?;
    let mut nan = Rain::random(&mut t.rng(), 40, 3, 10, 30.0);
    nan.y[4] = f32::NAN;
    host::error(&t.call("e3_2_03.csmp", &nan.request())?)
        .map_err(|f| Finding { message: format!("y[4] = NaN: {}", f.message), ..f }.hint("C9"))?;
    Ok(Evidence::new("1 x 1, no rain, NaN"))
}
