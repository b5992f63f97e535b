//! The filter `y[i] = sum over k <= min(i, n) of h[k] x[i - k]`.

use crate::sums::add_products;

/// The filter in `f64`, with `h` as given: `(output, sum of the products' absolute values)` per
/// sample.
pub fn filter(x: &[f32], h: &[f32]) -> Vec<(f64, f64)> {
    let x: Vec<f64> = x.iter().copied().map(f64::from).collect();
    let (mut sums, mut sizes) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    for (k, h) in h.iter().enumerate().take(x.len()) {
        add_products(&mut sums[k..], &mut sizes[k..], *h, &x);
    }
    sums.into_iter().zip(sizes).collect()
}

/// The filter in `f32`, summed in the order of k.
pub fn single(x: &[f32], h: &[f32]) -> Vec<f32> {
    (0..x.len()).map(|i| x[..=i].iter().rev().zip(h).fold(0.0, |sum, (x, h)| sum + x * h)).collect()
}
