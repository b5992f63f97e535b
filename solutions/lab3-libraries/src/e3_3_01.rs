//! Exercise 3.3.1: the generator of the NAS benchmarks and its jump. The device's twins are in
//! `kernels/npb.cuh`.
//!
//! `s' = a s mod 2^46` with `a = 5^13`, and a number `r = s 2^-46` in (0, 1).

/// The multiplier, 5^13.
pub const A: u64 = 1_220_703_125;

/// The state after `s`.
pub fn lcg(s: u64) -> u64 {
    // <lab
    s.wrapping_mul(A) & ((1 << 46) - 1)
    //~ s
    // lab>
}

/// The number in (0, 1) of a state.
pub fn uniform(s: u64) -> f64 {
    // <lab
    s as f64 / (1u64 << 46) as f64
    //~ let _ = s;
    //~ 0.0
    // lab>
}

/// A step in the benchmark's own form, which needs nothing but double precision: the state `x` is
/// replaced by `a x mod 2^46`. Returns the number in (0, 1).
pub fn randlc(x: &mut f64, a: f64) -> f64 {
    const R23: f64 = 1.0 / (1u64 << 23) as f64;
    const T23: f64 = (1u64 << 23) as f64;
    const R46: f64 = R23 * R23;
    const T46: f64 = T23 * T23;
    // <lab
    // Both factors in two halves of 23 bits: all products below are exact.
    let a1 = (R23 * a).trunc();
    let a2 = a - T23 * a1;
    let x1 = (R23 * *x).trunc();
    let x2 = *x - T23 * x1;
    let t1 = a1 * x2 + a2 * x1;
    let z = t1 - T23 * (R23 * t1).trunc();
    let t3 = T23 * z + a2 * x2;
    *x = t3 - T46 * (R46 * t3).trunc();
    R46 * *x
    //~ let _ = (x, a, R23, T23, R46, T46);
    //~ 0.0
    // lab>
}

/// `a^n mod 2^46` by squaring: a few dozen steps whatever n is.
pub fn pow46(a: u64, mut n: u64) -> u64 {
    // <lab
    const MASK: u64 = (1 << 46) - 1;
    let (mut square, mut product) = (a & MASK, 1u64);
    while n > 0 {
        if n & 1 == 1 {
            product = product.wrapping_mul(square) & MASK;
        }
        square = square.wrapping_mul(square) & MASK;
        n >>= 1;
    }
    product
    //~ n ^= a;
    //~ n
    // lab>
}

/// The state `k` steps after `s0`, without going there.
pub fn seed_at(s0: u64, k: u64) -> u64 {
    // <lab
    s0.wrapping_mul(pow46(A, k)) & ((1 << 46) - 1)
    //~ let _ = k;
    //~ s0
    // lab>
}
