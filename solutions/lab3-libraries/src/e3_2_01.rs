//! Exercise 3.2.1: rainy days, a bucket, and fewer observations than unknowns.

use lab3_libraries::rain::{Draw, Problem};
use labkit::LabError;

/// What is left on day `d` of 1 mm of rain on each of the days `0..n`: `exp(-(d-i)/tau)` for day
/// `i <= d`, and 0 for later days. `tau` in days; with `f64::INFINITY` nothing evaporates.
pub fn full_row(d: usize, n: usize, tau: f64) -> Vec<f32> {
    // <lab
    let left = |i: usize| if i <= d { (-((d - i) as f64) / tau).exp() as f32 } else { 0.0 };
    (0..n).map(left).collect()
    //~ let _ = (d, tau);
    //~ vec![f32::NAN; n]
    // lab>
}

/// A random problem: `k` different days of `n` get rain `|N(0, 1)|`, the bucket is looked at on `m`
/// different days, in ascending order; `y = A x`, its sums taken in `f64`.
///
/// # Errors
/// `m > n`, `k > n`, `tau` that is not positive.
pub fn problem(seed: u64, n: usize, k: usize, m: usize, tau: f64) -> Result<Problem, LabError> {
    // <lab
    for (name, count) in [("m", m), ("k", k)] {
        if count > n {
            return Err(LabError::refused(format!("{name} = {count} of n = {n} days")));
        }
    }
    if tau.is_nan() || tau <= 0.0 {
        return Err(LabError::refused(format!("tau = {tau}: expected a positive number of days")));
    }
    let mut draw = Draw::new(seed);
    let mut x = vec![0.0; n];
    for day in choose(&mut draw, n, k) {
        x[day] = draw.normal().abs() as f32;
    }
    let days = choose(&mut draw, n, m);
    let rows: Vec<Vec<f32>> = days.iter().map(|d| full_row(*d, n, tau)).collect();
    let a = (0..n).flat_map(|i| rows.iter().map(move |row| row[i])).collect();
    let held = |row: &Vec<f32>| -> f64 {
        row.iter().zip(&x).map(|(a, x)| f64::from(*a) * f64::from(*x)).sum()
    };
    let y = rows.iter().map(|row| held(row) as f32).collect();
    Ok(Problem { n, m, days, x, a, y })
    //~ let _ = (Draw::new(seed), n, k, m, tau);
    //~ Err(LabError::msg("problem is not written yet"))
    // lab>
}

/// `count` different numbers of `0..n` in ascending order, each set of them with the same
/// probability.
pub fn choose(draw: &mut Draw, n: usize, count: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    // The first places of a shuffle.
    for i in 0..count {
        // <lab
        all.swap(i, i + draw.below(n - i));
        //~ // Exchange all[i] with one of those from i on.
        //~ let _ = draw.below(n - i);
        // lab>
    }
    all.truncate(count);
    all.sort_unstable();
    all
}
