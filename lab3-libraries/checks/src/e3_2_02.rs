//! Checks of exercise 3.2.2: matching pursuit in plain Rust.

use grading::{
    Call, Check, Evidence, Exercise, Finding, Outcome, Reply, Trial, expect, host, trace,
};
use rand::RngExt;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::device::{bits32, f32s, within};
use crate::rain::{self, Rain};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.2.2",
    key: "e3_2_02",
    title: "Matching pursuit prototype",
    points: 5,
    files: &["src/e3_2_02.rs"],
    todo: "Write the pursuit and its file in src/e3_2_02.rs.",
    hints: &[
        (
            "a",
            "take the column with the largest |s|: a negative product counts as much as a positive \
             one",
        ),
        ("b", "sigma = s_i / |a_i|^2: divide by the squared norm"),
        ("c", "a day may be chosen again: add sigma to xr_i"),
        ("d", "go on while t <= tmax and |r| > eps |y|: both must hold"),
        ("e", "r = r - sigma a_i: the residual becomes shorter in each step"),
        ("f", "A is stored by columns: use a.column(i)"),
        (
            "z",
            "y = 0 is solved before the first step, and a column of zeros has nothing to give: |r| \
             > eps |y|, not >=",
        ),
        ("w", "raindemo.dat: i32 M, i32 N, then x[N], A[M*N] by columns, y[M], xr[N]"),
        ("t", "end with `input.finish()?`: bytes that nobody asked for are an error"),
    ],
    checks: &[
        Check {
            name: "step_invariants",
            what: "every step of six pursuits",
            weight: 3,
            run: step_invariants,
        },
        Check { name: "y0", what: "nothing to find", weight: 1, run: y0 },
        Check { name: "nan", what: "observations that are not numbers", weight: 1, run: nan },
        Check { name: "dat_roundtrip", what: "raindemo.dat", weight: 1, run: dat_roundtrip },
    ],
};

const TMAX: usize = 50;
const EPS: f64 = 0.05;

/// What a pursuit answers: the solution, and the steps as t, index and the bits of sigma, value and
/// norm.
#[derive(Deserialize)]
pub struct Answer {
    xr: Vec<u32>,
    steps: Vec<(usize, usize, u32, u32, u32)>,
}

/// A step of the student's.
pub struct Step {
    /// Number, from 1.
    pub t: usize,
    /// Column, from 1.
    pub index: usize,
    /// Coefficient added.
    pub sigma: f64,
    /// Coefficient now.
    pub value: f64,
    /// Norm of the residual.
    pub norm: f64,
}

impl Answer {
    /// The solution.
    pub fn xr(&self) -> Vec<f32> {
        f32s(&self.xr)
    }

    /// The steps.
    pub fn steps(&self) -> Vec<Step> {
        let number = |bits: u32| f64::from(f32::from_bits(bits));
        let step = |&(t, index, sigma, value, norm): &(usize, usize, u32, u32, u32)| Step {
            t,
            index,
            sigma: number(sigma),
            value: number(value),
            norm: number(norm),
        };
        self.steps.iter().map(step).collect()
    }
}

fn answered(t: &Trial, rain: &Rain) -> Result<Reply, Finding> {
    let mut request = rain.request();
    request["tmax"] = json!(TMAX);
    request["eps"] = json!(EPS);
    t.call("e3_2_02.mp", &request)
}

fn mp(t: &Trial, rain: &Rain) -> Result<Answer, Finding> {
    trace::value(&answered(t, rain)?)
}

