//! Identities that the discrete equations keep: energy, time reversal, reciprocity, order of the
//! differences, absorption.

use super::problem::Problem;
use crate::engine::{Backend, Engine, Field, Layers, Region, Step};
use crate::grid::{Cube, Grid};
use crate::model::build::{self, Layer};
use crate::plan::{FaceKind, Plan};
use crate::{Real, Result, metrics, strategy};

fn step(prev: Field, cur: Field, layers: Option<Layers>) -> Step {
    Step { prev, cur, next: prev, boundary: layers.into(), region: Region::All }
}

/// Steps a source of the problem's wavelet for `steps` levels in `levels`, which then hold levels
/// `steps - 1` and `steps` (the latter in `levels[steps % 2]`).
fn excite<T: Real>(
    engine: &mut dyn Engine<T>,
    problem: &Problem,
    levels: [Field; 2],
    layers: Option<Layers>,
    steps: usize,
) -> Result<()> {
    let source = engine.new_points(&problem.wavelet())?;
    for its in 0..steps {
        let (cur, next) = (levels[its % 2], levels[(its + 1) % 2]);
        engine.step(step(next, cur, layers))?;
        engine.inject(next, source, its)?;
    }
    Ok(())
}

/// Largest relative drift of the discrete energy over `steps` steps without source or absorption,
/// in a box with a lens. The energy that the scheme conserves is
/// `|p' - p|^2 / (v dt)^2 - <p', lap p>` of two levels p, p'.
pub fn energy_drift<T: Real>(backend: &dyn Backend<T>, n: usize, steps: usize) -> Result<f64> {
    let mut problem = Problem::lens([n; 3], 0, 8, 80);
    problem.plan.faces = [FaceKind::Reflecting; 6];
    problem.source = [n / 2; 3];
    let mut engine = backend.engine(&problem.plan, &problem.velocity)?;
    let mut levels = [engine.new_field()?, engine.new_field()?];
    excite(engine.as_mut(), &problem, levels, None, 80)?;
    // levels[0] is level 80 now, levels[1] level 79.
    let mut first = None;
    let mut worst: f64 = 0.0;
    let looks = 20;
    for look in 0..=looks {
        let (before, now) = (engine.read(levels[1])?, engine.read(levels[0])?);
        engine.step(step(levels[1], levels[0], None))?;
        levels.swap(0, 1);
        let after = engine.read(levels[0])?;
        let mut energy = 0.0;
        for (i, v) in problem.velocity.values.iter().enumerate() {
            let (a, p, b) = (after.values[i].f64(), now.values[i].f64(), before.values[i].f64());
            let v2dt2 = (f64::from(*v) * problem.plan.dt_s).powi(2);
            energy += ((a - p).powi(2) - a * (a - 2.0 * p + b)) / v2dt2;
        }
        let first = *first.get_or_insert(energy);
        worst = worst.max((energy / first - 1.0).abs());
        if look < looks {
            for _ in 0..steps / looks {
                engine.step(step(levels[1], levels[0], None))?;
                levels.swap(0, 1);
            }
        }
    }
    Ok(worst)
}

/// Relative L2 error of the two first levels after `steps` steps forward and as many back, without
/// absorption.
pub fn time_reversal<T: Real>(backend: &dyn Backend<T>, n: usize, steps: usize) -> Result<f64> {
    let mut problem = Problem::lens([n; 3], 0, 8, 60);
    problem.plan.faces = [FaceKind::Reflecting; 6];
    problem.source = [n / 2; 3];
    let mut engine = backend.engine(&problem.plan, &problem.velocity)?;
    let levels = [engine.new_field()?, engine.new_field()?];
    excite(engine.as_mut(), &problem, levels, None, 60)?;
    let start = engine.read(levels[0])?;
    // levels[1], levels[0] are levels 59 and 60.
    let (mut old, mut new) = (levels[1], levels[0]);
    for _ in 0..steps {
        engine.step(step(old, new, None))?;
        (old, new) = (new, old);
    }
    for _ in 0..steps {
        engine.step(step(new, old, None))?;
        (old, new) = (new, old);
    }
    // Turned round: what was the newer level of the pair is the newer again.
    let end = engine.read(new)?;
    Ok(metrics::relative_l2(&end.values, &start.values))
}

/// Relative L2 difference of the traces when source and receiver change places in a model with a
/// lens, both injected with the physical scale `v^2` of their point.
pub fn reciprocity<T: Real>(backend: &dyn Backend<T>, problem: &Problem) -> Result<f64> {
    let (a, b) = (problem.source, problem.receivers[0]);
    let record = |source, receiver| {
        let problem = Problem { source, receivers: vec![receiver], ..problem.clone() };
        let mut wavelet = problem.wavelet::<T>();
        let v = f64::from(problem.velocity.at(source)) / 2000.0;
        wavelet.samples.iter_mut().for_each(|w| *w = T::of(w.f64() * v * v));
        let Problem { plan, velocity, receivers, .. } = &problem;
        strategy::model(backend, plan, velocity, &wavelet, receivers, &mut ())
    };
    Ok(metrics::relative_l2(&record(a, b)?.samples, &record(b, a)?.samples))
}

