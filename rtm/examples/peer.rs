//! This program's side of `benches/peers/compare.py`: `peer bare|acoustic|example|tti N` prints
//! points, steps, the best seconds (by the clock, and of all cores), and the peak memory of the
//! process as a line of JSON.

use std::time::Instant;

use rtm::engine::{Backend, Engine, Region, Step};
use rtm::plan::FaceKind;
use rtm::propagate::Cpu;
use rtm::verify::problem::Problem;
use rtm::{Grid, Plan, Traces};
use tti::{Form, Method, Model, Propagator};

fn main() -> rtm::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let wrong = || rtm::Error::input("peer bare|acoustic|example|tti N");
    let n: usize = arguments.get(2).and_then(|n| n.parse().ok()).ok_or_else(wrong)?;
    let steps = if n <= 250 { 100 } else { 30 };
    let (acoustic, example) = match arguments[1].as_str() {
        "bare" => (false, false),
        "acoustic" => (true, false),
        "example" => (true, true),
        "tti" => return tilted(n, steps),
        _ => return Err(wrong()),
    };
    let layers = if acoustic { 10 } else { 0 };
    let size = n + 2 * layers;
    // The example's model: three layers.
    let velocity = |depth: usize| match 3 * depth / n {
        _ if !example => 2000.0,
        0 => 1500.0,
        1 => 2500.0,
        _ => 3500.0,
    };
    let dt_s = 0.9 * rtm::fd::dt_max_s(8, 10.0, velocity(n));
    let mut plan = Plan::new(Grid::uniform([size; 3], 10.0), 8, dt_s, steps + 1, 15.0);
    (plan.layers, plan.faces) = (layers, [FaceKind::absorbing_if(acoustic); 6]);
    let mut problem = Problem::constant(plan, 2000.0, &[]);
    let rows = problem.velocity.values.chunks_exact_mut(size);
    rows.flat_map(|row| row.iter_mut().enumerate())
        .for_each(|(z, v)| *v = velocity(z.saturating_sub(layers)) as f32);
    problem.receivers = (0..n).map(|x| [layers + x, size / 2, layers]).collect();

    let cpu = Cpu::new();
    let mut engine: Box<dyn Engine<f32>> = cpu.engine(&problem.plan, &problem.velocity)?;
    problem.velocity.values = Vec::new();
    let levels = [engine.new_field()?, engine.new_field()?];
    let state = if acoustic { Some(engine.new_layers()?) } else { None };
    let source = engine.new_points(&problem.wavelet())?;
    let receivers = Traces::zeros(steps + 1, dt_s, problem.receivers.clone());
    let receivers = engine.new_points(&receivers)?;
    let run = |steps: usize| {
        for k in 0..steps {
            let (cur, next) = (levels[k % 2], levels[(k + 1) % 2]);
            let (boundary, region) = (state.into(), Region::All);
            engine.step(Step { prev: next, cur, next, boundary, region })?;
            if acoustic {
                engine.inject(next, source, k)?;
                engine.record(next, receivers, k)?;
            }
        }
        Ok(())
    };
    // Of the example only those points that the user asked for: layers are each program's own
    // affair.
    report(if example { n } else { size }, steps, run)
}

/// The mini-app's tilted model, of which 16 points on each face are its random boundary.
fn tilted(n: usize, steps: usize) -> rtm::Result<()> {
    let model = Model::fletcher(Form::Tti, [n - 32; 3], 16, [12.5; 3]);
    let mut cpu = tti::cpu::Cpu::new(&model, Method::Best, 1e-3, [n / 2; 3], 0)?;
    drop(model);
    let samples: Vec<f32> = (0..steps).map(|k| tti::source(k as f64 * 1e-3)).collect();
    report(n, steps, |steps| cpu.advance(&samples[..steps]).map(|_| ()))
}

/// Runs so many steps twice and prints the best.
fn report(
    n: usize,
    steps: usize,
    mut run: impl FnMut(usize) -> rtm::Result<()>,
) -> rtm::Result<()> {
    // For the caches and the threads.
    run(4)?;
    let (mut best, mut best_cpu) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..2 {
        let (start, start_cpu) = (Instant::now(), cpu_s());
        run(steps)?;
        best = best.min(start.elapsed().as_secs_f64());
        best_cpu = best_cpu.min(cpu_s() - start_cpu);
    }
    println!(
        "{{\"points\": {}, \"steps\": {steps}, \"seconds\": {best}, \"cpu_seconds\": \
         {best_cpu:.2}, \"peak_mb\": {:.1}}}",
        n.pow(3),
        peak_mb()
    );
    Ok(())
}

/// Seconds that all threads of this process have computed (Linux, in hundredths; NaN elsewhere). On
/// a busy machine they say more than the clock.
fn cpu_s() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name in parentheses, the 12th and 13th word are ticks of user and system.
    let words = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    let ticks: Vec<f64> = words.skip(11).take(2).filter_map(|w| w.parse().ok()).collect();
    if ticks.len() == 2 { (ticks[0] + ticks[1]) / 100.0 } else { f64::NAN }
}

/// Peak resident memory of this process (Linux; NaN elsewhere).
fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kb = status
        .lines()
        .find_map(|l| l.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse::<f64>().ok());
    kb.map_or(f64::NAN, |kb| kb / 1024.0)
}
