//! Exercise 3.1.1: what a Monte Carlo estimate is, and how far it may be trusted.
//!
//! The integral of `f` over a box of volume `V`, from `N` random points: `I = V <f>`, and its
//! standard uncertainty is `u = V sqrt((<f^2> - <f>^2) / N)`, where `<.>` is the mean over the
//! points.

use labkit::LabError;

/// Volume of the box `[a_1, b_1] x [a_2, b_2] x ...`, which has any number of dimensions.
///
/// # Errors
/// Names the interval, counted from 1, that is reversed or empty (`a >= b`) or has a bound that is
/// not finite.
pub fn box_volume(sides: &[(f64, f64)]) -> Result<f64, LabError> {
    // <lab
    let mut volume = 1.0;
    for (k, &(a, b)) in sides.iter().enumerate() {
        if !(a < b && (b - a).is_finite()) {
            return Err(LabError::msg(format!("interval {}: [{a}, {b}] is no interval", k + 1)));
        }
        volume *= b - a;
    }
    Ok(volume)
    //~ let _ = sides;
    //~ Err(LabError::msg("box_volume is not written yet"))
    // lab>
}

/// The estimate and its standard uncertainty, `(I, u)`.
///
/// # Arguments
/// * `v` - volume of the box
/// * `sum` - sum of `f` over the points
/// * `sum2` - sum of `f^2` over the points
/// * `n` - number of points
///
/// # Errors
/// `n = 0`: there is nothing to estimate from.
pub fn estimate(v: f64, sum: f64, sum2: f64, n: u64) -> Result<(f64, f64), LabError> {
    // <lab
    if n == 0 {
        return Err(LabError::msg("no points: n must be at least 1"));
    }
    let n = n as f64;
    let mean = sum / n;
    // Rounding can make the variance of equal values negative.
    let variance = (sum2 / n - mean * mean).max(0.0);
    Ok((v * mean, v * (variance / n).sqrt()))
    //~ let _ = (v, sum, sum2, n);
    //~ Err(LabError::msg("estimate is not written yet"))
    // lab>
}

/// The least number of points, at least 1, for which the uncertainty is at most `u_target > 0`.
///
/// # Arguments
/// * `v` - volume of the box
/// * `var` - variance of `f` over the box, `<f^2> - <f>^2`
pub fn n_for(u_target: f64, v: f64, var: f64) -> u64 {
    // <lab
    let ratio = v / u_target;
    ((ratio * ratio * var).ceil() as u64).max(1)
    //~ let _ = (u_target, v, var);
    //~ 0
    // lab>
}
