//! EP: 2^M pairs of uniform numbers become Gaussian pairs by Marsaglia's polar method; they are
//! summed, and counted by the square ring that they fall into.
//!
//! Pair j: `x = 2 r[2j+1] - 1`, `y = 2 r[2j+2] - 1`, `t = x^2 + y^2`; if `t <= 1`:
//! `f = sqrt(-2 ln t / t)`, X = x f, Y = y f, and ring `floor(max(|X|, |Y|))` counts one more.
//! Batches of 2^MK pairs know where they start, so they can be made in any order.

#![allow(clippy::excessive_precision)] // constants have the digits that were published

use crate::random::{A, MASK, SCALE, jump, next, power};

/// State of the generator before the first number.
pub const SEED: u64 = 271_828_183;
/// Pairs of a batch, as a power of two, in the official benchmark.
pub const OFFICIAL_MK: u32 = 16;
/// How far the sums may be off, relative to the official ones.
pub const TOLERANCE: f64 = 1e-8;

/// A class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Class {
    /// Name: `S`, `W`, `A` to `E`, or `T` and `T12` of our own.
    pub name: &'static str,
    /// The number of pairs is 2^m.
    pub m: u32,
    /// Sum of X.
    pub sx: f64,
    /// Sum of Y.
    pub sy: f64,
    /// Gaussian pairs, where known.
    pub pairs: Option<u64>,
}

/// All classes.
pub const CLASSES: [Class; 9] = [
    class("T12", 12, -1.088663595302368e2, 6.747355257976997e1, Some(3178)),
    class("T", 16, 7.77232145419535e1, 2.79055401547221e1, Some(51_285)),
    class("S", 24, -3.247834652034740e3, -6.958407078382297e3, Some(13_176_389)),
    class("W", 25, -2.863319731645753e3, -6.320053679109499e3, Some(26_354_769)),
    class("A", 28, -4.295875165629892e3, -1.580732573678431e4, Some(210_832_767)),
    class("B", 30, 4.033815542441498e4, -2.660669192809235e4, Some(843_345_606)),
    class("C", 32, 4.764367927995374e4, -8.084072988043731e4, Some(3_373_275_903)),
    class("D", 36, 1.982481200946593e5, -1.020596636361769e5, Some(53_972_171_957)),
    class("E", 40, -5.319717441530e5, -3.688834557731e5, None),
];

const fn class(name: &'static str, m: u32, sx: f64, sy: f64, pairs: Option<u64>) -> Class {
    Class { name, m, sx, sy, pairs }
}

impl Class {
    /// The class of a name.
    pub fn by_name(name: &str) -> Option<&'static Class> {
        static ALL: [Class; 9] = CLASSES;
        ALL.iter().find(|class| class.name.eq_ignore_ascii_case(name))
    }

    /// Compares a result with the official one.
    ///
    /// # Errors
    /// Says which value is off, and by how much.
    pub fn verify(&self, result: &EpResult) -> Result<(), String> {
        for (name, found, wanted) in [("sx", result.sx, self.sx), ("sy", result.sy, self.sy)] {
            let off = ((found - wanted) / wanted).abs();
            if off.is_nan() || off > TOLERANCE {
                return Err(format!("{name} = {found:e}, not {wanted:e}: off by {off:.1e} of it"));
            }
        }
        match self.pairs {
            Some(pairs) if pairs != result.pairs() => {
                Err(format!("{} Gaussian pairs, not {pairs}", result.pairs()))
            }
            _ => Ok(()),
        }
    }

    /// Official operations in millions: 2^(m+1) random numbers.
    pub fn mop(&self) -> f64 {
        2f64.powi(self.m as i32 + 1) / 1e6
    }
}

/// Sums and counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EpResult {
    /// Pairs by the ring that they fall into.
    pub q: [u64; 10],
    /// Sum of X.
    pub sx: f64,
    /// Sum of Y.
    pub sy: f64,
}

impl EpResult {
    /// Gaussian pairs.
    pub fn pairs(&self) -> u64 {
        self.q.iter().sum()
    }

    /// Both together.
    pub fn plus(mut self, other: EpResult) -> EpResult {
        self.q.iter_mut().zip(other.q).for_each(|(a, b)| *a += b);
        self.sx += other.sx;
        self.sy += other.sy;
        self
    }
}

/// How many batches of 2^mk pairs 2^m pairs are.
///
/// # Errors
/// `m` < `mk`, or more pairs than the generator has.
pub fn batches(m: u32, mk: u32) -> Result<u64, String> {
    if mk > m || m > 43 {
        return Err(format!(
            "2^{m} pairs in batches of 2^{mk}: expected a batch no larger than the whole, and at \
             most 2^43 pairs"
        ));
    }
    Ok(1 << (m - mk))
}

