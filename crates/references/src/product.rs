//! `C = A A^T`.

/// Each element of `A A^T` in `f64`, by rows, and the sum of its products' absolute values; `a` has
/// rows of `n` values.
pub fn with_its_transpose(a: &[f32], n: usize) -> (Vec<f64>, Vec<f64>) {
    let rows = || a.chunks_exact(n);
    rows().flat_map(|x| rows().map(move |y| dot(x, y))).unzip()
}

fn dot(x: &[f32], y: &[f32]) -> (f64, f64) {
    x.iter().zip(y).fold((0.0, 0.0), |(sum, size), (x, y)| {
        let product = f64::from(*x) * f64::from(*y);
        (sum + product, size + product.abs())
    })
}
