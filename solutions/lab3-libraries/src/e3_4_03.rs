//! Exercise 3.4.3: the transform of one line, by Stockham's auto-sorting method in the form of
//! Swarztrauber.

use lab3_libraries::ft::C64;

/// `x[k] <- sum over j of x[j] exp(sign 2 pi i j k / n)` for n = 2^m = `x.len()`, not scaled. `y`
/// is as long as `x`; `roots` are those of exercise 3.4.1 for n or more elements.
///
/// Stage l = 1..=m with `lk = 2^(l-1)`, `li = 2^(m-l)`, from one array to the other: for all
/// `i < li` and `k < lk`
///
/// ```text
/// p = X[i lk + k]     q = X[i lk + n/2 + k]     w = roots[li + i], its conjugate for sign = -1
/// Y[2 i lk + k] = p + q            Y[(2 i + 1) lk + k] = w (p - q)
/// ```
pub fn stockham(sign: i32, x: &mut [C64], y: &mut [C64], roots: &[C64]) {
    // <lab
    let n = x.len();
    let m = n.ilog2();
    let (mut from, mut to) = (&mut *x, &mut *y);
    for l in 1..=m {
        let (lk, li) = (1 << (l - 1), 1 << (m - l));
        for i in 0..li {
            let root = roots[li + i];
            let w = if sign > 0 { root } else { root.conj() };
            for k in 0..lk {
                let p = from[i * lk + k];
                let q = from[i * lk + n / 2 + k];
                to[2 * i * lk + k] = p + q;
                to[(2 * i + 1) * lk + k] = w * (p - q);
            }
        }
        std::mem::swap(&mut from, &mut to);
    }
    // After an odd number of stages the result is in the other array.
    if m % 2 == 1 {
        x.copy_from_slice(y);
    }
    //~ let _ = (sign, x, y, roots);
    // lab>
}
