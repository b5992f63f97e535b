//! Rates of EP and FT on this computer's cores, in official operations (criterion's "elements") a
//! second, and of the parts that they are made of.

#![forbid(unsafe_code)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use npb::{ep, ft};

fn random_pairs(c: &mut Criterion) {
    let mut group = c.benchmark_group("EP");
    group.sample_size(10);
    let class = ep::Class::by_name("S").expect("an official class");
    group.throughput(Throughput::Elements((1e6 * class.mop()) as u64));
    group.bench_function("S, parallel", |b| {
        b.iter(|| npb_parallel::ep::parallel(class.m, ep::OFFICIAL_MK).expect("sizes fit"));
    });
    group.finish();
}

fn transforms(c: &mut Criterion) {
    let mut group = c.benchmark_group("FT");
    group.sample_size(10);
    for name in ["S", "W", "A"] {
        let class = ft::Class::by_name(name).expect("an official class");
        group.throughput(Throughput::Elements((1e6 * class.mop()) as u64));
        let mut workspace = npb_parallel::ft::Workspace::new(class.size).expect("powers of two");
        group.bench_function(format!("{name}, parallel"), |b| {
            b.iter(|| workspace.run(class.iterations(), &mut |_, _| ()));
        });
    }
    group.finish();
}

criterion_group!(benches, random_pairs, transforms);
criterion_main!(benches);