/// Largest error of the discrete Laplacian of a Gaussian, in the middle of a grid of spacing `d_m`,
/// relative to its value in the centre; for slopes in double precision.
pub fn laplacian_error(backend: &dyn Backend<f64>, order: usize, d_m: f64) -> Result<f64> {
    let (width_m, half) = (100.0, 8usize);
    let n = 2 * (half + order) + 1;
    let grid = Grid::uniform([n; 3], d_m);
    let v_mps = 1000.0;
    let dt_s = 0.5 * crate::fd::dt_max_s(order, d_m, v_mps);
    let mut plan = Plan::new(grid, order, dt_s, 3, 10.0);
    (plan.layers, plan.faces) = (0, [FaceKind::Reflecting; 6]);
    // Off the grid's symmetry.
    let centre = (half + order) as f64 + 0.3;
    let r2 = |p: [usize; 3]| p.iter().map(|&i| ((i as f64 - centre) * d_m).powi(2)).sum::<f64>();
    let gauss = |p: [usize; 3]| (-r2(p) / (2.0 * width_m * width_m)).exp();
    let mut engine = backend.engine(&plan, &Cube::constant(grid, v_mps as f32))?;
    let (cur, next) = (engine.new_field()?, engine.new_field()?);
    // A point of wavelet 1 at each point is a way to write a field through any engine.
    let points: Vec<_> = (0..grid.len()).map(|i| grid.point(i)).collect();
    let mut values = crate::Traces::zeros(3, dt_s, points);
    for i in 0..grid.len() {
        values.trace_mut(i)[0] = gauss(grid.point(i));
    }
    let values = engine.new_points(&values)?;
    engine.inject(cur, values, 0)?;
    engine.step(step(next, cur, None))?;
    let found = engine.read(next)?;
    let mut worst: f64 = 0.0;
    for i in 0..grid.len() {
        let p = grid.point(i);
        if p.iter().any(|&i| i.abs_diff(half + order) > half / 2) {
            continue;
        }
        let w2 = width_m * width_m;
        let exact = (r2(p) / w2 - 3.0) / w2 * gauss(p);
        let lap = (found.at(p) - 2.0 * gauss(p)) / (v_mps * dt_s).powi(2);
        worst = worst.max((lap - exact).abs() / (3.0 / w2));
    }
    Ok(worst)
}

/// `sum p^2` at some levels of a source in the middle of a homogeneous cube (`n`^3 points of 10 m,
/// 1500 m/s, 15 Hz, 0.9 ms, order 8) within `layers` absorbing layers, or with reflecting faces.
pub fn energies_in_a_box<T: Real>(
    backend: &dyn Backend<T>,
    n: usize,
    layers: usize,
    faces: [FaceKind; 6],
    levels: &[usize],
) -> Result<Vec<f64>> {
    let nt = levels.iter().max().map_or(3, |k| k + 1);
    let mut plan = Plan::new(Grid::uniform([n + 2 * layers; 3], 10.0), 8, 0.0009, nt, 15.0);
    (plan.layers, plan.faces) = (layers, faces);
    let problem = Problem::constant(plan, 1500.0, &[]);
    let mut engine = backend.engine(&problem.plan, &problem.velocity)?;
    let fields = [engine.new_field()?, engine.new_field()?];
    let state = engine.new_layers()?;
    let source = engine.new_points(&problem.wavelet())?;
    let mut energies = Vec::new();
    for its in 0..nt - 1 {
        let (cur, next) = (fields[its % 2], fields[(its + 1) % 2]);
        engine.step(step(next, cur, Some(state)))?;
        engine.inject(next, source, its)?;
        if levels.contains(&(its + 1)) {
            energies.push(engine.energy(next)?);
        }
    }
    Ok(energies)
}

