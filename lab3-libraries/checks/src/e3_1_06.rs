//! Checks of exercise 3.1.6: quasi-random points.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect, host, trace};
use serde_json::json;

use crate::device::{self, f32s, f64s};
use crate::mc;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.1.6",
    key: "e3_1_06",
    title: "Quasi-random numbers",
    points: 4,
    files: &["src/e3_1_06.rs"],
    todo: "Make the quasi-random generator, fill a buffer with its points and take the coordinates \
        from it, in src/e3_1_06.rs.",
    hints: &[
        ("a", "the spread is 0: keep the generator, which goes on where the last call stopped"),
        ("b", "a point has 3 dimensions: say so to the generator"),
        (
            "c",
            "coordinates are stored one after the other: first n times x, then n times y, then n \
             times z",
        ),
        ("d", "a quasi-random generator has no seed: that call failed, and its error was ignored"),
        ("o", "begin with the first point of the sequence, and leave none out"),
        ("m", "map each number once, to [-1, 1]"),
    ],
    checks: &[
        Check { name: "points", what: "the first 16 points of Sobol'", weight: 2, run: points },
        Check {
            name: "dyadic",
            what: "each eighth of the box gets its share",
            weight: 1,
            run: dyadic,
        },
        Check {
            name: "delta",
            what: "a smaller spread than that of random points",
            weight: 1,
            run: delta,
        },
        Check { name: "alpha", what: "its law", weight: 1, run: alpha },
        Check {
            name: "errors",
            what: "a buffer that does not hold whole points",
            weight: 1,
            run: errors,
        },
    ],
};

/// The bits of point `i` of Sobol' with the direction numbers of Joe and Kuo, in the order of the
/// Gray code.
fn bits(i: u32) -> [u32; 3] {
    // Primitive polynomials x + 1 and x^2 + x + 1, with m = 1 and m = 1, 3.
    let mut v = [[0u32; 32]; 3];
    let (mut m2, mut m3) = (vec![1u64], vec![1u64, 3]);
    for k in 0..32 {
        if k >= 1 {
            m2.push(m2[k - 1] << 1 ^ m2[k - 1]);
        }
        if k >= 2 {
            m3.push(m3[k - 1] << 1 ^ m3[k - 2] << 2 ^ m3[k - 2]);
        }
        v[0][k] = 1 << (31 - k);
        v[1][k] = (m2[k] as u32) << (31 - k);
        v[2][k] = (m3[k] as u32) << (31 - k);
    }
    let gray = i ^ (i >> 1);
    v.map(|v| (0..32).filter(|k| gray >> k & 1 == 1).fold(0, |x, k| x ^ v[k as usize]))
}

/// Point `i` of Sobol' in (0, 1]^3.
fn sobol(i: u32) -> [f64; 3] {
    bits(i).map(|x| (f64::from(x) + 0.5) / 2f64.powi(32))
}

/// pi from `n` points of Sobol' from point `first` on, computed as the device does.
fn pi(first: u32, n: u32) -> f64 {
    let inside = |i: &u32| {
        let [x, y, z] = bits(*i).map(|x| 2.0 * (x as f32 * 2f32.powi(-32) + 2f32.powi(-33)) - 1.0);
        x * x + y * y + z * z <= 1.0
    };
    6.0 * (first..first + n).filter(inside).count() as f64 / f64::from(n)
}

/// The buffers that one source fills.
fn filled(t: &Trial, lengths: &[usize]) -> Result<Vec<Vec<f32>>, Finding> {
    let reply = t.call("e3_1_06.fill", &json!(lengths))?;
    if let Some(call) = reply.api.iter().find(|c| c.name == "curandSetPseudoRandomGeneratorSeed") {
        let text = format!("{} returned {}", call.name, call.result_name);
        return Err(Finding::wrong(text).hint("d"));
    }
    let bits: Vec<Vec<u32>> = trace::counted(&reply, device::plain(&reply)?, lengths.len())?;
    let buffer = |(bits, len): (Vec<u32>, &usize)| trace::counted(&reply, f32s(&bits), *len);
    bits.into_iter().zip(lengths).map(buffer).collect()
}

fn points(t: &Trial) -> Outcome {
    let buffers = filled(t, &[24, 24])?;
    for (call, got) in buffers.iter().enumerate() {
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let want: Vec<f64> =
                (0..8).map(|i| 2.0 * sobol(8 * call as u32 + i)[axis] - 1.0).collect();
            let got = &got[8 * axis..8 * axis + 8];
            let what = format!("call {}, 8 points: {name}", call + 1);
            expect::close(&what, got, &want, |_| 1e-6).map_err(|f| {
                // The first coordinate of any sequence of Sobol' is the same.
                let later =
                    (0..8).any(|i| (f64::from(got[0]) - 2.0 * sobol(i)[0] + 1.0).abs() < 1e-6);
                match axis {
                    0 if call == 0 => f.hint("o"),
                    0 if later => f.hint("a"),
                    0 => f.hint("o"),
                    _ => f.hint("b"),
                }
            })?;
        }
    }
    Ok(Evidence::new("16 points in two calls are the first 16 of the sequence"))
}

