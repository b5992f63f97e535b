//! `C = A A^T` on the CPU through faer, to be compared with OpenBLAS (`tools/numpy/aat.py`). Lower
//! triangle, then mirrored.
//!
//! `cargo bench -p benches --features competitor --bench aat`; numpy's time for the same is printed
//! by `python3 tools/numpy/aat.py`. Rates count 2 m m n operations.

#![forbid(unsafe_code)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};

/// `c = a a^T`, both by rows: the lower triangle by faer, the upper one copied.
fn gram(c: &mut [f32], a: &[f32], m: usize, n: usize, par: Par) {
    let rows = MatRef::from_row_major_slice(a, m, n);
    triangular::matmul(
        MatMut::from_row_major_slice_mut(c, m, m),
        BlockStructure::TriangularLower,
        Accum::Replace,
        rows,
        BlockStructure::Rectangular,
        rows.transpose(),
        BlockStructure::Rectangular,
        1.0,
        par,
    );
    mirror(c, m);
}

/// Copies the lower triangle to the upper one, in squares that stay in the cache.
fn mirror(c: &mut [f32], m: usize) {
    const SIDE: usize = 32;
    for i0 in (0..m).step_by(SIDE) {
        for j0 in (i0..m).step_by(SIDE) {
            for i in i0..(i0 + SIDE).min(m) {
                for j in j0.max(i + 1)..(j0 + SIDE).min(m) {
                    c[i * m + j] = c[j * m + i];
                }
            }
        }
    }
}

fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("aat-cpu");
    group.sample_size(10);
    for (m, n) in [(1024, 1024), (2048, 2048), (2368, 6208)] {
        let a: Vec<f32> = (0..m * n).map(|i| (i * 7919 % 10_007) as f32 / 5003.5 - 1.0).collect();
        let mut out = vec![0.0; m * m];
        group.throughput(Throughput::Elements((2 * m * m * n) as u64));
        for (name, par) in [("all-cores", Par::rayon(0)), ("one-core", Par::Seq)] {
            group.bench_with_input(BenchmarkId::new(name, format!("{m}x{n}")), &par, |b, &par| {
                b.iter(|| gram(&mut out, black_box(&a), m, n, par));
            });
        }
        // The result must be right to count.
        let dot = |i: usize, j: usize| -> f64 {
            (0..n).map(|l| f64::from(a[i * n + l]) * f64::from(a[j * n + l])).sum()
        };
        for (i, j) in [(0, 0), (3, 700), (m - 1, 5), (m - 1, m - 1)] {
            let error = (f64::from(out[i * m + j]) - dot(i, j)).abs();
            assert!(error <= 1e-3 * (n as f64).sqrt(), "{i}, {j}: {error}");
        }
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
