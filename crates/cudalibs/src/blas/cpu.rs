//! BLAS on packed arrays: matrices by columns without gaps, vectors without gaps. Sums are taken in
//! `f64`, so that results do not depend on the number of cores.

use rayon::prelude::*;

use super::types::{Fill, Op, Real, Side};

/// Products below this size are not worth a second core.
const PARALLEL: usize = 1 << 15;

/// Sum of products.
pub fn dot<T: Real>(x: &[T], y: &[T]) -> f64 {
    // Eight sums at once, so that the compiler can keep them in one register.
    let mut sums = [0.0f64; 8];
    let (xs, ys) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(a, b)| a.f64() * b.f64()).sum();
    for (a, b) in xs.zip(ys) {
        for i in 0..8 {
            sums[i] += a[i].f64() * b[i].f64();
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// Euclidean norm; neither large nor small values overflow or vanish.
pub fn nrm2<T: Real>(x: &[T]) -> f64 {
    let largest = x.iter().map(|v| v.f64().abs()).fold(0.0, f64::max);
    if largest == 0.0 || !largest.is_finite() || (1e-140..1e140).contains(&largest) {
        return dot(x, x).sqrt();
    }
    largest * x.iter().map(|v| (v.f64() / largest).powi(2)).sum::<f64>().sqrt()
}

/// Sum of absolute values.
pub fn asum<T: Real>(x: &[T]) -> f64 {
    x.iter().map(|v| v.f64().abs()).sum()
}

/// Index, from 1, of the first element of largest (or smallest) absolute value; NaN is passed over,
/// as cuBLAS does. 0 for no elements.
pub fn extreme<T: Real>(x: &[T], largest: bool) -> usize {
    let mut best: Option<(usize, f64)> = None;
    for (i, v) in x.iter().enumerate() {
        let v = v.f64().abs();
        let better = best.is_none_or(|(_, b)| if largest { v > b } else { v < b });
        if better && !v.is_nan() {
            best = Some((i + 1, v));
        }
    }
    best.map_or(usize::from(!x.is_empty()), |(i, _)| i)
}

/// `alpha x + beta y` for each element; `y` is not there if `beta` is 0.
pub fn combined<T: Real>(alpha: T, x: &[f64], beta: T, y: Option<&[T]>) -> Vec<T> {
    let (alpha, beta) = (alpha.f64(), beta.f64());
    match y {
        None => x.iter().map(|x| T::from_f64(alpha * x)).collect(),
        Some(y) => x.iter().zip(y).map(|(x, y)| T::from_f64(alpha * x + beta * y.f64())).collect(),
    }
}

/// `op(A) x` for the `m` x `n` matrix `a`.
pub fn gemv<T: Real>(op: Op, (m, n): (usize, usize), a: &[T], x: &[T]) -> Vec<f64> {
    let parallel = m * n >= PARALLEL;
    if op.transposes() {
        let column = |j: usize| dot(&a[j * m..(j + 1) * m], x);
        return match parallel {
            true => (0..n).into_par_iter().map(column).collect(),
            false => (0..n).map(column).collect(),
        };
    }
    let rows = |from: usize, sums: &mut [f64]| {
        for (j, v) in x.iter().enumerate() {
            let v = v.f64();
            let column = &a[j * m + from..][..sums.len()];
            for (s, a) in sums.iter_mut().zip(column) {
                *s += a.f64() * v;
            }
        }
    };
    let mut sums = vec![0.0; m];
    if parallel {
        sums.par_chunks_mut(512).enumerate().for_each(|(i, part)| rows(i * 512, part));
    } else {
        rows(0, &mut sums);
    }
    sums
}

/// A matrix operand of [`gemm`]: packed by columns, with its number of rows, and how it enters.
#[derive(Clone, Copy)]
pub struct Factor<'a, T> {
    pub op: Op,
    pub a: &'a [T],
    pub rows: usize,
}

impl<T> Factor<'_, T> {
    /// Distances of neighbours in a column and in a row of `op(A)`.
    fn strides(&self) -> Strides {
        let ld = self.rows as isize;
        if self.op.transposes() { (ld, 1) } else { (1, ld) }
    }
}

/// The strides of a matrix: from row to row, and from column to column.
type Strides = (isize, isize);

/// `c = alpha a b + beta c` on one core; `c` is `m` x `n`, packed by columns.
fn packed<T: Real>(
    (m, n, k): (usize, usize, usize),
    alpha: T,
    (a, sa): (&[T], Strides),
    (b, sb): (&[T], Strides),
    beta: T,
    c: &mut [T],
) {
    assert_eq!(c.len(), m * n, "the output is packed");
    if m == 0 || n == 0 {
        return;
    }
    if k == 0 {
        c.iter_mut().for_each(|v| *v = if beta == T::ZERO { T::ZERO } else { beta * *v });
        return;
    }
    let last = |s: Strides, rows: usize, columns: usize| {
        (rows - 1) * s.0 as usize + (columns - 1) * s.1 as usize
    };
    assert!(last(sa, m, k) < a.len() && last(sb, k, n) < b.len(), "factors in range");
    let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
    // SAFETY: all elements lie inside of the slices, as just asserted; strides are not negative.
    unsafe { T::GEMM(m, k, n, alpha, a, sa.0, sa.1, b, sb.0, sb.1, beta, c, 1, m as isize) }
}

