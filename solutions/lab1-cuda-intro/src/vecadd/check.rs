//! How good a result is.

use super::Elem;

/// Largest |c[i] - (a[i] + b[i])|, computed in f64; NaN if an element of c, a or b is NaN. 0 for no elements.
///
/// The slices have equal lengths (elements beyond the shortest are ignored).
pub fn max_abs_err<T: Elem>(c: &[T], a: &[T], b: &[T]) -> f64 {
    // <lab
    //~ let _ = (c, a, b);
    //~ f64::NAN
    let mut worst = 0.0;
    for ((c, a), b) in c.iter().zip(a).zip(b) {
        let error = ((*c).into() - ((*a).into() + (*b).into())).abs();
        // Written so that NaN, which compares false with everything, is kept.
        if !(error <= worst) {
            worst = error;
        }
        if worst.is_nan() {
            break;
        }
    }
    worst
    // lab>
}
