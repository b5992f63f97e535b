//! Checks of exercise 3.4.3: the transform of a line.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial};
use npb::ft::C64;
use rand::RngExt;
use serde_json::json;

use crate::ft::{bits, close, replied, roots};
use crate::own::written;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.4.3",
    key: "e3_4_03",
    title: "One-dimensional Stockham",
    points: 4,
    files: &[FILE],
    todo: "Write stockham in src/e3_4_03.rs.",
    hints: &[
        ("a", "odd log2 n: the result is in the other buffer"),
        ("b", "Stockham needs no reordering: its result is in natural order"),
        ("c", "the root's index is li + i"),
        ("d", "the inverse uses the conjugate"),
        ("e", "exchange the buffers after every stage"),
        ("f", "roots in f64"),
        (
            "s",
            "log2 n stages of n/2 butterflies; their factors are those of the table that is handed \
             over, roots[li + i]",
        ),
        ("own", "write it yourself: what the crate npb has is there to be compared with"),
    ],
    checks: &[
        Check { name: "dft", what: "the definition, 1 to 256 elements", weight: 3, run: dft },
        Check { name: "sizes", what: "even and odd numbers of stages", weight: 1, run: sizes },
        Check { name: "roundtrip", what: "forward, then inverse", weight: 1, run: roundtrip },
        Check { name: "parseval", what: "simple signals, and energy", weight: 1, run: parseval },
    ],
};

const FILE: &str = "src/e3_4_03.rs";

fn student(t: &Trial, sign: i32, x: &[C64]) -> Result<Vec<C64>, Finding> {
    with(t, sign, x, &roots(x.len().max(256)))
}

/// The student's transform with any factors.
fn with(t: &Trial, sign: i32, x: &[C64], roots: &[C64]) -> Result<Vec<C64>, Finding> {
    written(t, FILE, &["npb"])?;
    let request = json!({ "sign": sign, "x": bits(x), "roots": bits(roots) });
    replied(&t.call("e3_4_03.stockham", &request)?)
}

fn noise(t: &Trial, n: usize) -> Vec<C64> {
    let mut rng = t.rng();
    (0..n).map(|_| C64::new(rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0))).collect()
}

/// The definition.
fn slow(sign: i32, x: &[C64]) -> Vec<C64> {
    let n = x.len();
    let turn = std::f64::consts::TAU * f64::from(sign) / n as f64;
    let term =
        |k: usize| move |(j, x): (usize, &C64)| x * C64::from_polar(1.0, turn * (j * k % n) as f64);
    (0..n).map(|k| x.iter().enumerate().map(term(k)).sum()).collect()
}

/// Which mistake gives this result.
fn diagnose(f: Finding, sign: i32, x: &[C64], got: &[C64]) -> Finding {
    let n = x.len();
    let same = |wrong: &[C64]| {
        let scale = wrong.iter().map(|v| v.norm()).fold(1e-300, f64::max);
        wrong.iter().zip(got).all(|(a, b)| (a - b).norm() <= 1e-9 * scale)
    };
    let want = slow(sign, x);
    let reversed: Vec<C64> = (0..n)
        .map(|i| want[if n > 1 { i.reverse_bits() >> (usize::BITS - n.ilog2()) } else { i }])
        .collect();
    let error = want.iter().zip(got).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    let size = want.iter().map(|v| v.norm()).fold(0.0, f64::max);
    if same(&slow(-sign, x)) {
        f.hint("d")
    } else if n > 2 && same(&reversed) {
        f.hint("b")
    } else if error < 1e-5 * size {
        f.hint("f")
    } else {
        f
    }
}

fn one(t: &Trial, sign: i32, x: &[C64]) -> Outcome {
    let got = student(t, sign, x)?;
    let what = format!("{} elements, sign {sign:+}", x.len());
    let seen = close(&what, &got, &slow(sign, x), 1e-13 * (x.len() as f64).sqrt().max(1.0))
        .map_err(|f| diagnose(f, sign, x, &got))?;
    stages(t, sign, x)?;
    Ok(seen)
}

/// What the stages make of a line with any factors, as a sum over all ways from an element `x[j]`
/// to `y[k]`. Bit l - 1 of k says which output of its butterfly the way takes in stage l, of which
/// j modulo `2 li` is the input.
fn slow_stages(sign: i32, x: &[C64], factors: &[C64]) -> Vec<C64> {
    let m = x.len().ilog2();
    let way = |j: usize, k: usize| -> C64 {
        (1..=m).filter(|l| k >> (l - 1) & 1 == 1).fold(C64::new(1.0, 0.0), |way, l| {
            let li = 1 << (m - l);
            let factor = factors[li + j % li];
            let factor = if sign > 0 { factor } else { factor.conj() };
            if j & li == 0 { way * factor } else { -way * factor }
        })
    };
    let sum = |k| x.iter().enumerate().map(|(j, x)| x * way(j, k)).sum();
    (0..x.len()).map(sum).collect()
}

