//! Many sums of products at a time.

/// Adds to each sum `factor` times its value, and to each size the absolute value of that product.
/// So no sum waits for its own last term, and each adds its terms in the order of the calls.
pub(crate) fn add_products(sums: &mut [f64], sizes: &mut [f64], factor: f32, values: &[f64]) {
    let factor = f64::from(factor);
    for ((sum, size), value) in sums.iter_mut().zip(sizes).zip(values) {
        let product = factor * value;
        *sum += product;
        *size += product.abs();
    }
}
