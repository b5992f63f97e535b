//! `C = A A^T`.

use crate::sums::add_products;

/// Each element of `A A^T` in `f64`, by rows, and the sum of its products' absolute values; `a` has
/// rows of `n` values.
pub fn with_its_transpose(a: &[f32], n: usize) -> (Vec<f64>, Vec<f64>) {
    let m = a.len() / n;
    let column = |k: usize| a.chunks_exact(n).map(move |row| f64::from(row[k]));
    let columns: Vec<f64> = (0..n).flat_map(column).collect();
    let (mut sums, mut sizes) = (vec![0.0; m * m], vec![0.0; m * m]);
    for (i, row) in a.chunks_exact(n).enumerate() {
        let of_row = i * m..(i + 1) * m;
        for (x, column) in row.iter().zip(columns.chunks_exact(m)) {
            add_products(&mut sums[of_row.clone()], &mut sizes[of_row.clone()], *x, column);
        }
    }
    (sums, sizes)
}
