//! How good a result is.

use super::Elem;

/// Largest |c[i] - (a[i] + b[i])|, where the sum is the CPU's ([`Elem::plus`]) and the difference
/// is taken in f64; NaN if one of these differences is NaN; 0 for no elements.
///
/// The slices have equal lengths (elements beyond the shortest are ignored).
pub fn max_abs_err<T: Elem>(c: &[T], a: &[T], b: &[T]) -> f64 {
    // <lab
    //~ let _ = (c, a, b);
    //~ f64::NAN
    let mut worst = 0.0;
    for ((&c, &a), &b) in c.iter().zip(a).zip(b) {
        let error: f64 = (c.into() - a.plus(b).into()).abs();
        if error.is_nan() {
            return error;
        }
        worst = error.max(worst);
    }
    worst
    // lab>
}
