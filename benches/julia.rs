//! Julia set on the CPU: all cores (`render_cpu`), and one core for comparison, over kmax.
//!
//! `cargo bench -p benches --features solutions --bench julia`

#![forbid(unsafe_code)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lab1_cuda_intro::e1_2_01::{View, julia, pixel_to_math, render_cpu};

const DIM: u32 = 256;

fn one_core(view: &View, dim: u32, kmax: u32) -> usize {
    let pixels = (0..dim as i32).flat_map(|yw| (0..dim as i32).map(move |xw| (xw, yw)));
    let prisoner = |(xw, yw): &(i32, i32)| {
        let (x, y) = pixel_to_math(*xw, *yw, dim as i32, view);
        julia(x, y, kmax)
    };
    pixels.filter(prisoner).count()
}

fn bench(c: &mut Criterion) {
    let view = View::default();
    if one_core(&view, DIM, 10) == 0 {
        return eprintln!("julia-cpu: not timed, no point is a prisoner: not solved yet?");
    }
    let mut group = c.benchmark_group("julia-cpu");
    group.throughput(Throughput::Elements(u64::from(DIM * DIM)));
    for kmax in [10, 200, 1000] {
        group.bench_with_input(BenchmarkId::new("one-core", kmax), &kmax, |b, &kmax| {
            b.iter(|| one_core(black_box(&view), DIM, kmax));
        });
        group.bench_with_input(BenchmarkId::new("all-cores", kmax), &kmax, |b, &kmax| {
            b.iter(|| render_cpu(black_box(&view), DIM, kmax));
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
