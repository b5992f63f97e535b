//! The generator of the NAS benchmarks: s' = 5^13 s mod 2^46, a number s' 2^-46 in (0, 1).

/// The multiplier, 5^13.
pub const A: u64 = 1_220_703_125;
/// The lower 46 bits.
pub const MASK: u64 = (1 << 46) - 1;
/// 2^-46.
pub const SCALE: f64 = 1.0 / (1u64 << 46) as f64;

/// The state after `s`. The product may wrap: 2^46 divides 2^64.
pub fn next(s: u64) -> u64 {
    s.wrapping_mul(A) & MASK
}

/// `a^n` mod 2^46: a square for each binary digit of n from its highest, and a factor for each 1.
pub fn power(a: u64, n: u64) -> u64 {
    let digits = (0..u64::BITS - n.leading_zeros()).rev();
    digits.fold(1u64, |power, digit| {
        let factor = if n >> digit & 1 == 1 { a } else { 1 };
        power.wrapping_mul(power).wrapping_mul(factor) & MASK
    })
}

/// The state `n` steps after `s`.
pub fn jump(s: u64, n: u64) -> u64 {
    s.wrapping_mul(power(A, n)) & MASK
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The benchmark's own form of a step, in double precision with both factors split at 2^23: it
    /// gives the same numbers. `x` is the state and is replaced; returns the number in (0, 1).
    fn randlc(x: &mut f64, a: f64) -> f64 {
        const R23: f64 = 1.0 / (1u64 << 23) as f64;
        const T23: f64 = (1u64 << 23) as f64;
        const T46: f64 = (1u64 << 46) as f64;
        let a1 = (R23 * a).trunc();
        let a2 = a - T23 * a1;
        let x1 = (R23 * *x).trunc();
        let x2 = *x - T23 * x1;
        let t1 = a1 * x2 + a2 * x1;
        let z = t1 - T23 * (R23 * t1).trunc();
        let t3 = T23 * z + a2 * x2;
        *x = t3 - T46 * (SCALE * t3).trunc();
        SCALE * *x
    }

    #[test]
    fn both_forms_give_the_same_numbers() {
        let (mut s, mut x) = (271_828_183, 271_828_183.0);
        let first =
            [32_883_653_486_115, 55_063_727_434_591, 39_106_144_873_291, 46_899_331_031_975];
        for i in 0..100_000 {
            s = next(s);
            let r = randlc(&mut x, A as f64);
            assert_eq!(s as f64, x);
            assert_eq!(s as f64 * SCALE, r);
            if let Some(wanted) = first.get(i) {
                assert_eq!(s, *wanted);
            }
        }
    }

    #[test]
    fn jumps_are_many_steps() {
        assert_eq!(power(A, 512), 7_655_863_654_401);
        assert_eq!(power(A, 8192), 55_691_205_771_265);
        assert_eq!(power(A, 1 << 17), 62_362_532_446_209);
        assert_eq!(power(A, 1 << 44), 1);
        let mut s = 314_159_265;
        for n in 0..1000 {
            assert_eq!(jump(314_159_265, n), s);
            s = next(s);
        }
    }
}
