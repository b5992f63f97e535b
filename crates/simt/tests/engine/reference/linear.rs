//! Matrices and vectors, dense and sparse.

use super::{List, World};

pub const ALL: List =
    &[("matmul", matmul), ("gram", gram), ("matvec", matvec), ("spmv", spmv), ("fft", fft)];

/// `a` (m x n) times `b` (n x p), row-major.
fn product(a: &[f32], b: &[f32], m: usize, n: usize, p: usize) -> Vec<f32> {
    let element = |i: usize| {
        let (row, col) = (i / p, i % p);
        (0..n).map(|k| a[row * n + k] * b[k * p + col]).sum()
    };
    (0..m * p).map(element).collect()
}

fn matmul(w: &mut World) {
    let c = product(&w.get("a"), &w.get("b"), 64, 64, 64);
    for name in ["naive", "tiled8", "tiled16", "blocked"] {
        w.set(name, c.clone());
    }
    let ragged = product(&w.get("ra"), &w.get("rb"), 20, 50, 30);
    w.set("ragged", ragged);
}

fn gram(w: &mut World) {
    let a = w.get::<f32>("a");
    let transposed: Vec<f32> = (0..1920).map(|i| a[i % 48 * 40 + i / 48]).collect();
    let c = product(&a, &transposed, 48, 40, 48);
    for name in ["naive", "tiled", "padded", "half"] {
        w.set(name, c.clone());
    }
}

fn matvec(w: &mut World) {
    let (a, x) = (w.get::<f32>("a"), w.get::<f32>("x"));
    let y = product(&a, &x, 32, 64, 1);
    w.fill("by_column", 64, |r| (0..32).map(|c| a[c * 64 + r] * y[c]).sum::<f32>());
    w.fill("outer", 2048, |i| y[i / 64] * x[i % 64]);
    w.set("by_thread", y.clone());
    w.set("by_warp", y);
    let (a, b) = (w.get::<f64>("d"), w.get::<f64>("rhs"));
    let step = |x: &[f64]| -> Vec<f64> {
        (0..32)
            .map(|i| {
                let others = (0..32).filter(|j| *j != i);
                let sum = others.fold(0.0, |sum, j| sum + a[i * 32 + j] * x[j]);
                (b[i] - sum) / (a[i * 32 + i] + 32.0)
            })
            .collect()
    };
    let next = step(&[0.0; 32]);
    w.set("guess", step(&next));
    w.set("next", next);
}

fn spmv(w: &mut World) {
    let (start, cols) = (w.get::<i32>("row_start"), w.get::<i32>("cols"));
    let (vals, x) = (w.get::<f32>("vals"), w.get::<f32>("x"));
    let term = |e: usize| vals[e] * x[cols[e] as usize];
    let row = |r: usize| (start[r] as usize..start[r + 1] as usize).map(term).sum::<f32>();
    w.fill("scalar", 64, row);
    w.fill("vector", 64, row);
    let (ell_cols, ell_vals) = (w.get::<i32>("ell_cols"), w.get::<f32>("ell_vals"));
    w.fill("ell", 64, |r| {
        let entries = (0..5).map(|k| k * 64 + r).filter(|e| ell_cols[*e] >= 0);
        entries.map(|e| ell_vals[e] * x[ell_cols[e] as usize]).sum::<f32>()
    });
    let mut coo = vec![0.0; 64];
    for (e, r) in w.get::<i32>("coo_rows").iter().enumerate() {
        coo[*r as usize] += term(e);
    }
    w.set("coo", coo);
}

fn fft(w: &mut World) {
    let x = w.get::<f32>("signal");
    let mut spectrum = Vec::new();
    for block in x.chunks(512) {
        for k in 0..256 {
            let (mut re, mut im) = (0.0, 0.0);
            for n in 0..256 {
                let angle = -std::f64::consts::TAU * f64::from((k * n % 256) as u32) / 256.0;
                let (sine, cosine) = angle.sin_cos();
                let (a, b) = (f64::from(block[2 * n]), f64::from(block[2 * n + 1]));
                re += a * cosine - b * sine;
                im += a * sine + b * cosine;
            }
            spectrum.extend([re as f32, im as f32]);
        }
    }
    w.set("spectrum", spectrum);
    let sign = |i: usize, k: usize| if (i & k).count_ones().is_multiple_of(2) { 1 } else { -1 };
    let bits = w.get::<i32>("bits");
    w.fill("walsh", 1024, |i| {
        let base = i / 256 * 256;
        (0..256).map(|n| sign(n, i % 256) * bits[base + n]).sum::<i32>()
    });
    let plane = w.get::<f32>("plane");
    w.fill("plane", 512, |i| {
        let (y, x) = (i / 32, i % 32);
        (0..16).map(|n| sign(n, y) as f32 * plane[n * 32 + x]).sum::<f32>()
    });
}
