//! Gross time of the vector addition over n:
//! `cargo bench -p benches --features solutions --bench vecadd`.
//!
//! On the emulated device this is the emulator's own time.

#![forbid(unsafe_code)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lab1_cuda_intro::e1_1_04::add_guarded;
use labkit::Lab;

fn vecadd(c: &mut Criterion) {
    let lab = match Lab::new() {
        Ok(lab) => lab,
        Err(error) => return eprintln!("no device: {error}"),
    };
    let mut group = c.benchmark_group("vecadd");
    for n in [1usize << 10, 1 << 14, 1 << 18] {
        let a: Vec<i32> = (0..n as i32).collect();
        let mut sum = vec![0; n];
        group.throughput(Throughput::Elements(n as u64));
        group.bench_with_input(BenchmarkId::from_parameter(n), &a, |bench, a| {
            bench.iter(|| {
                if let Err(error) = add_guarded(&lab, 256, &mut sum, black_box(a), a) {
                    panic!("exercise 1.1.4 is not finished: {error}");
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, vecadd);
criterion_main!(benches);
