//! Grid points per second of the CPU: the bare 8th-order update, and the update with absorbing
//! layers, a source and receivers. `cargo bench -p benches --bench step`

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use rtm::engine::{Backend, Engine, Region, Step};
use rtm::plan::FaceKind;
use rtm::propagate::Cpu;
use rtm::verify::problem::Problem;
use rtm::{Grid, Plan, Traces};

/// Levels of the source's wavelet; they come again and again.
const NT: usize = 64;

fn problem(n: usize, layers: usize) -> Problem {
    let grid = Grid::uniform([n; 3], 10.0);
    let dt_s = 0.9 * rtm::fd::dt_max_s(8, 10.0, 2000.0);
    let mut plan = Plan::new(grid, 8, dt_s, NT, 15.0);
    (plan.layers, plan.faces) = (layers, [FaceKind::absorbing_if(layers > 0); 6]);
    let mut problem = Problem::constant(plan, 2000.0, &[]);
    problem.receivers = (layers..n - layers).map(|x| [x, n / 2, layers]).collect();
    problem
}

/// A closure that makes one step.
fn steps<'a>(engine: &'a mut dyn Engine<f32>, problem: &Problem) -> impl FnMut() + 'a {
    let with_layers = problem.plan.layers > 0;
    let levels = [engine.new_field().unwrap(), engine.new_field().unwrap()];
    let layers = with_layers.then(|| engine.new_layers().unwrap());
    let source = engine.new_points(&problem.wavelet()).unwrap();
    let receivers = Traces::zeros(NT, problem.plan.dt_s, problem.receivers.clone());
    let receivers = engine.new_points(&receivers).unwrap();
    let mut k = 0;
    move || {
        let (cur, next) = (levels[k % 2], levels[(k + 1) % 2]);
        let (boundary, region) = (layers.into(), Region::All);
        engine.step(Step { prev: next, cur, next, boundary, region }).unwrap();
        if with_layers {
            engine.inject(next, source, k % NT).unwrap();
            engine.record(next, receivers, k % NT).unwrap();
        }
        k += 1;
    }
}

fn update(c: &mut Criterion) {
    for (name, layers) in [("bare update", 0), ("update with CPML, source, receivers", 10)] {
        let mut group = c.benchmark_group(name);
        group.sample_size(10).sampling_mode(SamplingMode::Flat);
        for interior in [200, 400] {
            let n = interior + 2 * layers;
            group.throughput(Throughput::Elements((n * n * n) as u64));
            let (problem, cpu) = (problem(n, layers), Cpu::new());
            let mut engine: Box<dyn Engine<f32>> =
                cpu.engine(&problem.plan, &problem.velocity).unwrap();
            let mut step = steps(engine.as_mut(), &problem);
            group.bench_function(BenchmarkId::from_parameter(n), |b| b.iter(&mut step));
        }
        group.finish();
    }
}

criterion_group!(benches, update);
criterion_main!(benches);