/// Looks at each step by itself, given those before it.
fn follow(rain: &Rain, answer: &Answer) -> Result<usize, Finding> {
    let wrong = |step: &Step, text: String, hint: &str| {
        Err(Finding::wrong(format!("step {}: {text}", step.t)).hint(hint))
    };
    let mut r: Vec<f64> = rain.y.iter().map(|v| f64::from(*v)).collect();
    let norm_y = rain::norm(&r);
    let mut xr = vec![0.0; rain.n];
    let steps = answer.steps();
    for (k, step) in steps.iter().enumerate() {
        let before = rain::norm(&r);
        if step.t != k + 1 || step.t > TMAX || before <= EPS * norm_y * 0.999 {
            let text = format!(
                "t = {}, after {k} steps with |r| = {before:.4}, |y| = {norm_y:.4}: tmax is \
                 {TMAX}, eps {EPS}",
                step.t
            );
            return wrong(step, text, "d");
        }
        let s = rain.products(&r);
        let best = s.iter().fold(0.0f64, |best, s| best.max(s.abs()));
        let i = match step.index.checked_sub(1) {
            Some(i) if i < rain.n => i,
            _ => return wrong(step, format!("there is no column {}", step.index), "f"),
        };
        if s[i].abs() < best * (1.0 - 1e-5) {
            let greatest = s.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let hint = if s[i] >= greatest * (1.0 - 1e-5) { "a" } else { "f" };
            let text = format!(
                "|s| of column {} is {:.4}, the largest is {best:.4}",
                step.index,
                s[i].abs()
            );
            return wrong(step, text, hint);
        }
        let sigma = s[i] / rain.square(i);
        if !within(step.sigma, sigma, 1e-4 * sigma.abs()) {
            let text = format!("sigma: expected {sigma:.6}, got {:.6}", step.sigma);
            return wrong(step, text, "b");
        }
        rain.subtract(&mut r, i, step.sigma);
        xr[i] += step.sigma;
        let after = rain::norm(&r);
        if !within(step.norm, after, 1e-4 * norm_y) {
            let text = format!("|r|: expected {after:.6}, got {:.6}", step.norm);
            return wrong(step, text, "e");
        }
        let fallen = before * before - s[i] * s[i] / rain.square(i);
        if !within(after * after, fallen, 1e-4 * norm_y * norm_y) {
            return wrong(
                step,
                format!("|r|^2: expected {fallen:.6}, got {:.6}", after * after),
                "b",
            );
        }
        if !rain.days.contains(&i) {
            return wrong(step, format!("day {i} is no observation day"), "f");
        }
        if !within(step.value, xr[i], 1e-4 * (xr[i].abs() + 1.0)) {
            let text = format!("xr[{i}]: expected {:.5}, got {:.5}", xr[i], step.value);
            return wrong(step, text, "c");
        }
    }
    let end = rain::norm(&r);
    if steps.len() < TMAX && end > EPS * norm_y * 1.001 {
        let text =
            format!("ends after {} steps with |r| = {end:.4}, |y| = {norm_y:.4}", steps.len());
        return Err(Finding::wrong(text).hint("d"));
    }
    expect::close("xr", &answer.xr(), &xr, |i| 1e-4 * (xr[i].abs() + 1.0))
        .map_err(|f| f.hint("c"))?;
    Ok(steps.len())
}

fn step_invariants(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut lengths = Vec::new();
    let mut picture = None;
    for _ in 0..6 {
        let rain = Rain::random(&mut rng, 365, 20, 50, 30.0);
        let answer = mp(t, &rain)?;
        lengths.push(follow(&rain, &answer)?);
        let title = "a year: rain (up) and the rain that was found (down)";
        picture = Some(rain::bars(title, &rain.x, &answer.xr()));
    }
    // A matrix with negative entries, whose products have both signs.
    let mut rain = Rain::random(&mut rng, 40, 5, 20, 30.0);
    rain.a = rain.a.iter().map(|_| rng.random_range(-1.0..1.0)).collect();
    rain.days = (0..40).collect();
    rain.y = (0..20).map(|_| rng.random_range(-1.0..1.0)).collect();
    lengths.push(follow(&rain, &mp(t, &rain)?)?);
    let evidence = Evidence::new(format!(
        "{lengths:?} steps: the best column, its coefficient and the residual are right"
    ));
    Ok(match picture {
        Some(picture) => evidence.picture(picture),
        None => evidence,
    })
}