fn dyadic(t: &Trial) -> Outcome {
    const N: usize = 4096;
    let got = filled(t, &[3 * N])?.remove(0);
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let mut counts = [0usize; 8];
        for v in &got[axis * N..(axis + 1) * N] {
            counts[(((v + 1.0) * 4.0) as usize).min(7)] += 1;
        }
        expect::eq(&format!("{N} points: {name} in each eighth"), &counts, &[N / 8; 8])
            .map_err(|f| f.hint("o"))?;
    }
    let points = [0, 1, 2].map(|axis| got[axis * N..(axis + 1) * N].to_vec());
    mc::uncorrelated(&points, "b")?;
    Ok(Evidence::new(format!("{N} points: {} in each eighth of x, of y and of z", N / 8)))
}

/// `P` estimates for each size, by one source.
fn series(t: &Trial, sizes: &[usize]) -> Result<Vec<Vec<f64>>, Finding> {
    let reply = t.call("e3_1_06.series", &json!({ "p": P, "n": sizes }))?;
    let bits: Vec<Vec<u64>> = trace::counted(&reply, device::plain(&reply)?, sizes.len())?;
    Ok(bits.iter().map(|b| f64s(b)).collect())
}

const P: usize = 10;

fn delta(t: &Trial) -> Outcome {
    let small = series(t, &[3000])?.remove(0);
    for (k, got) in small.iter().enumerate() {
        // The points of the first call and those of this one.
        let (first, want) = (pi(0, 3000), pi(3000 * k as u32, 3000));
        // Rounding may move a point or two across the surface.
        let near = |want: f64| (got - want).abs() <= 3.0 * 6.0 / 3000.0 * 1.01;
        expect::that(near(want), || {
            format!("call {} of 3000 points: expected pi = {want:.4}, got {got:.4}", k + 1)
        })
        .map_err(|f| f.hint(if k > 0 && near(first) { "a" } else { "c" }))?;
    }
    const N: usize = 30_000;
    let values = series(t, &[N])?.remove(0);
    // Half of the spread of ten random estimates, and that for each estimate, too.
    let bound = 0.5 * 3.078 * mc::SIGMA_PI / (N as f64).sqrt();
    for v in &values {
        expect::that((v - std::f64::consts::PI).abs() <= bound, || {
            format!("pi = {v:.5} from {N} points is further than {bound:.5} from the truth")
        })
        .map_err(|f| f.hint("c"))?;
    }
    let spread = mc::spread(&values);
    expect::that(spread > 0.0, || format!("all {P} results from {N} points are equal"))
        .map_err(|f| f.hint("a"))?;
    expect::that(spread <= bound, || {
        format!("the spread of {P} results is {spread:.5}, expected at most {bound:.5}")
    })
    .map_err(|f| f.hint("c"))?;
    Ok(Evidence::new(format!(
        "N = {N}: spread {spread:.5}; random points would have {:.5}",
        2.0 * bound
    )))
}

fn alpha(t: &Trial) -> Outcome {
    let sizes = [1000, 3162, 10_000, 31_623, 100_000];
    let deltas: Vec<f64> = series(t, &sizes)?.iter().map(|v| mc::spread(v)).collect();
    expect::that(deltas.iter().all(|d| *d > 0.0), || format!("spreads of {P} results: {deltas:?}"))
        .map_err(|f| f.hint("a"))?;
    let (slope, _) = mc::line(&sizes.map(|n| n as f64), &deltas);
    expect::that((0.45..=0.9).contains(&-slope), || {
        format!("the spread falls as N^{slope:.3}, expected N^-0.45 to N^-0.9")
    })
    .map_err(|f| f.hint("c"))?;
    Ok(Evidence::new(format!("N = 10^3 to 10^5: alpha = {:.3}", -slope)))
}

fn errors(t: &Trial) -> Outcome {
    const REFUSED: &str = "CURAND_STATUS_LENGTH_NOT_MULTIPLE";
    // Whoever refuses everything knows nothing of lengths.
    filled(t, &[3]).map_err(|f| f.hint("b"))?;
    for n in [1, 10, 3001] {
        let what = format!("a buffer of {n} numbers");
        let reply = t.call("e3_1_06.fill", &json!([n]))?;
        let refused = reply.api.iter().any(|c| c.result_name == REFUSED);
        let hint = if refused { "C3" } else { "b" };
        let (_, code) = host::error(&reply)
            .map_err(|f| Finding { message: format!("{what}: {}", f.message), ..f }.hint(hint))?;
        // The library refuses the length, or the student does.
        expect::that(code.is_empty() || code == REFUSED, || {
            format!("{what}: expected {REFUSED}, found {code}")
        })
        .map_err(|f| f.hint(hint))?;
    }
    Ok(Evidence::new("1, 10 and 3001 numbers are refused"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_points_are_those_of_joe_and_kuo() {
        let first: Vec<[f64; 3]> =
            (0..4).map(|i| sobol(i).map(|v| (v * 8.0).floor() / 8.0)).collect();
        assert_eq!(first, [[0.0; 3], [0.5; 3], [0.75, 0.25, 0.25], [0.25, 0.75, 0.75]]);
        assert!((pi(0, 1 << 16) - std::f64::consts::PI).abs() < 5e-3);
    }
}
