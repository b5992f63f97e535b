//! Sobol' sequences with the direction numbers of S. Joe and F. Y. Kuo ("Constructing Sobol
//! sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30, 2008), in the order
//! of the Gray code.
//!
//! Without scrambling the points are cuRAND's, bit for bit, in 32 and in 64 bits. Scrambled ones
//! are not: the vendor's scrambling is a table of its own. Here each dimension gets a random lower
//! triangular matrix and a random shift (J. Matousek, "On the L2-discrepancy for anchored boxes",
//! J. Complexity 14, 1998), always the same ones.

use rayon::prelude::*;
use sobol::Sobol;
use sobol::params::JoeKuoD6;

use super::map::{Normal, Poisson, normal_quantile, unit_double, unit_float};
use super::stream::Stream;

/// Most dimensions, as in cuRAND.
pub const MAX_DIMENSIONS: u32 = 20_000;

/// The points of a number of dimensions.
pub struct SobolPoints {
    dimensions: Vec<Dimension>,
    /// 64 bits in each coordinate, not 32.
    wide: bool,
}

struct Dimension {
    directions: [u64; 64],
    shift: u64,
}

impl SobolPoints {
    pub fn new(dimensions: u32, wide: bool, scrambled: bool) -> SobolPoints {
        let parameters = match dimensions {
            0..=100 => JoeKuoD6::minimal(),
            101..=1000 => JoeKuoD6::standard(),
            _ => JoeKuoD6::extended(),
        };
        let vectors = Sobol::<u64>::init_direction_vals(dimensions as usize, 64, &parameters);
        let dimension = |(i, vector): (usize, Vec<u64>)| {
            let mut directions = [0; 64];
            // Points of 32 bits count to 2^32.
            let used = if wide { 64 } else { 32 };
            directions.iter_mut().zip(vector).take(used).for_each(|(d, v)| *d = v);
            let mut shift = 0;
            if scrambled {
                let hash = |k: usize| mixed((i * 128 + k) as u64);
                directions = directions.map(|v| scrambled_bits(v, &hash));
                shift = hash(64);
            }
            Dimension { directions, shift }
        };
        SobolPoints { dimensions: vectors.into_iter().enumerate().map(dimension).collect(), wide }
    }

    /// Fills `out`, which has the same number of points in each dimension, dimension after
    /// dimension.
    fn fill<T: Send + Sync>(
        &self,
        position: u64,
        out: &mut [T],
        make: impl Fn(u64) -> T + Sync,
    ) -> u64 {
        const RUN: usize = 1 << 14;
        let points = out.len() / self.dimensions.len().max(1);
        if points == 0 {
            return 0;
        }
        let all = out.par_chunks_mut(points).zip(&self.dimensions);
        all.for_each(|(column, dimension)| {
            column.par_chunks_mut(RUN).enumerate().for_each(|(i, run)| {
                let mut index = position + (i * RUN) as u64;
                let mut x = dimension.point(index);
                for value in run {
                    *value = make(x);
                    index = index.wrapping_add(1);
                    // The Gray codes of neighbours differ in one bit.
                    x ^= dimension.directions[(index.trailing_zeros() as usize).min(63)];
                }
            });
        });
        points as u64
    }
}

impl Dimension {
    /// The coordinate of a point, in the upper bits.
    fn point(&self, index: u64) -> u64 {
        let gray = index ^ (index >> 1);
        let used = (0..64).filter(|b| (gray >> b) & 1 == 1);
        used.fold(self.shift, |x, b| x ^ self.directions[b])
    }
}

/// A hash of 64 bits (the finaliser of SplitMix64, S. Vigna).
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A random lower triangular matrix with ones on the diagonal, times the bits of `v`, highest
/// first.
fn scrambled_bits(v: u64, hash: &impl Fn(usize) -> u64) -> u64 {
    (0..64).fold(0, |out, row| {
        let diagonal = 1u64 << (63 - row);
        let above = !(u64::MAX >> row);
        let mask = (hash(row) & above) | diagonal;
        out | (u64::from((v & mask).count_ones() & 1) << (63 - row))
    })
}

/// The upper half.
fn upper(x: u64) -> u32 {
    (x >> 32) as u32
}

impl SobolPoints {
    /// The coordinate in (0, 1] of double precision.
    fn unit(&self, x: u64) -> f64 {
        if self.wide { unit_double(x >> 11) } else { (f64::from(upper(x)) + 1.0) / 4_294_967_296.0 }
    }

    /// The coordinate in (0, 1) that other distributions are made from.
    fn open(&self, x: u64) -> f64 {
        if self.wide { unit_double(x >> 11) } else { (f64::from(upper(x)) + 0.5) / 4_294_967_296.0 }
    }
}

impl Stream for SobolPoints {
    fn bits(&self, position: u64, out: &mut [u32]) -> u64 {
        self.fill(position, out, upper)
    }

    fn bits_64(&self, position: u64, out: &mut [u64]) -> bool {
        self.fill(position, out, |x| x);
        self.wide
    }

    fn uniform(&self, position: u64, out: &mut [f32]) -> u64 {
        self.fill(position, out, |x| unit_float(upper(x)))
    }

    fn uniform_double(&self, position: u64, out: &mut [f64]) -> u64 {
        self.fill(position, out, |x| self.unit(x))
    }

    fn normal(&self, position: u64, normal: Normal<f32>, out: &mut [f32]) -> u64 {
        let z = |x| normal_quantile((f64::from(upper(x)) + 0.5) / 4_294_967_296.0) as f32;
        self.fill(position, out, |x| normal.of(z(x)))
    }

    fn normal_double(&self, position: u64, normal: Normal<f64>, out: &mut [f64]) -> u64 {
        let z = |x| normal_quantile(self.open(x).min(1.0 - f64::EPSILON / 2.0));
        self.fill(position, out, |x| normal.of(z(x)))
    }

    fn poisson(&self, position: u64, poisson: &Poisson, out: &mut [u32]) -> u64 {
        self.fill(position, out, |x| poisson.quantile(self.open(x)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrambling_keeps_dyadic_intervals() {
        // Among the first 2^k points each interval of length 2^-k holds exactly one, in each
        // dimension.
        for scrambled in [false, true] {
            let points = SobolPoints::new(7, false, scrambled);
            for k in [1, 5, 10] {
                let n = 1usize << k;
                let mut out = vec![0; 7 * n];
                points.bits(0, &mut out);
                for column in out.chunks(n) {
                    let mut seen = vec![false; n];
                    column.iter().for_each(|x| seen[(x >> (32 - k)) as usize] = true);
                    assert!(seen.iter().all(|s| *s), "{scrambled} {k}");
                }
            }
        }
    }
}