/// The benchmark as it is defined: 2^m pairs in batches of 2^mk, one after the other. Batch `kk` is
/// made by `batch(mk, kk)`: its plain loop is not here, for it is exercise 3.3.2. Batches change
/// the sums' last digits only.
///
/// # Errors
/// As [`batches`].
pub fn sequential(
    m: u32,
    mk: u32,
    batch: &dyn Fn(u32, u64) -> EpResult,
) -> Result<EpResult, String> {
    let batches = batches(m, mk)?;
    Ok((0..batches).map(|kk| batch(mk, kk)).fold(EpResult::default(), EpResult::plus))
}

/// Batch `kk` of so many pairs.
pub fn batch(pairs: u64, kk: u64) -> EpResult {
    batch_from(jump(SEED, 2 * pairs * kk), pairs)
}

/// Generators that run side by side, in one vector.
const LANES: usize = 16;
/// At most so many pairs between two sums.
const BLOCK: usize = 512;

/// A batch from state `s` on. All lanes do the same, without branches, so that the compiler can use
/// vectors: pairs that are refused get the factor 0. Counts are added without a look for overflow,
/// which would keep the compiler from using vectors where overflows are checked. It is inlined, so
/// that the caller's processor is the one that it is compiled for.
#[inline(always)]
pub fn batch_from(s: u64, pairs: u64) -> EpResult {
    // Lane l makes the numbers 2 l + 1 and 2 l + 2 of each group of lanes.
    let mut x_state = [0u64; LANES];
    let mut state = s;
    for x in &mut x_state {
        state = next(state);
        *x = state;
        state = next(state);
    }
    let step = power(A, 2 * LANES as u64);
    let mut result = EpResult::default();
    let (mut xs, mut ys) = ([0.0f64; BLOCK], [0.0f64; BLOCK]);
    for first in (0..pairs).step_by(BLOCK) {
        let here = (pairs - first).min(BLOCK as u64) as usize;
        let used = here.next_multiple_of(LANES);
        let lanes = xs[..used].chunks_exact_mut(LANES).zip(ys[..used].chunks_exact_mut(LANES));
        for (xs, ys) in lanes {
            for l in 0..LANES {
                let s = x_state[l];
                xs[l] = centred(s);
                ys[l] = centred(s.wrapping_mul(A) & MASK);
                x_state[l] = s.wrapping_mul(step) & MASK;
            }
        }
        // Lanes beyond the last pair: outside of the circle, so they count for nothing.
        xs[here..used].fill(2.0);
        let (mut sums_x, mut sums_y) = ([0.0f64; 8], [0.0f64; 8]);
        // Pairs whose larger coordinate reaches 1, 2, ... 9.
        let mut reached = [[0u64; 8]; 10];
        for (xs, ys) in xs[..used].chunks_exact(8).zip(ys[..used].chunks_exact(8)) {
            let mut larger = [0.0f64; 8];
            for l in 0..8 {
                let (x, y) = (xs[l], ys[l]);
                let t = x * x + y * y;
                let inside = t <= 1.0;
                let f = (-2.0 * logarithm(t) / t).sqrt();
                let f = if inside { f } else { 0.0 };
                let (x, y) = (x * f, y * f);
                sums_x[l] += x;
                sums_y[l] += y;
                let (x, y) = (x.abs(), y.abs());
                larger[l] = if x > y { x } else { y };
                reached[0][l] = reached[0][l].wrapping_add(u64::from(inside));
            }
            // A loop of its own: within the loop above it would keep the compiler from using
            // vectors.
            for (ring, counts) in reached.iter_mut().enumerate().skip(1) {
                for (count, larger) in counts.iter_mut().zip(larger) {
                    *count = count.wrapping_add(u64::from(larger >= ring as f64));
                }
            }
        }
        let total = |ring: usize| reached[ring].iter().sum::<u64>();
        for ring in 0..10 {
            let beyond = if ring < 9 { total(ring + 1) } else { 0 };
            result.q[ring] += total(ring) - beyond;
        }
        result.sx += sums_x.iter().sum::<f64>();
        result.sy += sums_y.iter().sum::<f64>();
    }
    result
}

/// A state as a number in -1..1. States have 46 bits: with the exponent of 2^52 written over them
/// they are a number of double precision, which needs no instruction for the conversion.
#[inline(always)]
fn centred(s: u64) -> f64 {
    const TWO_52: f64 = (1u64 << 52) as f64;
    let number = f64::from_bits(s | TWO_52.to_bits()) - TWO_52;
    2.0 * (number * SCALE) - 1.0
}

