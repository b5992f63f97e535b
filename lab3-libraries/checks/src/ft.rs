//! What the checks of section 3.4 share: sizes, fields, the truth.

use grading::{Evidence, Finding, Outcome, Reply, expect, trace};
use npb::ft::{ALPHA, C64, Class, SEED, transform, wave_number};
use npb::random::{SCALE, next};
use serde_json::{Value, json};

/// nx, ny, nz, iterations of our own classes: a cube, and three that are not, so that exchanged
/// axes show.
pub const SIZES: [(&str, [usize; 4]); 4] = [
    ("T1", [16, 16, 16, 6]),
    ("T2", [32, 16, 8, 6]),
    ("T3", [8, 16, 32, 6]),
    ("T4", [16, 8, 4, 6]),
];

/// nx, ny, nz alone.
pub fn grid([nx, ny, nz, _]: [usize; 4]) -> [usize; 3] {
    [nx, ny, nz]
}

/// The initial field.
pub fn initial(size: [usize; 3]) -> Vec<C64> {
    let mut s = SEED;
    let mut number = || {
        s = next(s);
        s as f64 * SCALE
    };
    (0..size.iter().product()).map(|_| C64::new(number(), number())).collect()
}

/// `|k|^2` of each element.
pub fn squares([nx, ny, nz]: [usize; 3]) -> Vec<i32> {
    let square = |i: usize, n: usize| (wave_number(i, n) * wave_number(i, n)) as i32;
    let at = |i: usize| square(i % nx, nx) + square(i / nx % ny, ny) + square(i / nx / ny, nz);
    (0..nx * ny * nz).map(at).collect()
}

/// `exp(-4 alpha pi^2)`.
pub fn decay() -> f64 {
    (-4.0 * ALPHA * std::f64::consts::PI * std::f64::consts::PI).exp()
}

/// The roots of exercise 3.4.1, entry 0 cleared.
pub fn roots(n: usize) -> Vec<C64> {
    let root = |at: usize| {
        // The stage that this one belongs to.
        let h = 1 << at.checked_ilog2()?;
        Some(C64::from_polar(1.0, std::f64::consts::PI * (at - h) as f64 / h as f64))
    };
    (0..n.max(1)).map(|at| root(at).unwrap_or_default()).collect()
}

/// All three axes.
pub fn transformed(size: [usize; 3], forward: bool, u: &[C64]) -> Vec<C64> {
    let mut u = u.to_vec();
    for axis in 0..3 {
        transform(size, axis, forward, &mut u);
    }
    u
}

/// Real and imaginary parts in turn.
pub fn parts(values: &[C64]) -> Vec<f64> {
    values.iter().flat_map(|v| [v.re, v.im]).collect()
}

/// Parts as kernels have them: `double2`.
pub fn pairs(values: &[C64]) -> Vec<[f64; 2]> {
    values.iter().map(|v| [v.re, v.im]).collect()
}

/// Complex numbers from `double2`.
pub fn complex(values: &[[f64; 2]]) -> Vec<C64> {
    values.iter().map(|[re, im]| C64::new(*re, *im)).collect()
}

/// As requests carry them.
pub fn bits(values: &[C64]) -> Value {
    json!(parts(values).into_iter().map(f64::to_bits).collect::<Vec<u64>>())
}

/// Complex numbers of a reply.
pub fn replied(reply: &Reply) -> Result<Vec<C64>, Finding> {
    let bits: Vec<u64> = trace::value(reply)?;
    let parts: Vec<f64> = bits.into_iter().map(f64::from_bits).collect();
    Ok(parts.chunks_exact(2).map(|v| C64::new(v[0], v[1])).collect())
}

/// Each part within `tolerance` times the root of the mean square of what is wanted.
pub fn close(what: &str, got: &[C64], want: &[C64], tolerance: f64) -> Outcome {
    let square: f64 = want.iter().map(|v| v.norm_sqr()).sum();
    let size = (square / want.len().max(1) as f64).sqrt();
    expect::close(what, &parts(got), &parts(want), |_| tolerance * size)?;
    Ok(Evidence::new(format!("{what}: {} elements within {tolerance:.0e}", want.len())))
}

/// The class of a name.
pub fn class(name: &str) -> Result<&'static Class, Finding> {
    Class::by_name(name).ok_or_else(|| Finding::grader(format!("no class {name}")))
}