/// With other factors in the table the stages give something else, and exactly that is wanted: who
/// does not take the stages, or not their factors, is found out.
fn stages(t: &Trial, sign: i32, x: &[C64]) -> Outcome {
    let mut rng = t.rng();
    let factors: Vec<C64> = (0..x.len().max(256))
        .map(|_| C64::from_polar(1.0, rng.random_range(0.0..std::f64::consts::TAU)))
        .collect();
    let want = slow_stages(sign, x, &factors);
    let what = format!("{} elements, sign {sign:+}, other factors in `roots`", x.len());
    let got = with(t, sign, x, &factors)?;
    let off = want.iter().zip(&got).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    // So near they are the stages, with factors that were rounded.
    close(&what, &got, &want, 1e-12).map_err(|f| f.hint(if off < 1e-5 { "f" } else { "s" }))
}

fn dft(t: &Trial) -> Outcome {
    // Even numbers of stages first: there a result in the wrong array does not show.
    for m in [0, 2, 4, 6, 8] {
        let x = noise(t, 1 << m);
        one(t, 1, &x).map_err(|f| f.or_hint("c"))?;
        one(t, -1, &x).map_err(|f| f.or_hint("d"))?;
    }
    Ok(Evidence::new("1, 4, 16, 64 and 256 elements: the definition, both signs"))
}

fn sizes(t: &Trial) -> Outcome {
    let even = one(t, 1, &noise(t, 16)).is_ok();
    for m in [1, 3, 5, 7] {
        let x = noise(t, 1 << m);
        for sign in [1, -1] {
            one(t, sign, &x).map_err(|f| if even { f.or_hint("a") } else { f.or_hint("e") })?;
        }
    }
    Ok(Evidence::new("2, 8, 32 and 128 elements: an odd number of stages"))
}

fn roundtrip(t: &Trial) -> Outcome {
    for n in [2usize, 16, 128] {
        let x = noise(t, n);
        let back = student(t, -1, &student(t, 1, &x)?)?;
        let want: Vec<C64> = x.iter().map(|v| v * n as f64).collect();
        close(&format!("{n} elements, forward and inverse"), &back, &want, 1e-13 * n as f64)
            .map_err(|f| f.hint("d"))?;
    }
    Ok(Evidence::new("inverse of forward is n times the line"))
}

fn parseval(t: &Trial) -> Outcome {
    let n = 64;
    let (zero, unit) = (C64::new(0.0, 0.0), C64::new(1.0, 0.0));
    let mut delta = vec![zero; n];
    delta[0] = unit;
    // A line that comes back as it was has been left in the first array.
    let simple = |what: &str, x: &[C64], want: &[C64]| {
        let got = student(t, 1, x)?;
        let hint = if got == x { "e" } else { "c" };
        close(what, &got, want, 1e-12).map_err(|f| f.hint(hint))
    };
    simple("a delta", &delta, &vec![unit; n])?;
    let mut spike = vec![zero; n];
    spike[0] = C64::new(n as f64, 0.0);
    simple("a constant", &vec![unit; n], &spike)?;
    // A tone of frequency 5 goes to -5, that is n - 5, with sign +1.
    let tone: Vec<C64> = (0..n)
        .map(|j| C64::from_polar(1.0, std::f64::consts::TAU * (5 * j) as f64 / n as f64))
        .collect();
    let mut line = vec![zero; n];
    line[n - 5] = C64::new(n as f64, 0.0);
    close("a tone", &student(t, 1, &tone)?, &line, 1e-12).map_err(|f| f.hint("c"))?;
    let (x, y) = (noise(t, n), tone);
    let sum: Vec<C64> = x.iter().zip(&y).map(|(a, b)| a * 2.0 + b).collect();
    let (fx, fy) = (student(t, 1, &x)?, student(t, 1, &y)?);
    let both: Vec<C64> = fx.iter().zip(&fy).map(|(a, b)| a * 2.0 + b).collect();
    close("2 x + y", &student(t, 1, &sum)?, &both, 1e-12)?;
    let energy = |x: &[C64]| x.iter().map(|v| v.norm_sqr()).sum::<f64>();
    let (before, after) = (energy(&x) * n as f64, energy(&fx));
    grading::expect::close("energy", &[after], &[before], |_| 1e-12 * before)
        .map_err(|f| f.hint("c"))?;
    Ok(Evidence::new("delta, constant, tone, linearity; energy is kept (Parseval)"))
}