/// The natural logarithm of a positive normal number, up to 1 unit in the last place, without
/// branches.
///
/// `t = 2^k m` with `sqrt(1/2) <= m < sqrt(2)`, `s = (m - 1) / (m + 1)`, `ln m = 2 atanh s`: the
/// series of atanh with the coefficients of a minimax polynomial (FreeBSD's msun, e_log.c).
#[inline(always)]
fn logarithm(t: f64) -> f64 {
    const LN2_HI: f64 = 6.93147180369123816490e-01;
    const LN2_LO: f64 = 1.90821492927058770002e-10;
    const C: [f64; 7] = [
        6.666666666666735130e-01,
        3.999999999940941908e-01,
        2.857142874366239149e-01,
        2.222219843214978396e-01,
        1.818357216161805012e-01,
        1.531383769920937332e-01,
        1.479819860511658591e-01,
    ];
    // Adding the distance from sqrt(1/2) to 1 makes the exponent change at sqrt(1/2).
    const SHIFT: u64 = 1.0f64.to_bits() - std::f64::consts::FRAC_1_SQRT_2.to_bits();
    let moved = t.to_bits().wrapping_add(SHIFT);
    let exponent = moved >> 52;
    // The exponent as a number, by the trick of `centred`.
    const TWO_52: f64 = (1u64 << 52) as f64;
    let k = f64::from_bits(exponent | TWO_52.to_bits()) - TWO_52 - 1023.0;
    let m = f64::from_bits(t.to_bits().wrapping_sub((exponent.wrapping_sub(1023)) << 52));
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let r = C.iter().rev().fold(0.0, |sum, c| sum * z + c) * z;
    let half = 0.5 * f * f;
    k * LN2_HI - ((half - (s * (half + r) + k * LN2_LO)) - f)
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;

    #[test]
    fn the_logarithm_is_right_to_the_last_places() {
        let mut s = SEED;
        for i in 0..200_000 {
            s = next(s);
            let t = match i % 3 {
                0 => s as f64 * SCALE,
                1 => (s as f64 * SCALE).powi(12),
                _ => 1.0 - (s as f64 * SCALE) * 1e-6,
            };
            let (found, wanted) = (logarithm(t), t.ln());
            let bound = 2.0 * f64::EPSILON;
            assert_relative_eq!(found, wanted, epsilon = 0.0, max_relative = bound);
        }
        assert_eq!(logarithm(1.0), 0.0);
    }

    /// The definition, in plain loops.
    fn plain(pairs: u64, kk: u64) -> EpResult {
        let mut s = jump(SEED, 2 * pairs * kk);
        let mut result = EpResult::default();
        for _ in 0..pairs {
            let [x, y] = [(); 2].map(|()| {
                s = next(s);
                2.0 * (s as f64 * SCALE) - 1.0
            });
            let t = x * x + y * y;
            if t <= 1.0 {
                let f = (-2.0 * t.ln() / t).sqrt();
                let (x, y) = (x * f, y * f);
                result.q[x.abs().max(y.abs()) as usize] += 1;
                result.sx += x;
                result.sy += y;
            }
        }
        result
    }

    #[test]
    fn batches_of_any_size_are_their_definition() {
        for pairs in [1, 7, 16, 300, 511, 512, 513, 5000] {
            for kk in [0, 1, 9] {
                let (found, wanted) = (batch(pairs, kk), plain(pairs, kk));
                assert_eq!(found.q, wanted.q, "{pairs} {kk}");
                let bound = 1e-13 * pairs as f64;
                assert_relative_eq!(found.sx, wanted.sx, epsilon = bound, max_relative = 1e-13);
                assert_relative_eq!(found.sy, wanted.sy, epsilon = bound, max_relative = 1e-13);
            }
        }
    }

    #[test]
    fn small_classes_are_verified() {
        for name in ["T12", "T"] {
            let class = Class::by_name(name).unwrap();
            for mk in [6, 8, 12] {
                let one = sequential(class.m, mk, &|mk, kk| plain(1 << mk, kk)).unwrap();
                assert_eq!(class.verify(&one), Ok(()), "{name} {mk}");
            }
        }
    }

    #[test]
    fn the_verification_fails_for_what_is_off() {
        let class = Class::by_name("t").unwrap();
        let good = sequential(16, 8, &|mk, kk| batch(1 << mk, kk)).unwrap();
        let off = |factor: f64| EpResult { sx: good.sx * factor, ..good };
        assert!(class.verify(&off(1.0 + 1e-9)).is_ok());
        assert!(class.verify(&off(1.0 + 1e-7)).is_err());
        assert!(class.verify(&EpResult { sy: f64::NAN, ..good }).is_err());
        assert!(class.verify(&EpResult { q: [0; 10], ..good }).is_err());
        assert!(sequential(4, 6, &|_, _| EpResult::default()).is_err());
        assert!(Class::by_name("F").is_none());
    }
}
