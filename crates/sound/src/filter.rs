//! The filter in double precision: what all others are compared with.

use rayon::prelude::*;

/// Outputs that [`filter64`] computes side by side.
const TILE: usize = 32;

/// The filter in `f64` on one channel, on all cores: the reference.
/// `y[i] = sum over k of x[i-k] h[k]`, added in the order of k.
pub fn filter64(x: &[f64], h: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    y.par_chunks_mut(TILE).enumerate().for_each(|(tile, y)| {
        let first = tile * TILE;
        // Products with the samples that all outputs of the tile have; then those that only later
        // outputs have.
        let whole = if y.len() == TILE { h.len().min(first + 1) } else { 0 };
        let mut sum = [0.0; TILE];
        for (k, h) in h[..whole].iter().enumerate() {
            for (sum, x) in sum.iter_mut().zip(&x[first - k..][..TILE]) {
                *sum += x * h;
            }
        }
        for (j, y) in y.iter_mut().enumerate() {
            let last = h.len().min(first + j + 1);
            *y = (whole..last).fold(sum[j], |sum, k| sum + x[first + j - k] * h[k]);
        }
    });
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_is_the_sum_of_its_definition() {
        for (len, n) in [(0, 3), (1, 0), (1, 5), (31, 7), (32, 40), (100, 31), (333, 64)] {
            let x: Vec<f64> = (0..len).map(|i| f64::from(i * 37 % 23) - 11.0).collect();
            let h: Vec<f64> = (0..=n).map(|k| f64::from(k * 29 % 17) - 8.0).collect();
            let past = |i: usize| x[..=i].iter().rev().zip(&h).map(|(x, h)| x * h);
            let want: Vec<f64> = (0..x.len()).map(|i| past(i).sum()).collect();
            assert_eq!(filter64(&x, &h), want, "len {len}, order {n}");
        }
    }
}