/// What absorbing layers send back of a wave that meets them at some degrees from the normal, over
/// the peak of the direct wave at the same receiver. The truth is a grid so large that nothing
/// comes back in time. 2000 m/s, 10 m, 15 Hz, order 8.
pub fn reflection<T: Real>(backend: &dyn Backend<T>, layers: usize, degrees: f64) -> Result<f64> {
    let (v, d, dt_s, peak_hz) = (2000.0, 10.0, 0.001, 15.0);
    // Source and receiver 12 points below the inner edge of the layers at the surface. The echo of
    // a receiver at distance x comes under the angle atan(x / 24) to the normal.
    let distance = 12isize;
    let far = (2.0 * distance as f64 * degrees.to_radians().tan()).round() as isize;
    let offset = if far == 0 { [0, 0, -6] } else { [far, 0, 0] };
    let run = |inner: [usize; 3], source: [usize; 3], layers: usize, nt: usize| {
        let grid = Grid::uniform(inner.map(|n| n + 2 * layers), d);
        let mut plan = Plan::new(grid, 8, dt_s, nt, peak_hz);
        (plan.layers, plan.faces) = (layers, [FaceKind::absorbing_if(layers > 0); 6]);
        let mut problem = Problem::constant(plan, v as f32, &[]);
        problem.source = source.map(|i| i + layers);
        problem.receivers =
            vec![std::array::from_fn(|a| problem.source[a].saturating_add_signed(offset[a]))];
        problem.model::<T>(backend)
    };
    // Until the echo of the surface's layers has passed the far receiver.
    let path = ((far * far + 4 * distance * distance) as f64).sqrt() * d;
    let nt = ((path / v + 2.4 / peak_hz) / dt_s) as usize;
    // How far an echo from a face of the large grid must travel to be too late, in points.
    let late = (nt as f64 * dt_s * v / d / 2.0).ceil() as usize + 2;
    let far = far as usize;
    let small = run([far + 60, 61, 61], [30, 30, distance as usize], layers, nt)?;
    let large = run([far + 2 * late, 2 * late + 1, 2 * late + 1], [late; 3], 0, nt)?;
    let peak = large.samples.iter().fold(0f64, |m, v| m.max(v.f64().abs()));
    let pairs = small.samples.iter().zip(&large.samples);
    Ok(pairs.map(|(a, b)| (a.f64() - b.f64()).abs()).fold(0f64, f64::max) / peak)
}

/// Two layers (1500 over 2500 m/s) seen from above: how many cells the image's peak under the
/// source lies from the true depth, and by how much the reflected wave's amplitude differs from
/// `(v2 - v1) / (v2 + v1)` over the length of its path, relative to that. The interface is sampled
/// as a step, or band-limited.
pub fn reflector<T: Real>(backend: &dyn Backend<T>, band_limited: bool) -> Result<[f64; 2]> {
    let (layers, depth, order, peak_hz) = (16, 36, 8, 15.0);
    let grid = Grid::uniform([61 + 2 * layers, 61 + 2 * layers, 70 + 2 * layers], 10.0);
    let interface = layers + depth;
    // The interface lies half a cell above the first point of the lower layer.
    let mirror = interface as f64 - 0.5;
    let layer = |top_m, v_mps| Layer { top_m, dip: [0.0; 2], v_mps };
    let both = [layer(f64::NEG_INFINITY, 1500.0), layer(10.0 * mirror, 2500.0)];
    let make = if band_limited { build::layered_band_limited } else { build::layered };
    let velocity = make(grid, &both);
    let dt_s = 0.5 * crate::fd::dt_max_s(order, 10.0, 2500.0);
    let nt = (0.75 / dt_s) as usize;
    let plan = Plan { layers, ..Plan::new(grid, order, dt_s, nt, peak_hz) };
    let [x, y] = [grid.n[0] / 2, grid.n[1] / 2];
    let surface = layers + 2;
    let mut receivers = vec![[x, y, surface + 4]];
    for ix in (layers..grid.n[0] - layers).step_by(4) {
        for iy in (layers..grid.n[1] - layers).step_by(4) {
            receivers.push([ix, iy, surface]);
        }
    }
    let problem = Problem { plan, velocity, source: [x, y, surface], receivers };
    let mut shot = problem.shot::<T>(backend)?;
    let [down, up] = [mirror - surface as f64, mirror - (surface + 4) as f64];
    let direct = Problem {
        velocity: Cube::constant(grid, 1500.0),
        receivers: vec![[x, y, surface + 20]],
        ..problem.clone()
    };
    // At the central frequency: how a curved wave differs from a plane one shows in the phase
    // first.
    let amplitude = |trace: &[T]| {
        let angle = |k: usize| 2.0 * std::f64::consts::PI * peak_hz * dt_s * k as f64;
        let samples = trace.iter().enumerate().map(|(k, v)| (angle(k), v.f64()));
        let (re, im) =
            samples.fold((0.0, 0.0), |(re, im), (a, v)| (re + v * a.cos(), im + v * a.sin()));
        f64::hypot(re, im)
    };
    // Amplitude times distance of the direct wave is the same at each distance.
    let unit = amplitude(direct.model::<T>(backend)?.trace(0)) * 20.0;
    let coefficient = amplitude(shot.receivers.trace(0)) * (down + up) / unit;
    let exact = (2500.0 - 1500.0) / (2500.0 + 1500.0);
    // The receiver within the water column has served.
    shot.receivers.points.remove(0);
    shot.receivers.samples.drain(..nt);
    let smooth = Problem { velocity: Cube::constant(grid, 1500.0), ..problem };
    let image = smooth.migrate(backend, &shot, crate::plan::Strategy::SaveBoundaries)?;
    let filtered = crate::imaging::laplacian(&image.correlation, order);
    let column = filtered.row(x - layers, y - layers);
    let top = 12;
    let peak = (top..column.len())
        .max_by(|a, b| column[*a].f64().abs().total_cmp(&column[*b].f64().abs()))
        .unwrap_or(0);
    Ok([(peak as f64 - (mirror - layers as f64)).abs(), coefficient / exact - 1.0])
}
