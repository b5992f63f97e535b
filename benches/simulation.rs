//! Cycles per second of the simulator: `cargo bench -p benches --bench simulation`.

#![forbid(unsafe_code)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hdl::Simulator;

#[path = "../crates/hdl/tests/hdl/designs.rs"]
#[allow(dead_code)]
mod designs;

const CYCLES: u64 = 100_000;

fn transposed_fir_16_taps(c: &mut Criterion) {
    let coefficients: Vec<i64> = (1..=16).map(|i| i * 1999 - 16000).collect();
    let block = designs::fir_transposed(&coefficients).expect("the example builds");
    let mut sim = Simulator::new(&block);
    let (x, y) = (sim.input("x").expect("a port"), sim.signal("y").expect("a port"));
    let mut group = c.benchmark_group("simulation");
    group.throughput(Throughput::Elements(CYCLES));
    group.bench_function("transposed FIR, 16 taps (cycles)", |b| {
        b.iter(|| {
            let mut sum = 0i64;
            for n in 0..CYCLES as i64 {
                sim.poke(x, n * 7919);
                sum = sum.wrapping_add(sim.peek(y));
                sim.step();
            }
            sum
        });
    });
    group.finish();
    // The same design's Verilog under Verilator, if it is there, for comparison.
    match hdl::tools::verilator_rate(&block, 20_000_000) {
        Ok(rate) => println!("Verilator: {:.1} M cycles/s", rate / 1e6),
        Err(_) => println!("skipped: verilator (with a C++ compiler) is not installed"),
    }
}

criterion_group!(benches, transposed_fir_16_taps);
criterion_main!(benches);
