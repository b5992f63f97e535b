//! The truth about Monte Carlo: minstd, statistics with their bounds, solids.

use std::f64::consts::PI;

use grading::{Finding, expect};
use rand::{Rng, RngExt};

/// Modulus of minstd.
pub const MODULUS: u64 = (1 << 31) - 1;

/// Standard deviation of an estimate of pi times the root of the number of points:
/// `6 sqrt(p (1 - p))` with `p = pi/6`.
pub const SIGMA_PI: f64 = 2.9966;

/// State `i + 1` of minstd after `seed`.
pub fn state(seed: u32, i: u64) -> u64 {
    let (mut state, mut power, mut e) = (u64::from(seed), 48_271, i + 1);
    while e > 0 {
        if e & 1 == 1 {
            state = state * power % MODULUS;
        }
        power = power * power % MODULUS;
        e >>= 1;
    }
    state
}

/// The number of `[a, b)` that a state means.
pub fn number(state: u64, a: f32, b: f32) -> f32 {
    let u = (state - 1) as f64 / (MODULUS - 1) as f64;
    (f64::from(a) + (f64::from(b) - f64::from(a)) * u) as f32
}

/// Elements `first..first + n` of a sequence.
pub fn elements(seed: u32, first: u64, n: usize, a: f32, b: f32) -> Vec<f32> {
    let mut next = state(seed, first);
    (0..n)
        .map(|_| {
            let value = number(next, a, b);
            next = next * 48_271 % MODULUS;
            value
        })
        .collect()
}

/// The three coordinates of `n` points of one sequence.
pub fn points(seed: u32, n: usize, a: f32, b: f32) -> [Vec<f32>; 3] {
    [0, 1, 2].map(|axis| elements(seed, axis * n as u64, n, a, b))
}

/// Points in the unit ball, computed as the kernels do.
pub fn hits([x, y, z]: &[Vec<f32>; 3]) -> u64 {
    let inside = |i: &usize| x[*i] * x[*i] + y[*i] * y[*i] + z[*i] * z[*i] <= 1.0;
    (0..x.len()).filter(inside).count() as u64
}

/// A seed that minstd takes.
pub fn seed(rng: &mut impl Rng) -> u32 {
    rng.random_range(1..MODULUS as u32)
}

/// Coefficient of correlation.
pub fn correlation(x: &[f32], y: &[f32]) -> f64 {
    let n = x.len() as f64;
    let mean = |v: &[f32]| v.iter().map(|v| f64::from(*v)).sum::<f64>() / n;
    let (mx, my) = (mean(x), mean(y));
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        x.iter().zip(y).map(|(x, y)| f(f64::from(*x) - mx, f64::from(*y) - my)).sum()
    };
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

/// Demands that no two coordinates are correlated.
///
/// # Errors
/// Those that are, with the given hint.
pub fn uncorrelated(points: &[Vec<f32>; 3], hint: &str) -> Result<f64, Finding> {
    let bound = 5.0 / (points[0].len() as f64).sqrt();
    let mut worst = 0.0f64;
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let found = correlation(&points[i], &points[j]);
        expect::that(found.abs() <= bound, || {
            let names = ["x", "y", "z"];
            let (x, y) = (names[i], names[j]);
            format!("{x} and {y} are correlated: {found:.4}, expected at most {bound:.4}")
        })
        .map_err(|f| f.hint(hint))?;
        worst = worst.max(found.abs());
    }
    Ok(worst)
}

/// An estimate of pi that is within six standard deviations: with fresh seeds a right program fails
/// once in 10^9 estimates.
///
/// # Errors
/// One that is not, without a hint.
pub fn near_pi(what: &str, estimate: f64, n: usize) -> Result<(), Finding> {
    let bound = 6.0 * SIGMA_PI / (n as f64).sqrt();
    expect::that((estimate - PI).abs() <= bound, || {
        format!("{what}, {n} points: pi = {estimate:.5} is further than {bound:.5} from the truth")
    })
}

/// Slope and offset of the line of least squares through `(log10 n, log10 d)`.
pub fn line(n: &[f64], d: &[f64]) -> (f64, f64) {
    let logs = |v: &[f64]| v.iter().map(|v| v.log10()).collect::<Vec<_>>();
    let (x, y) = (logs(n), logs(d));
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (mx, my) = (mean(&x), mean(&y));
    let sxy: f64 = x.iter().zip(&y).map(|(x, y)| (x - mx) * (y - my)).sum();
    let slope = sxy / x.iter().map(|x| (x - mx).powi(2)).sum::<f64>();
    (slope, my - slope * mx)
}

/// Greatest less least.
pub fn spread(values: &[f64]) -> f64 {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least
}

/// A solid of density 1.
pub struct Solid {
    /// Name.
    pub name: &'static str,
    /// The smallest box that contains it: a and b of each axis.
    pub bounds: [f64; 6],
    /// Volume.
    pub volume: f64,
    /// Moment of inertia about the z axis.
    pub inertia: f64,
    /// Negative inside, positive outside, 0 on the surface.
    pub margin: fn([f64; 3]) -> f64,
}