/// `c = alpha a b + beta c` for an `m` x `n` matrix with `k` products for each element.
pub fn gemm<T: Real>(
    (m, n, k): (usize, usize, usize),
    alpha: T,
    a: Factor<'_, T>,
    b: Factor<'_, T>,
    beta: T,
    c: &mut [T],
) {
    if m == 0 || n == 0 {
        return;
    }
    let panel = |first: usize, c: &mut [T]| {
        let shape = (m, c.len() / m, k);
        let (row, column) = b.strides();
        let skipped = if b.a.is_empty() { 0 } else { first * column as usize };
        packed(shape, alpha, (a.a, a.strides()), (&b.a[skipped..], (row, column)), beta, c);
    };
    let cores = rayon::current_num_threads();
    if m * n * k < PARALLEL * 32 || cores == 1 || n == 1 {
        return panel(0, c);
    }
    let columns = n.div_ceil(cores).max(1);
    c.par_chunks_mut(columns * m).enumerate().for_each(|(i, part)| panel(i * columns, part));
}

/// One triangle of `alpha op(A) op(A)^T`, an `n` x `n` matrix packed by columns; the other one is
/// not meant to be used.
pub fn syrk<T: Real>(fill: Fill, op: Op, (n, k): (usize, usize), alpha: T, a: &[T]) -> Vec<T> {
    const WIDTH: usize = 128;
    let rows = if op.transposes() { k } else { n };
    let mut c = vec![T::ZERO; n * n];
    let (row, column) = Factor { op, a, rows }.strides();
    c.par_chunks_mut(WIDTH * n.max(1)).enumerate().for_each(|(block, panel)| {
        let from = block * WIDTH;
        let width = panel.len() / n;
        let (top, height) = match fill {
            Fill::Lower => (from, n - from),
            Fill::Upper => (0, from + width),
        };
        let mut part = vec![T::ZERO; height * width];
        // op(A)^T has the strides of op(A) exchanged.
        let at = |index: usize| if a.is_empty() { a } else { &a[index * row as usize..] };
        let right = (at(from), (column, row));
        packed((height, width, k), alpha, (at(top), (row, column)), right, T::ZERO, &mut part);
        for j in 0..width {
            panel[j * n + top..][..height].copy_from_slice(&part[j * height..][..height]);
        }
    });
    c
}

/// The whole symmetric matrix of which one triangle was read, column after column, into `triangle`.
pub fn symmetric<T: Real>(fill: Fill, n: usize, triangle: &[T]) -> Vec<T> {
    let mut full = vec![T::ZERO; n * n];
    for ((i, j), v) in fill.places(n).zip(triangle) {
        full[i + j * n] = *v;
        full[j + i * n] = *v;
    }
    full
}

/// The triangular matrix `op(A)`, whole, from one triangle of `A` that was read column after
/// column. Returns which triangle it fills.
pub fn triangular<T: Real>(fill: Fill, op: Op, n: usize, triangle: &[T]) -> (Fill, Vec<f64>) {
    let mut full = vec![0.0; n * n];
    for ((i, j), v) in fill.places(n).zip(triangle) {
        let at = if op.transposes() { j + i * n } else { i + j * n };
        full[at] = v.f64();
    }
    let fill = match (fill, op.transposes()) {
        (Fill::Lower, false) | (Fill::Upper, true) => Fill::Lower,
        _ => Fill::Upper,
    };
    (fill, full)
}

/// `t x` for a triangular matrix.
pub fn trmv(fill: Fill, t: &[f64], x: &[f64]) -> Vec<f64> {
    let n = x.len();
    let mut out = vec![0.0; n];
    for (j, v) in x.iter().enumerate() {
        for i in fill.rows(n, j) {
            out[i] += t[i + j * n] * v;
        }
    }
    out
}

/// Solves `t y = x` in place of `x`, for a triangular matrix.
pub fn trsv(fill: Fill, t: &[f64], x: &mut [f64]) {
    let n = x.len();
    for step in 0..n {
        let j = if fill == Fill::Lower { step } else { n - 1 - step };
        x[j] /= t[j + j * n];
        let v = x[j];
        for i in fill.rows(n, j).filter(|i| *i != j) {
            x[i] -= t[i + j * n] * v;
        }
    }
}

/// Solves `t X = B` (left) or `X t = B` (right) in place of the `m` x `n` matrix `b`.
pub fn trsm<T: Real>(side: Side, fill: Fill, t: &[f64], (m, n): (usize, usize), b: &mut [T]) {
    if m == 0 || n == 0 {
        return;
    }
    if side == Side::Left {
        b.par_chunks_mut(m).for_each(|column| {
            let mut x: Vec<f64> = column.iter().map(|v| v.f64()).collect();
            trsv(fill, t, &mut x);
            column.iter_mut().zip(x).for_each(|(b, x)| *b = T::from_f64(x));
        });
        return;
    }
    // X t = B is t^T X^T = B^T: solve for the rows of X.
    let mut transposed = vec![0.0; n * n];
    for j in 0..n {
        for i in 0..n {
            transposed[j + i * n] = t[i + j * n];
        }
    }
    let fill = fill.other();
    for i in 0..m {
        let mut x: Vec<f64> = (0..n).map(|j| b[i + j * m].f64()).collect();
        trsv(fill, &transposed, &mut x);
        for (j, v) in x.into_iter().enumerate() {
            b[i + j * m] = T::from_f64(v);
        }
    }
}