fn y0(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let mut rain = Rain::random(&mut rng, 60, 0, 20, 30.0);
    let nothing = |rain: &Rain, what: &str| -> Result<(), Finding> {
        let answer = mp(t, rain)?;
        expect::that(answer.steps.is_empty(), || {
            format!("{what}: expected no step, got {}", answer.steps.len())
        })
        .map_err(|f| f.hint("z"))?;
        expect::eq(&format!("{what}: xr"), &answer.xr(), &vec![0.0; rain.n])
            .map_err(|f| f.hint("z"))?;
        Ok(())
    };
    nothing(&rain, "y = 0")?;
    rain.a = vec![0.0; rain.m * rain.n];
    rain.y = vec![1.0; rain.m];
    nothing(&rain, "A = 0")?;
    // Columns of zeros between others.
    let mut rain = Rain::random(&mut rng, 60, 5, 20, 30.0);
    for i in (0..60).filter(|i| i % 3 != 0) {
        rain.a[i * 20..(i + 1) * 20].fill(0.0);
    }
    for step in mp(t, &rain)?.steps() {
        expect::that((step.index - 1) % 3 == 0 && step.sigma.is_finite(), || {
            format!("column {} is zero and was chosen", step.index)
        })
        .map_err(|f| f.hint("z"))?;
    }
    Ok(Evidence::new("y = 0 and A = 0: no step; columns of zeros are never chosen"))
}

fn nan(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    for bad in [f32::NAN, f32::INFINITY] {
        let mut rain = Rain::random(&mut rng, 60, 5, 20, 30.0);
        // Whoever refuses everything, or answers nothing, has refused nothing.
        let right = answered(t, &rain)?;
        trace::counted(&right, trace::value::<Answer>(&right)?.xr, rain.n)?;
        let at = rng.random_range(0..20);
        rain.y[at] = bad;
        host::error(&answered(t, &rain)?).map_err(|f| {
            Finding { message: format!("y[{at}] = {bad}: {}", f.message), ..f }.hint("C9")
        })?;
    }
    Ok(Evidence::new("NaN and infinity in y are refused"))
}

fn dat_roundtrip(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let (m, n) = (rng.random_range(2..6usize), rng.random_range(6..12usize));
    let mut some =
        |count: usize| -> Vec<f32> { (0..count).map(|_| rng.random_range(-1.0..1.0)).collect() };
    let (x, a, y, xr) = (some(n), some(m * n), some(m), some(n));
    let mut want = [m as i32, n as i32].map(i32::to_le_bytes).concat();
    want.extend([&x, &a, &y, &xr].into_iter().flatten().flat_map(|v| v.to_le_bytes()));
    let bits: Value = json!({
        "m": m, "n": n, "x": bits32(&x), "a": bits32(&a), "y": bits32(&y), "xr": bits32(&xr),
    });
    let got: Vec<u8> = trace::value(&t.call("e3_2_02.write", &bits)?)?;
    expect::eq("raindemo.dat", &got, &want).map_err(|f| f.hint("w"))?;
    let read: Value = trace::value(&t.call("e3_2_02.read", &json!(want))?)?;
    expect::that(read == bits, || "read_dat does not give back what was in the file".into())
        .map_err(|f| f.hint("w"))?;
    let short = &want[..want.len() - 1];
    let long = [&want[..], &[0]].concat();
    let negative = [-1i32, 3].map(i32::to_le_bytes).concat();
    let huge = [i32::MAX, i32::MAX].map(i32::to_le_bytes).concat();
    let bad: [(&str, Value); 6] = [
        ("no file", Value::Null),
        ("an empty file", json!([])),
        ("M = -1", json!(negative)),
        ("M = N = 2147483647", json!(huge)),
        ("a file that is one byte too short", json!(short)),
        ("a file that is one byte too long", json!(long)),
    ];
    let calls: Vec<Call> = bad.iter().map(|(_, b)| Call::new("e3_2_02.read", b)).collect();
    for ((what, _), reply) in bad.iter().zip(t.host(&calls)?) {
        let (text, _) = host::error(&reply)
            .map_err(|f| Finding { message: format!("{what}: {}", f.message), ..f }.hint("t"))?;
        expect::that(text.contains("raindemo.dat"), || {
            format!("{what}: expected an error that names the file, got {text:?}")
        })
        .map_err(|f| f.hint("t"))?;
    }
    Ok(Evidence::new(format!("{} bytes written and read; six bad files refused", want.len())))
}