/// The solids by number.
pub const SOLIDS: [Solid; 6] = [
    Solid {
        name: "the unit ball",
        bounds: [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0],
        volume: 4.0 * PI / 3.0,
        inertia: 8.0 * PI / 15.0,
        margin: |[x, y, z]| x * x + y * y + z * z - 1.0,
    },
    Solid {
        name: "the piece of a torus",
        bounds: [1.0, 4.0, -3.0, 4.0, -1.0, 1.0],
        // By quadrature.
        volume: 22.097_464_406_5,
        inertia: 214.954_010_254_3,
        margin: |[x, y, z]| {
            let d = x.hypot(y) - 3.0;
            (z * z + d * d - 1.0).max(1.0 - x).max(-3.0 - y)
        },
    },
    Solid {
        name: "the ball with a bore",
        bounds: [-PI, PI, -PI, PI, -PI, PI],
        volume: 120.135_259_647_4,
        inertia: 510.315_572_831_0,
        margin: |[x, y, z]| {
            let r2 = x * x + y * y;
            (0.5 - r2).max(r2 + z * z - PI * PI)
        },
    },
    Solid {
        name: "the tube",
        bounds: [-3.0, 3.0, -3.0, 3.0, -2.5, 2.5],
        volume: 25.0 * PI,
        inertia: 162.5 * PI,
        margin: |[x, y, z]| {
            let r2 = x * x + y * y;
            (4.0 - r2).max(r2 - 9.0).max(z.abs() - 2.5)
        },
    },
    Solid {
        name: "the cone",
        bounds: [-1.0, 1.0, -1.0, 1.0, 0.0, 4.0],
        volume: 4.0 * PI / 3.0,
        inertia: 0.4 * PI,
        margin: |[x, y, z]| {
            let r = 1.0 - z / 4.0;
            (x * x + y * y - r * r).max(-z).max(z - 4.0)
        },
    },
    Solid {
        name: "Saturn",
        bounds: [-3.0, 3.0, -3.0, 3.0, -2.0, 2.0],
        volume: 15.75 * PI,
        inertia: 156.745_838_460_0,
        margin: |[x, y, z]| {
            let r2 = x * x + y * y;
            (r2 + z * z - 4.0).min((r2 - 9.0).max(z.abs() - 0.5))
        },
    },
];

impl Solid {
    /// Volume of the box.
    pub fn box_volume(&self) -> f64 {
        self.bounds.chunks(2).map(|s| s[1] - s[0]).product()
    }

    /// `n` random points of the box, made larger by `more` on each side.
    pub fn sample(&self, rng: &mut impl Rng, n: usize, more: f64) -> [Vec<f32>; 3] {
        [0, 1, 2].map(|axis| {
            let (a, b) = (self.bounds[2 * axis] - more, self.bounds[2 * axis + 1] + more);
            (0..n).map(|_| rng.random_range(a..b) as f32).collect()
        })
    }

    /// Standard deviation of V f over the box times V, where f is `weight` in the solid:
    /// uncertainty times the root of the number of points.
    pub fn sigma(&self, rng: &mut impl Rng, weight: fn(f64, f64) -> f64) -> f64 {
        const N: usize = 200_000;
        let [x, y, z] = self.sample(rng, N, 0.0);
        let (mut sum, mut sum2) = (0.0, 0.0);
        for i in 0..N {
            let p = [x[i], y[i], z[i]].map(f64::from);
            if (self.margin)(p) <= 0.0 {
                let f = weight(p[0], p[1]);
                sum += f;
                sum2 += f * f;
            }
        }
        let n = N as f64;
        self.box_volume() * (sum2 / n - (sum / n).powi(2)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    #[test]
    fn volumes_and_moments_of_the_table_belong_to_the_predicates() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for solid in &SOLIDS {
            let n = 400_000;
            let [x, y, z] = solid.sample(&mut rng, n, 0.0);
            let (mut volume, mut inertia) = (0.0, 0.0);
            for i in 0..n {
                let p = [x[i], y[i], z[i]].map(f64::from);
                if (solid.margin)(p) <= 0.0 {
                    volume += 1.0;
                    inertia += p[0] * p[0] + p[1] * p[1];
                }
            }
            let scale = solid.box_volume() / n as f64;
            assert!((volume * scale / solid.volume - 1.0).abs() < 0.01, "{}", solid.name);
            assert!((inertia * scale / solid.inertia - 1.0).abs() < 0.01, "{}", solid.name);
        }
    }

    #[test]
    fn jumps_and_steps_agree() {
        let all = elements(1234, 0, 50, -1.0, 1.0);
        let jumped: Vec<f32> = (0..50).map(|i| number(state(1234, i), -1.0, 1.0)).collect();
        assert_eq!(all, jumped);
        // Seeds 1, 2 and 3 are multiples of one another: the trap of exercise 3.1.2.
        let trap = [1, 2, 3].map(|seed| elements(seed, 0, 200_000, -1.0, 1.0));
        let pi = 6.0 * hits(&trap) as f64 / 200_000.0;
        assert!((pi - 4.14).abs() < 0.01, "{pi}");
    }
}
