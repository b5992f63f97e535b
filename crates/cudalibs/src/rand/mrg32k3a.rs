//! MRG32k3a (P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive
//! random number generators", Operations Research 47, 1999), as cuRAND's host API seeds it and
//! spreads it over lanes.
//!
//! Two recursions of order three modulo primes. Lane l of the 81,920 starts 2^76 l steps into the
//! sequence of the seed; number n of the output is step n / 81,920 of lane n mod 81,920. Compared
//! with cuRAND 10.4 bit for bit.

use std::sync::OnceLock;

use super::lanes::Lane;

/// Steps between lanes, as a power of two.
const LANE_LOG2: usize = 76;
const M1: u64 = 4_294_967_087;
const M2: u64 = 4_294_944_443;

type Matrix = [[u64; 3]; 3];

/// A generator at some step: the last three values of both recursions, oldest first.
#[derive(Clone, Copy, Debug)]
pub struct Mrg32k3a {
    a: [u64; 3],
    b: [u64; 3],
}

fn product(x: &Matrix, y: &Matrix, m: u64) -> Matrix {
    let element = |i: usize, j: usize| (0..3).fold(0, |sum, k| (sum + x[i][k] * y[k][j] % m) % m);
    std::array::from_fn(|i| std::array::from_fn(|j| element(i, j)))
}

fn applied(x: &Matrix, v: &[u64; 3], m: u64) -> [u64; 3] {
    std::array::from_fn(|i| (0..3).fold(0, |sum, k| (sum + x[i][k] * v[k] % m) % m))
}

/// The maps of 1, 2, 4, ... 2^76 steps, for both recursions.
fn powers() -> &'static [(Matrix, Matrix)] {
    static POWERS: OnceLock<Vec<(Matrix, Matrix)>> = OnceLock::new();
    POWERS.get_or_init(|| {
        let one = (
            [[0, 1, 0], [0, 0, 1], [M1 - 810_728, 1_403_580, 0]],
            [[0, 1, 0], [0, 0, 1], [M2 - 1_370_589, 0, 527_612]],
        );
        let twice = |(a, b): &(Matrix, Matrix)| Some((product(a, a, M1), product(b, b, M2)));
        std::iter::successors(Some(one), twice).take(LANE_LOG2 + 1).collect()
    })
}

impl Mrg32k3a {
    fn jump(&self, (a, b): &(Matrix, Matrix)) -> Mrg32k3a {
        Mrg32k3a { a: applied(a, &self.a, M1), b: applied(b, &self.b, M2) }
    }

    /// The next value, in 1..=M1.
    fn value(&mut self) -> u64 {
        // The negative coefficients, as multiples of the difference: all products stay below 2^53.
        let a = (1_403_580 * self.a[1] + 810_728 * (M1 - self.a[0])) % M1;
        let b = (527_612 * self.b[2] + 1_370_589 * (M2 - self.b[0])) % M2;
        self.a = [self.a[1], self.a[2], a];
        self.b = [self.b[1], self.b[2], b];
        if a > b { a - b } else { a + M1 - b }
    }
}

impl Lane for Mrg32k3a {
    const DRAWS_64: bool = true;
    const LANES: usize = 81_920;

    fn sequences(seed: u64) -> impl Iterator<Item = Mrg32k3a> {
        const START: u64 = 12_345;
        let (x, y) = ((seed & 0xffff_ffff) ^ 0x5555_5555, (seed >> 32) ^ 0xaaaa_aaaa);
        let first = match seed {
            0 => Mrg32k3a { a: [START; 3], b: [START; 3] },
            _ => Mrg32k3a {
                a: [x * START % M1, y * START % M1, x * START % M1],
                b: [y * START % M2, x * START % M2, y * START % M2],
            },
        };
        let jump = &powers()[LANE_LOG2];
        std::iter::successors(Some(first), |lane| Some(lane.jump(jump)))
    }

    fn words(&self) -> [u32; 6] {
        let [a, b] = [self.a, self.b].map(|values| values.map(|v| v as u32));
        [a[0], a[1], a[2], b[0], b[1], b[2]]
    }

    fn skip(&mut self, steps: u64) {
        for (i, map) in powers().iter().enumerate().take(64) {
            if (steps >> i) & 1 == 1 {
                *self = self.jump(map);
            }
        }
    }

    fn next(&mut self) -> u32 {
        // The vendor's scale: it stretches 1..=M1 over 32 bits.
        (self.value() as f64 * 1.000000048662) as u32
    }

    fn next_unit(&mut self) -> f64 {
        self.value() as f64 * (1.0 / M1 as f64)
    }
}
