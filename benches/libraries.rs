//! Rates of the libraries on the CPU, as they serve the emulated device: numbers made, products and
//! transforms.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use cudalibs::blas::{Blas, Fill, Op};
use cudalibs::fft::{Complex, Direction, FftType, Plan};
use cudalibs::rand::{HostGenerator, RngType};
use cust::memory::DeviceBuffer;
use labkit::Lab;

fn numbers(c: &mut Criterion) {
    const N: usize = 1 << 20;
    let mut group = c.benchmark_group("uniform numbers");
    group.throughput(Throughput::Elements(N as u64));
    let mut out = vec![0.0f32; N];
    for kind in [
        RngType::PseudoXorwow,
        RngType::PseudoPhilox4_32_10,
        RngType::PseudoMrg32k3a,
        RngType::PseudoMt19937,
        RngType::QuasiSobol32,
    ] {
        let mut generator = HostGenerator::new(kind).expect("a kind of the CPU");
        group.bench_function(format!("{kind:?}"), |b| {
            b.iter(|| generator.generate_uniform(&mut out).expect("one dimension"));
        });
    }
    group.finish();
}

fn products(c: &mut Criterion) {
    let _lab = Lab::new().expect("the emulated device is always there");
    let blas = Blas::new().expect("a context");
    let (m, n) = (1024, 1024);
    let a = DeviceBuffer::from_slice(&vec![0.5f32; m * n]).expect("memory");
    let x = DeviceBuffer::from_slice(&vec![0.5f32; m]).expect("memory");
    let mut y = DeviceBuffer::from_slice(&vec![0.0f32; n]).expect("memory");
    let mut p = DeviceBuffer::from_slice(&vec![0.0f32; m * m]).expect("memory");
    let mut group = c.benchmark_group("flop");
    group.throughput(Throughput::Elements(2 * (m * n) as u64));
    group.bench_function("sgemv", |b| {
        b.iter(|| blas.sgemv(Op::T, m, n, 1.0, &a, m, &x, 1, 0.0, &mut y, 1).expect("sizes fit"));
    });
    group.throughput(Throughput::Elements(2 * (m * m * n) as u64));
    group.bench_function("sgemm", |b| {
        b.iter(|| {
            blas.sgemm(Op::N, Op::T, m, m, n, 1.0, &a, m, &a, m, 0.0, &mut p, m).expect("sizes fit")
        });
    });
    group.bench_function("ssyrk", |b| {
        b.iter(|| {
            blas.ssyrk(Fill::Lower, Op::N, m, n, 1.0, &a, m, 0.0, &mut p, m).expect("sizes fit")
        });
    });
    group.finish();
}

fn transforms(c: &mut Criterion) {
    let _lab = Lab::new().expect("the emulated device is always there");
    let n = 64usize;
    let mut plan = Plan::plan_3d(n, n, n, FftType::Z2Z).expect("a size");
    let zero = Complex::new(0.0f64, 0.0);
    let mut data = DeviceBuffer::from_slice(&vec![zero; n * n * n]).expect("memory");
    let mut group = c.benchmark_group("flop");
    group.throughput(Throughput::Elements((5 * n * n * n * 18) as u64));
    group.bench_function("z2z 64^3", |b| {
        b.iter(|| plan.exec_z2z_in_place(&mut data, Direction::Forward).expect("sizes fit"));
    });
    group.finish();
}

fn emulated() {
    // SAFETY: the first thing that the program does, on its only thread.
    unsafe { std::env::set_var("LAB_DEVICE", "emulated") };
}

fn all(c: &mut Criterion) {
    emulated();
    numbers(c);
    products(c);
    transforms(c);
}

criterion_group!(benches, all);
criterion_main!(benches);
