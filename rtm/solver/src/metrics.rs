//! Energy and error norms (spec 2.11).

use crate::Real;

/// `sum p^2`.
pub fn energy<T: Real>(field: &[T]) -> f64 {
    field.iter().map(|p| p.f64() * p.f64()).sum()
}

/// Normalised L2 error `e = sqrt(sum (q - reference)^2 / sum reference^2)`; NaN if the lengths
/// differ, infinite if only the reference is zero.
pub fn relative_l2<T: Real>(q: &[T], reference: &[T]) -> f64 {
    if q.len() != reference.len() {
        return f64::NAN;
    }
    let difference: f64 = q.iter().zip(reference).map(|(q, r)| (q.f64() - r.f64()).powi(2)).sum();
    if difference == 0.0 { 0.0 } else { (difference / energy(reference)).sqrt() }
}
