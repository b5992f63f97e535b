//! The benchmark's own one-dimensional transform: Stockham's auto-sorting form in the variant of
//! Swarztrauber.
//!
//! `y[k] = sum over j of x[j] exp(sign 2 pi i j k / n)` for n = 2^m, without scaling; the result is
//! in natural order.

use super::C64;

/// Roots of all stages: `exp(i pi k / h)` at `h + k`, for h = 1, 2, 4, ... n/2. Entry 0 holds log2
/// n and is not used.
pub fn roots(n: usize) -> Vec<C64> {
    let mut roots = vec![C64::new(n.ilog2().into(), 0.0)];
    let mut h = 1;
    while h < n {
        let root = |k| C64::from_polar(1.0, std::f64::consts::PI * k as f64 / h as f64);
        roots.extend((0..h).map(root));
        h *= 2;
    }
    roots
}

/// Transforms `x` in place with the help of `y`, which has the same length; `forward` means the
/// sign +1, as in the benchmark.
pub fn stockham(forward: bool, x: &mut [C64], y: &mut [C64], roots: &[C64]) {
    let n = x.len();
    if n < 2 {
        return;
    }
    let (mut from, mut to) = (&mut *x, &mut *y);
    let (mut width, mut count) = (1, n / 2);
    // After an odd number of stages the result is in the other array.
    for _ in 0..n.ilog2() {
        for i in 0..count {
            let root = roots[count + i];
            let w = if forward { root } else { root.conj() };
            for k in 0..width {
                let p = from[i * width + k];
                let q = from[i * width + n / 2 + k];
                to[2 * i * width + k] = p + q;
                to[(2 * i + 1) * width + k] = w * (p - q);
            }
        }
        std::mem::swap(&mut from, &mut to);
        width *= 2;
        count /= 2;
    }
    if n.ilog2() % 2 == 1 {
        x.copy_from_slice(y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_are_their_definition() {
        for m in 0..9 {
            let n = 1usize << m;
            let x: Vec<C64> = (0..n)
                .map(|i| C64::new((i * i % 7) as f64 - 3.0, (i * 5 % 11) as f64 - 5.0))
                .collect();
            for forward in [true, false] {
                let sign = if forward { 1.0 } else { -1.0 };
                let turn = std::f64::consts::TAU * sign / n as f64;
                let wanted = |k: usize| -> C64 {
                    let term =
                        |(j, x): (usize, &C64)| x * C64::from_polar(1.0, turn * (j * k % n) as f64);
                    x.iter().enumerate().map(term).sum()
                };
                let mut found = x.clone();
                stockham(forward, &mut found, &mut vec![C64::default(); n], &roots(n));
                for (k, f) in found.iter().enumerate() {
                    assert!((f - wanted(k)).norm() < 1e-13 * 8.0 * n as f64, "{n} {k}");
                }
            }
        }
        let u = roots(8);
        assert!((u[1] - 1.0).norm() < 1e-15 && (u[3] - C64::i()).norm() < 1e-15);
    }
}
