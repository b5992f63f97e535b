//! The propagator against theory, on small grids. The same checks at full size: `rtm verify`.

use rtm::plan::{Face, FaceKind, Plan};
use rtm::propagate::Cpu;
use rtm::verify::adjoint;
use rtm::verify::green::Green;
use rtm::verify::identities;
use rtm::verify::problem::Problem;
use rtm::{Grid, Traces, metrics, strategy};

/// Errors of at most 2 % in space and time, and the order in time.
fn greens_function(d_m: f64, dt_s: f64) {
    let cpu = Cpu::new();
    let error = |dt_s| Green { order: 12, d_m, dt_s, peak_hz: 5.0 }.errors::<f64>(&cpu).unwrap();
    let (coarse, fine) = (error(2.0 * dt_s), error(dt_s));
    for i in 0..2 {
        assert!(fine[i] < 0.02, "{fine:?}");
        assert!((coarse[i] / fine[i] - 4.0).abs() < 0.1, "{coarse:?} {fine:?}");
    }
}

#[test]
fn the_greens_function_and_the_order_in_time() {
    kept::once!();
    greens_function(25.0, 0.0025);
}

#[test]
#[ignore = "long: seconds; the_greens_function_and_the_order_in_time has a coarser grid"]
fn the_greens_function_on_a_fine_grid() {
    greens_function(20.0, 0.002);
}

#[test]
fn the_order_in_space() {
    let cpu = Cpu::new();
    for order in rtm::fd::ORDERS {
        // Fine enough for the slope, coarse enough that rounding does not matter.
        let d_m = 10.0 + 0.6 * order as f64;
        let [coarse, fine] =
            [d_m, 0.8 * d_m].map(|d_m| identities::laplacian_error(&cpu, order, d_m).unwrap());
        let slope = (coarse / fine).ln() / 1.25f64.ln();
        assert!(slope > order as f64 - 0.7, "order {order}: {slope}, {coarse:e}, {fine:e}");
    }
}

#[test]
fn energy_is_kept_without_absorption() {
    let cpu = Cpu::new();
    let drift = identities::energy_drift::<f64>(&cpu, 24, 2000).unwrap();
    assert!(drift < 1e-12, "{drift:e}");
    let drift = identities::energy_drift::<f32>(&cpu, 24, 2000).unwrap();
    assert!(drift < 1e-5, "{drift:e}");
}

#[test]
fn time_runs_back() {
    let cpu = Cpu::new();
    let error = identities::time_reversal::<f32>(&cpu, 32, 400).unwrap();
    assert!(error < 1e-4, "{error:e}");
    let error = identities::time_reversal::<f64>(&cpu, 32, 400).unwrap();
    assert!(error < 1e-12, "{error:e}");
}

#[test]
fn source_and_receiver_can_change_places() {
    let cpu = Cpu::new();
    let mut problem = Problem::lens([40, 36, 32], 0, 8, 300);
    problem.plan.faces = [FaceKind::Reflecting; 6];
    problem.source = [8, 20, 10];
    problem.receivers = vec![[31, 14, 25]];
    let error = identities::reciprocity::<f32>(&cpu, &problem).unwrap();
    assert!(error < 1e-5, "{error:e}");
    let error = identities::reciprocity::<f64>(&cpu, &problem).unwrap();
    assert!(error < 1e-12, "{error:e}");
}

#[test]
fn layers_absorb() {
    kept::once!();
    let cpu = Cpu::new();
    let energies = |n, faces, level| {
        identities::energies_in_a_box::<f32>(&cpu, n, 8, faces, &[level]).unwrap()[0]
    };
    // Spec 2.6: 717.7 before the wave reaches the layers, 2.4e-3 at step 800.
    let absorbed = energies(60, [FaceKind::Absorbing; 6], 800);
    assert!(absorbed < 3e-3, "{absorbed:?}");
    // In a smaller box the wave has gone as far in widths of the box after fewer steps.
    let [absorbed, reflected] =
        [FaceKind::Absorbing, FaceKind::Reflecting].map(|face| energies(36, [face; 6], 520));
    assert!(reflected > 1e4 * absorbed, "{absorbed:?} {reflected:?}");
    // A face that does not absorb reflects, the others absorb.
    let mut faces = [FaceKind::Absorbing; 6];
    faces[Face::Back as usize] = FaceKind::Reflecting;
    let one = energies(36, faces, 520);
    assert!(one > 100.0 * absorbed && one < 0.2 * reflected, "{absorbed:?} {one:?} {reflected:?}");
}

#[test]
fn layers_reflect_little() {
    kept::once!();
    // At full size, with 20 layers: `rtm verify`.
    let echo = |degrees| identities::reflection::<f32>(&Cpu::new(), 10, degrees).unwrap();
    let (normal, slanting) = (echo(0.0), echo(45.0));
    // As `rtm verify` has them: less would be a wave that never met the layers.
    assert!((7e-4..9e-4).contains(&normal), "{normal:e}");
    assert!((1.4e-3..1.8e-3).contains(&slanting), "{slanting:e}");
}

#[test]
fn a_point_source_falls_as_1_over_r() {
    let cpu = Cpu::new();
    let mut plan = Plan::new(Grid::uniform([91, 41, 41], 10.0), 8, 0.001, 420, 15.0);
    plan.layers = 10;
    let mut problem = Problem::constant(plan, 2000.0, &[]);
    problem.source = [20, 20, 20];
    problem.receivers = vec![[35, 20, 20], [50, 20, 20], [65, 20, 20]];
    let traces = problem.model::<f32>(&cpu).unwrap();
    let peak = |i: usize| traces.trace(i).iter().fold(0f32, |m, v| m.max(v.abs()));
    assert!((peak(0) / peak(1) - 2.0).abs() < 0.06, "{}", peak(0) / peak(1));
    assert!((peak(0) / peak(2) - 3.0).abs() < 0.15, "{}", peak(0) / peak(2));
}

