//! The filter `y[i] = sum over k <= min(i, n) of h[k] x[i - k]`.

/// The filter in `f64`, with `h` as given: `(output, sum of the products' absolute values)` per
/// sample.
pub fn filter(x: &[f32], h: &[f32]) -> Vec<(f64, f64)> {
    (0..x.len())
        .map(|i| {
            let past = x[..=i].iter().rev().zip(h);
            past.fold((0.0, 0.0), |(y, size), (x, h)| {
                let product = f64::from(*x) * f64::from(*h);
                (y + product, size + product.abs())
            })
        })
        .collect()
}

/// The filter in `f32`, summed in the order of k.
pub fn single(x: &[f32], h: &[f32]) -> Vec<f32> {
    (0..x.len()).map(|i| x[..=i].iter().rev().zip(h).fold(0.0, |sum, (x, h)| sum + x * h)).collect()
}
