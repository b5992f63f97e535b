//! The engine's speed: four kernels, all checks on and off, one thread and all cores.
//!
//! criterion's throughput is thread instructions per second ("elem/s"). On one thread the time is
//! that of the processor, so that other work on the machine does not count; on all cores it is that
//! of the clock. `tools/oclgrind/compare.sh` runs the same kernels at the same sizes under oclgrind
//! and prints the ratio.

#![forbid(unsafe_code)]

use std::time::{Duration, Instant};

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use simt::{CompileOptions, ExecOptions, Instance, Launch, Memory, Program};

const SOURCE: &str = include_str!("engine.cu");

/// A kernel with its launch; `buffers` are filled with ones.
struct Load {
    name: &'static str,
    grid: [u32; 3],
    block: [u32; 3],
    /// Elements (f32) of each buffer.
    buffers: &'static [usize],
    /// Passed behind the buffers.
    number: i32,
}

const LOADS: [Load; 4] = [
    Load {
        name: "vector_add",
        grid: [4096, 1, 1],
        block: [256, 1, 1],
        buffers: &[1 << 20, 1 << 20, 1 << 20],
        number: 1 << 20,
    },
    Load {
        name: "reduce",
        grid: [1024, 1, 1],
        block: [256, 1, 1],
        buffers: &[1 << 18, 1024],
        number: 1 << 18,
    },
    Load {
        name: "matmul",
        grid: [16, 16, 1],
        block: [16, 16, 1],
        buffers: &[1 << 16, 1 << 16, 1 << 16],
        number: 256,
    },
    Load {
        name: "fir",
        grid: [64, 1, 1],
        block: [256, 1, 1],
        buffers: &[1025, (1 << 14) + 1024, 1 << 14],
        number: 1025,
    },
];

/// Time that the calling thread was on a processor; where the system does not report it (Linux
/// does), time of the clock.
struct ThreadTime;

fn thread_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

impl Measurement for ThreadTime {
    type Intermediate = (Instant, Option<Duration>);
    type Value = Duration;

    fn start(&self) -> Self::Intermediate {
        (Instant::now(), thread_time())
    }
    fn end(&self, (clock, cpu): Self::Intermediate) -> Duration {
        match (cpu, thread_time()) {
            (Some(begin), Some(end)) => end - begin,
            _ => clock.elapsed(),
        }
    }
    fn add(&self, a: &Duration, b: &Duration) -> Duration {
        *a + *b
    }
    fn zero(&self) -> Duration {
        Duration::ZERO
    }
    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }
    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

fn one_thread(c: &mut Criterion<ThreadTime>) {
    engine(c, Some(1), "1 thread");
}

fn all_cores(c: &mut Criterion) {
    engine(c, None, "all cores");
}

fn engine<M: Measurement>(c: &mut Criterion<M>, threads: Option<usize>, on: &str) {
    let options = CompileOptions { file: "engine.cu".into(), ..CompileOptions::default() };
    let program = Program::compile(SOURCE, &options).expect("the benchmark's kernels compile");
    let device = simt::device::model("h200").expect("a model");
    let mut group = c.benchmark_group("engine");
    group.sample_size(10);
    for load in &LOADS {
        let memory = Memory::new(1 << 28);
        let instance = Instance::load(&program, &memory).expect("room");
        let mut args = Vec::new();
        for n in load.buffers {
            let base = memory.alloc(4 * *n as u64, "buffer").expect("room");
            memory.write(base, &1f32.to_le_bytes().repeat(*n)).expect("own buffer");
            args.push(base.to_le_bytes().to_vec());
        }
        args.push(load.number.to_le_bytes().to_vec());
        let launch = Launch {
            grid: load.grid,
            block: load.block,
            dynamic_shared: 0,
            args,
            ..Launch::default()
        };
        for checks in [true, false] {
            let options = ExecOptions {
                races: checks,
                uninit: checks,
                threads,
                step_limit: u64::MAX,
                ..ExecOptions::default()
            };
            let run = || {
                simt::launch(device, &memory, &instance, load.name, &launch, &options)
                    .unwrap_or_else(|fault| panic!("{}", fault.render()))
            };
            let report = run();
            group.throughput(Throughput::Elements(report.total.thread_inst));
            let id = format!("checks {}, {on}", if checks { "on" } else { "off" });
            group.bench_function(BenchmarkId::new(load.name, id), |b| b.iter(run));
        }
    }
    group.finish();
}

criterion_group! {
    name = cores;
    config = Criterion::default().with_measurement(ThreadTime);
    targets = one_thread
}
criterion_group!(benches, all_cores);
criterion_main!(cores, benches);
