//! Cycles per second of the simulator on the cores:
//! `cargo bench -p benches --features solutions --bench cores`.

#![forbid(unsafe_code)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hdl::Simulator;
use ipcores::fft::{Fft, RADIX4_SCHEDULE, schedule_word};
use lab5_fpga_ip::compiler::FftArchitecture;

const CYCLES: u64 = 20_000;

fn transforms(c: &mut Criterion) {
    let mut group = c.benchmark_group("simulation");
    group.throughput(Throughput::Elements(CYCLES));
    for architecture in FftArchitecture::ALL {
        let name = architecture.name();
        let Ok(core) = architecture.build(Fft::lab5()) else {
            eprintln!("simulation/{name}: not timed, it cannot be built: not solved yet?");
            continue;
        };
        let mut sim = Simulator::new(&core.block);
        for (input, value) in
            [("start", 1), ("unload", 1), ("scale_sch", schedule_word(&RADIX4_SCHEDULE))]
        {
            sim.set(input, value).expect("a port");
        }
        let (re, out) = (sim.input("xn_re").expect("a port"), sim.signal("xk_re").expect("a port"));
        group.bench_function(format!("{name}, 1024 points (cycles)"), |b| {
            b.iter(|| {
                let mut sum = 0i64;
                for n in 0..CYCLES as i64 {
                    sim.poke(re, n * 7919);
                    sum = sum.wrapping_add(sim.peek(out));
                    sim.step();
                }
                sum
            });
        });
    }
    group.finish();
    // The same design's Verilog under Verilator, if it is there, for comparison.
    let Ok(core) = FftArchitecture::Radix4.build(Fft::lab5()) else { return };
    match hdl::tools::verilator_rate(&core.block, 2_000_000) {
        Ok(rate) => println!("Verilator, radix4: {:.1} M cycles/s", rate / 1e6),
        Err(_) => println!("skipped: verilator (with a C++ compiler) is not installed"),
    }
}

criterion_group!(benches, transforms);
criterion_main!(benches);