#[test]
fn double_precision_is_far_more_exact() {
    let cpu = Cpu::new();
    let single = identities::time_reversal::<f32>(&cpu, 24, 200).unwrap();
    let double = identities::time_reversal::<f64>(&cpu, 24, 200).unwrap();
    assert!(single / double > 1e7, "{single:e} {double:e}");
}

#[test]
fn bad_input_is_refused_with_its_fix() {
    let cpu = Cpu::new();
    let mut problem = Problem::lens([20; 3], 4, 8, 50);
    let text = |problem: &Problem| problem.model::<f32>(&cpu).unwrap_err().to_string();
    problem.receivers.push([28, 3, 3]);
    assert!(text(&problem).contains("receiver 7 lies at point [28, 3, 3]"), "{}", text(&problem));
    problem.receivers.pop();
    problem.plan.dt_s *= 1.2;
    assert!(text(&problem).contains("is unstable: order 8, spacing 10 m"), "{}", text(&problem));
    problem.plan.dt_s /= 1.2;
    problem.plan.order = 9;
    assert!(text(&problem).contains("ord = 9"), "{}", text(&problem));
    problem.plan.order = 8;
    problem.velocity.values[5] = f32::NAN;
    assert!(text(&problem).contains("point [0, 0, 5] is NaN"), "{}", text(&problem));
    problem.velocity.values[5] = 1700.0;
    let mut source = problem.wavelet::<f32>();
    source.samples[3] = f32::INFINITY;
    let Problem { plan, velocity, receivers, .. } = &problem;
    let error = strategy::model(&cpu, plan, velocity, &source, receivers, &mut ()).unwrap_err();
    assert!(error.to_string().contains("sample 3 of trace 0 is inf"), "{error}");
    assert_eq!(metrics::energy(&[3.0f32, 4.0]), 25.0);
}

/// `<F x, y> = <x, F' y>` with absorbing layers on all faces.
#[test]
fn modelling_and_its_transpose_agree() {
    kept::once!();
    let cpu = Cpu::new();
    for order in [2, 4, 8, 16] {
        let error = adjoint::dot_product_error::<f64>(&cpu, order).unwrap();
        assert!(error < 1e-12, "order {order}: {error:e}");
        let error = adjoint::dot_product_error::<f32>(&cpu, order).unwrap();
        assert!(error < 1e-5, "order {order}: {error:e}");
    }
}

/// A free surface is the antisymmetric half of a space twice as deep, to rounding; and its ghost is
/// the wave of the source's image, within 1 % at ten points per wavelength.
#[test]
fn a_free_surface_mirrors_the_source() {
    kept::once!();
    let cpu = Cpu::new();
    let (d_m, v, peak_hz, order, dt_s, depth) = (20.0, 2000.0, 10.0, 12, 0.0005, 6);
    let n = [47, 41, 40];
    let nt = 800;
    let receivers = [[27, 20, 4], [23, 25, 8], [23, 20, 9]];
    let run = |n: [usize; 3], free_surface: bool, sources: &[(usize, f64)], below: usize| {
        let mut plan = Plan::new(Grid::uniform(n, d_m), order, dt_s, nt, peak_hz);
        (plan.layers, plan.faces) = (0, [FaceKind::Reflecting; 6]);
        if free_surface {
            plan.faces[Face::Top as usize] = FaceKind::FreeSurface;
        }
        let mut source = Traces::zeros(nt, dt_s, sources.iter().map(|s| [23, 20, s.0]).collect());
        let wavelet = rtm::survey::wavelet::ricker(peak_hz, -1.2 / peak_hz, dt_s, nt);
        for (i, (_, sign)) in sources.iter().enumerate() {
            source.trace_mut(i).iter_mut().zip(&wavelet).for_each(|(s, w)| *s = sign * w);
        }
        let velocity = rtm::Cube::constant(plan.grid, v as f32);
        source.scale_to_sources(&velocity);
        let points = receivers.map(|[x, y, z]| [x, y, z + below]);
        strategy::model::<f64>(&cpu, &plan, &velocity, &source, &points, &mut ()).unwrap()
    };
    let free = run(n, true, &[(depth, 1.0)], 0);
    let deep = [n[0], n[1], 2 * n[2] - 1];
    let middle = n[2] - 1;
    let both = run(deep, false, &[(middle - depth, -1.0), (middle + depth, 1.0)], middle);
    let error = metrics::relative_l2(&free.samples, &both.samples);
    assert!(error < 1e-12, "{error:e}");
    // Before the walls answer.
    let whole = run(deep, false, &[(middle + depth, 1.0)], middle);
    for (i, [x, y, z]) in receivers.into_iter().enumerate() {
        let across = ((x as f64 - 23.0).powi(2) + (y as f64 - 20.0).powi(2)).sqrt() * d_m;
        let r = across.hypot((z + depth) as f64 * d_m);
        let ghost: Vec<f64> =
            free.trace(i).iter().zip(whole.trace(i)).map(|(a, b)| a - b).collect();
        let wave = rtm::survey::wavelet::ricker(peak_hz, -1.2 / peak_hz - r / v, dt_s, nt);
        let scale = -1.0 / (4.0 * std::f64::consts::PI * r);
        let want: Vec<f64> = wave.iter().map(|w| w * scale).collect();
        let error = metrics::relative_l2(&ghost, &want);
        assert!(error < 0.01, "receiver {i}: {error:e}");
    }
}
