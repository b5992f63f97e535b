//! Exercise 3.2.1: rainy days, a bucket, and fewer observations than unknowns.

use lab3_libraries::rain::{Draw, Problem};
use labkit::LabError;

/// What is left on day `d` of 1 mm of rain on each of the days `0..n`: `exp(-(d-i)/tau)` for day
/// `i <= d`, and 0 for later days. `tau` in days; with `f64::INFINITY` nothing evaporates.
pub fn full_row(d: usize, n: usize, tau: f64) -> Vec<f32> {
    // <lab
    let _ = (d, tau);
    vec![f32::NAN; n]
    // lab>
}

/// A random problem: `k` different days of `n` get rain `|N(0, 1)|`, the bucket is looked at on `m`
/// different days, in ascending order; `y = A x`, its sums taken in `f64`.
///
/// # Errors
/// `m > n`, `k > n`, `tau` that is not positive.
pub fn problem(seed: u64, n: usize, k: usize, m: usize, tau: f64) -> Result<Problem, LabError> {
    // <lab
    let _ = (Draw::new(seed), n, k, m, tau);
    Err(LabError::msg("problem is not written yet"))
    // lab>
}

/// `count` different numbers of `0..n` in ascending order, each set of them with the same
/// probability.
pub fn choose(draw: &mut Draw, n: usize, count: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    // The first places of a shuffle.
    for i in 0..count {
        // <lab
        // Exchange all[i] with one of those from i on.
        let _ = draw.below(n - i);
        // lab>
    }
    all.truncate(count);
    all.sort_unstable();
    all
}
