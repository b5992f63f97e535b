//! Exercise 3.3.1: the generator of the NAS benchmarks and its jump. The device's twins are in
//! `kernels/npb.cuh`.
//!
//! `s' = a s mod 2^46` with `a = 5^13`, and a number `r = s 2^-46` in (0, 1).

/// The multiplier, 5^13.
pub const A: u64 = 1_220_703_125;

/// The state after `s`.
pub fn lcg(s: u64) -> u64 {
    // <lab
    s
    // lab>
}

/// The number in (0, 1) of a state.
pub fn uniform(s: u64) -> f64 {
    // <lab
    let _ = s;
    0.0
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
    let _ = (x, a, R23, T23, R46, T46);
    0.0
    // lab>
}

/// `a^n mod 2^46` by squaring: a few dozen steps whatever n is.
pub fn pow46(a: u64, mut n: u64) -> u64 {
    // <lab
    n ^= a;
    n
    // lab>
}

/// The state `k` steps after `s0`, without going there.
pub fn seed_at(s0: u64, k: u64) -> u64 {
    // <lab
    let _ = k;
    s0
    // lab>
}
