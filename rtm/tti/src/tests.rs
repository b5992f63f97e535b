//! The physics against theory, and each implementation against the others.

use std::f64::consts::{FRAC_PI_2, PI};

use proptest::prelude::*;
use rtm::engine::{Backend, Boundary, Engine, Region, Step};
use rtm::plan::{FaceKind, Plan, Strategy};
use rtm::{Cube, Grid, Traces};

use super::cpu::Cpu;
use super::fletcher::{self, Case};
#[cfg(feature = "cuda")]
use super::gpu::Gpu;
#[cfg(any(feature = "cuda", feature = "opencl"))]
use super::kernel::Kernel;
use super::*;

const DT_S: f64 = 1e-3;
const D_M: [f64; 3] = [12.5, 12.5, 12.5];

/// A medium that differs from point to point, with every coefficient in use.
fn mixed_medium([x, y, z]: [usize; 3]) -> Medium {
    let wave = |a: f32, b: f32, c: f32| (a * x as f32 + b * y as f32 + c * z as f32).sin();
    Medium::with_sigma(
        2500.0 + 300.0 * wave(0.1, 0.05, 0.2),
        [0.25 + 0.05 * wave(0.1, 0.05, 0.1), 0.1 + 0.05 * wave(0.05, 0.1, 0.1)],
        [1.0 + 0.5 * wave(0.05, 0.1, 0.05), 0.7 + 0.3 * wave(0.1, 0.1, 0.05)],
    )
}

/// A source that is strong at once.
fn samples(steps: usize) -> Vec<f32> {
    (0..steps).map(|k| source(0.06 + k as f64 * DT_S)).collect()
}

fn middle(n: [usize; 3]) -> [usize; 3] {
    n.map(|n| n / 2)
}

/// p and q of the computed points after some steps.
fn after(model: &Model, device: &mut dyn Propagator, steps: usize) -> [Vec<f32>; 2] {
    device.advance(&samples(steps)).unwrap();
    device.fields().unwrap().map(|field| model.layout.inner(&field))
}

fn on_cpu(model: &Model, method: Method, steps: usize) -> [Vec<f32>; 2] {
    let mut cpu = Cpu::new(model, method, DT_S, middle(model.layout.n), 0).unwrap();
    after(model, &mut cpu, steps)
}

/// The difference of two fields over the larger one, in the root of the mean square.
fn difference(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    let sum = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        a.iter().zip(b).map(|(a, b)| f(f64::from(*a), f64::from(*b))).sum()
    };
    let scale = sum(&|a, b| a * a + b * b) / 2.0;
    assert!(scale.is_finite() && scale > 0.0, "nothing to compare");
    (sum(&|a, b| (a - b) * (a - b)) / scale).sqrt()
}

fn assert_close(a: &[Vec<f32>; 2], b: &[Vec<f32>; 2], tolerance: f64) {
    for (a, b) in a.iter().zip(b) {
        let d = difference(a, b);
        assert!(d < tolerance, "relative difference {d:.2e}");
    }
}

#[test]
fn isotropic_is_the_acoustic_propagator() {
    let n = [26, 22, 30];
    let velocity = |[x, y, z]: [usize; 3]| {
        2500.0 + 300.0 * (0.4 * x as f32 + 0.3 * y as f32 + 0.2 * z as f32).sin()
    };
    let layout = VolumeLayout::new(n, [10.0, 12.0, 11.0]);
    let model = Model::from_fn(layout, |at| Medium { vpz: velocity(at), ..Medium::default() });
    let steps = 300;

    let grid = Grid::new(n, layout.d_m);
    let plan = Plan {
        layers: 0,
        faces: [FaceKind::Reflecting; 6],
        strategy: Strategy::StoreAll,
        ..Plan::new(grid, ORDER, DT_S, steps, CUT_HZ / 3.0)
    };
    let cpu = rtm::propagate::Cpu::new();
    let engine: &mut dyn Engine<f32> =
        &mut *cpu.engine(&plan, &Cube::from_fn(grid, velocity)).unwrap();
    let mut levels = [engine.new_field().unwrap(), engine.new_field().unwrap()];
    let traces = Traces::source(DT_S, middle(n), samples(steps));
    let points = engine.new_points(&traces).unwrap();
    for k in 0..steps {
        let [cur, prev] = levels;
        engine.inject(cur, points, k).unwrap();
        let step =
            Step { prev, cur, next: prev, boundary: Boundary::Reflecting, region: Region::All };
        engine.step(step).unwrap();
        levels = [prev, cur];
    }
    let acoustic = engine.read(levels[0]).unwrap();
    let acoustic: Vec<f32> = layout.each_point().map(|point| acoustic.at(point)).collect();
    for method in [Method::Base, Method::Best] {
        let [p, q] = on_cpu(&model, method, steps);
        assert_close(
            &[p, q],
            &[acoustic.clone(), acoustic.clone()],
            2.0 * steps as f64 * f64::from(f32::EPSILON),
        );
    }
}

#[test]
fn an_upright_axis_is_vti() {
    // The azimuth of an upright axis means nothing.
    let layout = VolumeLayout::new([20, 18, 22], D_M);
    let of = |phi: f32| Model::from_fn(layout, |at| Medium { theta: 0.0, phi, ..mixed_medium(at) });
    for method in [Method::Base, Method::Best] {
        let [upright, turned] = [of(0.0), of(2.1)].map(|m| on_cpu(&m, method, 200));
        assert_close(&upright, &turned, 1e-6);
    }
    // The built-in forms: VTI is TTI with both angles 0.
    let tti = Medium { theta: 0.0, phi: 0.0, ..Form::Tti.medium() };
    assert_eq!(tti, Form::Vti.medium());
}

#[test]
fn tilted_by_a_right_angle_is_vti_with_axes_exchanged() {
    let (n, d_m) = ([24, 20, 28], [12.5, 13.0, 14.0]);
    let steps = 200;
    let upright = |at| Medium { theta: 0.0, phi: 0.0, ..mixed_medium(at) };
    // The axis points along `to`: exchange z with it.
    for (to, phi) in [(0, 0.0), (1, FRAC_PI_2 as f32)] {
        let other = |axis: usize| match axis {
            2 => to,
            axis if axis == to => 2,
            axis => axis,
        };
        let swap = |v: [usize; 3]| [v[other(0)], v[other(1)], v[other(2)]];
        let mut swapped_d = d_m;
        swapped_d.swap(to, 2);
        let vti = Model::from_fn(VolumeLayout::new(n, d_m), upright);
        let tilted = Model::from_fn(VolumeLayout::new(swap(n), swapped_d), |at| Medium {
            theta: FRAC_PI_2 as f32,
            phi,
            ..upright(swap(at))
        });
        let run = |model: &Model, method| {
            let mut cpu = Cpu::new(model, method, DT_S, middle(model.layout.n), 0).unwrap();
            cpu.advance(&samples(steps)).unwrap();
            cpu.fields().unwrap()
        };
        let expected = run(&vti, Method::Best);
        let expected = expected.map(|field| vti.layout.inner(&field));
        for method in [Method::Base, Method::Best] {
            let found = run(&tilted, method).map(|field| {
                let places = vti.layout.each_point().map(|at| tilted.layout.index(swap(at)));
                places.map(|place| field[place]).collect::<Vec<f32>>()
            });
            assert_close(&found, &expected, 2e-5);
        }
    }
}

/// The exact plane P wave through a uniform medium: phase velocity, and q over p.
fn plane_wave(medium: &Medium, direction: [f64; 3]) -> (f64, f64) {
    let axis = medium.axis().map(f64::from);
    let cos: f64 = (0..3).map(|a| axis[a] * direction[a]).sum();
    let psi = cos.clamp(-1.0, 1.0).acos();
    let v = medium.phase_velocities(psi)[0];
    let [px, pz, sz, pn] = medium.squares().map(f64::from);
    let (h2, h1) = (psi.sin().powi(2), psi.cos().powi(2));
    // The first row of the matrix says q over p, v^2 p = (vpx^2 h2 + vsz^2 h1) p + (vpz^2 - vsz^2)
    // h1 q; across the axis only the second does.
    let ratio = if h1 > 0.5 {
        (v * v - px * h2 - sz * h1) / ((pz - sz) * h1)
    } else {
        (pn - sz) * h2 / (v * v - pz * h1 - sz * h2)
    };
    (v, ratio)
}

#[test]
fn plane_waves_run_at_the_phase_velocity_of_theory() {
    // Twelve points per wavelength, a short step: what is left is the dispersion of order 8.
    let (d, dt_s, steps) = (10.0, 2e-4, 80);
    let n = [25; 3];
    let centre = middle(n);
    for (theta, phi) in [(0.0, 0.0), (0.4, 1.0), (0.785, 1.0), (1.2, 2.5), (1.57, 0.3)] {
        let medium = Medium::with_sigma(3000.0, [0.24, 0.1], [phi, theta]);
        let model = Model::from_fn(VolumeLayout::new(n, [d; 3]), |_| medium);
        for (polar, azimuth) in
            [(0.0, 0.0), (0.5, 0.7), (FRAC_PI_2, 0.0), (FRAC_PI_2, FRAC_PI_2), (2.2, 4.0)]
        {
            let (sin, cos) = f64::sin_cos(polar);
            let direction = [sin * f64::cos(azimuth), sin * f64::sin(azimuth), cos];
            let (v, ratio) = plane_wave(&medium, direction);
            let k = 2.0 * PI / (12.0 * d);
            let w = v * k;
            let field = |t: f64, scale: f64| {
                let mut volume = vec![0f32; model.layout.len()];
                for at in model.layout.each_point() {
                    let along: f64 =
                        (0..3).map(|a| direction[a] * (at[a] as f64 - centre[a] as f64) * d).sum();
                    volume[model.layout.index(at)] = (scale * (k * along - w * t).cos()) as f32;
                }
                volume
            };
            let now = [field(0.0, 1.0), field(0.0, ratio)];
            let before = [field(-dt_s, 1.0), field(-dt_s, ratio)];
            let mut cpu = Cpu::new(&model, Method::Best, dt_s, centre, 0).unwrap();
            cpu.set_fields([&now[0], &now[1]], [&before[0], &before[1]]).unwrap();
            cpu.advance(&vec![0.0; steps]).unwrap();
            let [p, q] = cpu.fields().unwrap();
            // The faces have not been heard of in the middle yet: 16 ms at 3650 m/s are 6 points.
            let t = steps as f64 * dt_s;
            let at = model.layout.index(centre);
            for (found, scale) in [(p[at], 1.0), (q[at], ratio)] {
                let error = f64::from(found) - scale * (w * t).cos();
                assert!(
                    error.abs() < 0.01 * scale.abs().max(0.5),
                    "axis {theta} {phi}, wave {polar} {azimuth}: error {error:.4} at v = {v:.0}"
                );
            }
        }
    }
}

#[test]
fn phase_velocities_along_and_across_the_axis() {
    let m = Form::Tti.medium();
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-3 * b, "{a} {b}");
    let [along, shear] = m.phase_velocities(0.0);
    close(along, 3000.0);
    close(shear, f64::from(m.vsv));
    let [across, shear] = m.phase_velocities(FRAC_PI_2);
    close(across, 3000.0 * 1.48f64.sqrt());
    close(shear, f64::from(m.vsv));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_angle_is_faster_than_the_bound(
        vpz in 0f32..4000.0, vsv in 0f32..4000.0, epsilon in -0.2f32..0.5, delta in -0.2f32..0.5,
    ) {
        let medium = Medium { vpz, vsv, epsilon, delta, phi: 0.0, theta: 0.0 };
        let bound = medium.fastest_mps() * (1.0 + 1e-6) + 1e-6;
        for k in 0..=60 {
            let [fast, slow] = medium.phase_velocities(FRAC_PI_2 * f64::from(k) / 60.0);
            prop_assert!(fast <= bound && slow <= fast, "{} > {}", fast, bound);
        }
    }

    #[test]
    fn six_numbers_of_a_point_are_its_seven(
        vpz in prop_oneof![Just(0f32), 1f32..4000.0], vsv in prop_oneof![Just(0f32), 1f32..4000.0],
        phi in -4f32..4.0, theta in -2f32..2.0,
    ) {
        let medium = Medium { vpz, vsv, epsilon: 0.24, delta: 0.1, phi, theta };
        let d_m = [10.0, 12.5, 11.0];
        let [x, y, z, shear] = medium.axis_and_shear(DT_S, d_m).map(f64::from);
        let (axis, along) = (medium.axis(), [x * d_m[0], y * d_m[1], z * d_m[2]]);
        let v2 = along.iter().map(|a| a * a).sum::<f64>() / (DT_S * DT_S);
        let [_, v2pz, v2sz, _] = medium.squares().map(f64::from);
        // Without a P wave, one of a millionth of the S wave's velocity.
        prop_assert!((v2 - v2pz).abs() <= 1e-6 * v2pz + 1.1e-12 * v2sz);
        prop_assert!((v2 * shear - v2sz).abs() <= 1e-6 * v2sz);
        let length = v2.sqrt() * DT_S;
        for (along, axis) in along.into_iter().zip(axis) {
            prop_assert!((along - length * f64::from(axis)).abs() <= 1e-6 * length);
        }
    }

    #[test]
    fn volumes_have_room_for_every_neighbour(nx in 1usize..40, ny in 1usize..20, nz in 1usize..20) {
        let layout = VolumeLayout::new([nx, ny, nz], D_M);
        prop_assert_eq!(layout.index([0, 0, 0]) % 32, 0);
        prop_assert!(layout.index([0, 0, 0]) >= BORDER * (layout.plane + layout.row) + BORDER);
        let last = layout.index([nx - 1, ny - 1, nz - 1]);
        prop_assert!(last + BORDER * (layout.plane + layout.row) + BORDER < layout.len());
        prop_assert!(layout.width() + 2 * BORDER <= layout.row);
    }
}

#[test]
fn the_bound_of_the_time_step_is_where_fields_begin_to_grow() {
    // For an isotropic medium the bound is exact: that of the fastest wave of the grid.
    let model = Model::from_fn(VolumeLayout::new([16; 3], D_M), |_| Form::Iso.medium());
    let limit = model.dt_max_s();
    assert!(model.check(0.999 * limit).is_ok());
    let text = model.check(1.001 * limit).unwrap_err().to_string();
    assert!(
        text.contains("not stable") && text.contains(&format!("dt of at most {limit:.6} s")),
        "{text}"
    );
    assert!(model.check(0.0).is_err() && model.check(f64::NAN).is_err());
    // Just below the bound nothing grows; just above it, everything does.
    let mut peak = [0f32; 2];
    for (peak, share) in peak.iter_mut().zip([0.995, 1.02]) {
        let mut cpu = Cpu::new(&model, Method::Best, 0.9 * limit, [8; 3], 0).unwrap();
        cpu.set_dt_unchecked(share * limit);
        cpu.advance(&samples(1)).unwrap();
        cpu.advance(&[0.0; 600]).unwrap();
        let [p, _] = cpu.fields().unwrap();
        *peak =
            p.iter().fold(0f32, |m, v| if v.is_finite() { m.max(v.abs()) } else { f32::INFINITY });
    }
    assert!(peak[0] < 10.0 && peak[1] > 1e6, "{peak:?}");
}

#[test]
fn media_that_cannot_be_are_refused() {
    let layout = VolumeLayout::new([8; 3], D_M);
    let refused = |change: fn(&mut Medium), what: &str| {
        let model = Model::from_fn(layout, |at| {
            let mut medium = Form::Tti.medium();
            if at == [3, 4, 5] {
                change(&mut medium);
            }
            medium
        });
        let text = model.check(DT_S).unwrap_err().to_string();
        assert!(
            text.contains("[3, 4, 5]") && text.contains(what) && text.contains("fix: "),
            "{text}"
        );
    };
    refused(|m| m.vpz = f32::NAN, "must be numbers");
    refused(|m| m.vsv = -1.0, "not negative");
    refused(|m| m.epsilon = -0.6, "-0.5");
    refused(|m| (m.delta, m.vsv) = (0.4, 0.0), "vsv of at least");
    // As the last fix says.
    let enough = Medium { delta: 0.4, ..Form::Tti.medium() };
    let enough = Medium { vsv: 750.0, ..enough };
    assert!(Model::from_fn(layout, |_| enough).check(DT_S).is_ok());
    let text = Cpu::new(&Model::from_fn(layout, |_| enough), Method::Best, DT_S, [8, 0, 0], 0);
    assert!(text.err().unwrap().to_string().contains("[8, 0, 0]"));
}

fn energy_stays_bounded(steps: usize) {
    let model = Model::fletcher(Form::Tti, [10, 12, 9], 6, D_M);
    let mut cpu = Cpu::new(&model, Method::Best, DT_S, middle(model.layout.n), 0).unwrap();
    cpu.advance(&samples(150)).unwrap();
    let energy = |cpu: &mut Cpu| -> f64 {
        let fields = cpu.fields().unwrap();
        fields.iter().flatten().map(|v| f64::from(*v).powi(2)).sum()
    };
    // Over some steps, since p and q go up and down together.
    let mean = |cpu: &mut Cpu| -> f64 {
        (0..20)
            .map(|_| {
                cpu.advance(&[0.0; 5]).unwrap();
                energy(cpu)
            })
            .sum::<f64>()
            / 20.0
    };
    let early = mean(&mut cpu);
    cpu.advance(&vec![0.0; steps]).unwrap();
    let late = mean(&mut cpu);
    assert!(
        late.is_finite() && late < 10.0 * early && late > 0.01 * early,
        "{early:.3e} {late:.3e}"
    );
}

#[test]
fn energy_stays_bounded_over_hundreds_of_steps() {
    energy_stays_bounded(500);
}

#[test]
#[ignore = "long: ten seconds; energy_stays_bounded_over_hundreds_of_steps is the same"]
fn energy_stays_bounded_over_thousands_of_steps() {
    energy_stays_bounded(4000);
}

#[test]
fn base_and_best_agree_on_the_cpu() {
    kept::once!();
    for model in [
        Model::from_fn(VolumeLayout::new([37, 19, 23], [10.0, 12.5, 11.0]), mixed_medium),
        Model::fletcher(Form::Tti, [12, 9, 14], 5, D_M),
        Model::fletcher(Form::Vti, [9, 17, 10], 4, D_M),
        Model::fletcher(Form::Iso, [20, 3, 8], 0, D_M),
    ] {
        let base = on_cpu(&model, Method::Base, 300);
        assert_close(&base, &on_cpu(&model, Method::Best, 300), 1e-5);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn all_registers_give_the_same_bits(
        nx in prop_oneof![1usize..60, 250usize..290], ny in 1usize..22, nz in 1usize..20,
    ) {
        let n = [nx, ny, nz];
        let model = Model::from_fn(VolumeLayout::new(n, [10.0, 12.5, 11.0]), mixed_medium);
        let mut all = march::all_marches().into_iter().map(|march| {
            let mut cpu = Cpu::new(&model, Method::Best, DT_S, middle(n), 1).unwrap();
            cpu.set_march(march);
            after(&model, &mut cpu, 6).map(|f| f.into_iter().map(f32::to_bits).collect::<Vec<_>>())
        });
        let plain = all.next().unwrap();
        prop_assert!(plain.iter().flatten().any(|bits| *bits != 0));
        for other in all {
            prop_assert_eq!(&other, &plain);
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let model = Model::from_fn(VolumeLayout::new([21, 11, 40], D_M), mixed_medium);
    let all = [1, 2, 3].map(|threads| {
        let mut cpu = Cpu::new(&model, Method::Best, DT_S, [10, 5, 20], threads).unwrap();
        after(&model, &mut cpu, 60)
    });
    assert!(all[0] == all[1] && all[1] == all[2]);
}

/// Ahead of the wave values fall off to nothing, by ten orders of magnitude in a few points.
#[test]
fn no_value_is_subnormal() {
    let model = Model::from_fn(VolumeLayout::new([60, 24, 24], D_M), mixed_medium);
    for method in [Method::Base, Method::Best] {
        let fields = on_cpu(&model, method, 7);
        for p in fields.iter().flatten() {
            assert!(*p == 0.0 || p.abs() >= 1e-24, "{}: {p:e}", method.name());
        }
        assert!(fields.iter().all(|field| field.iter().any(|p| p.abs() > 1e-12)));
    }
}

/// Tiles of the best step: rows and planes that are no multiple of four, several tiles along x and
/// y, parts of the planes, and rows of the medium that are stored once or not.
#[test]
fn tiles_of_any_size_agree() {
    for (n, threads) in [([300, 5, 6], 1), ([17, 1, 1], 2), ([5, 22, 70], 3), ([400, 9, 3], 2)] {
        let layout = VolumeLayout::new(n, [10.0, 12.5, 11.0]);
        let layers = |[_, y, z]: [usize; 3]| mixed_medium([0, y / 3, z / 2]);
        for model in [Model::from_fn(layout, mixed_medium), Model::from_fn(layout, layers)] {
            let base = on_cpu(&model, Method::Base, 40);
            let mut best = Cpu::new(&model, Method::Best, DT_S, middle(n), threads).unwrap();
            assert_close(&base, &after(&model, &mut best, 40), 1e-5);
        }
    }
}

/// On the device, against the CPU. The kernels run in the emulator, which finds races, accesses out
/// of bounds and reads of what was never written; any of them fails the launch.
#[cfg(feature = "cuda")]
fn device_agrees(kernel: Kernel, n: [usize; 3], steps: usize) {
    let model = Model::from_fn(VolumeLayout::new(n, [10.0, 12.5, 11.0]), mixed_medium);
    let expected = on_cpu(&model, Method::Base, steps);
    let mut gpu = Gpu::new(&model, kernel.clone(), DT_S, middle(n)).unwrap();
    let found = after(&model, &mut gpu, steps);
    assert_close(&expected, &found, 1e-5);
    assert!(gpu.take_findings().is_empty(), "{}", kernel.label());
    for report in gpu.take_reports() {
        assert!(!report.races_given_up, "{}", kernel.label());
    }
}

/// Each kernel by itself: how a block, and a wave that meets every face, lies in it.
#[cfg(feature = "cuda")]
fn method_agrees(method: Method, steps: usize) {
    let (rows, n) = match method {
        Method::Base => (2, [34, 5, 6]),
        Method::Shared => (4, [34, 6, 6]),
        Method::SharedQueue | Method::Best => (4, [34, 6, 7]),
    };
    device_agrees(Kernel::new(method).with_block(32, rows), n, steps);
}

#[cfg(feature = "cuda")]
#[test]
fn the_base_kernel_agrees_with_the_cpu() {
    method_agrees(Method::Base, 30);
}

#[cfg(feature = "cuda")]
#[test]
fn the_shared_memory_kernel_agrees_with_the_cpu() {
    method_agrees(Method::Shared, 30);
}

#[cfg(feature = "cuda")]
#[test]
fn the_queue_of_planes_agrees_with_the_cpu() {
    method_agrees(Method::SharedQueue, 30);
}

#[cfg(feature = "cuda")]
#[test]
fn the_best_kernel_agrees_with_the_cpu() {
    method_agrees(Method::Best, 40);
}

#[cfg(feature = "cuda")]
#[test]
#[ignore = "long: tens of seconds; each kernel has a test of fewer steps"]
fn every_kernel_agrees_with_the_cpu_over_hundreds_of_steps() {
    Method::ALL.into_iter().for_each(|method| method_agrees(method, 200));
}

#[cfg(feature = "cuda")]
#[test]
fn every_shape_of_the_best_kernel_agrees_with_the_cpu() {
    kept::once!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels"));
    for (block, chunk, options) in [
        ([32, 8], 3, &["-DUNROLL=1"][..]),
        ([8, 8], 5, &["-DUNROLL=9"]),
        ([16, 2], 1, &[]),
        ([64, 2], 4, &["-DASYNC=1"]),
    ] {
        let [x, y] = block;
        let kernel = Kernel::new(Method::Best).with_block(x, y).with_chunk(chunk);
        device_agrees(kernel.with_options(options), [19, 9, 11], 20);
    }
    for (method, chunk) in [(Method::Base, 2), (Method::Shared, 3), (Method::SharedQueue, 3)] {
        let kernel = Kernel::new(method).with_block(16, 4).with_chunk(chunk);
        let other = !kernel.strides;
        device_agrees(kernel.with_strides(other), [19, 5, 7], 20);
    }
}

/// Every OpenCL kernel on one device against the CPU. Shapes are those that the device has, small
/// ones else.
#[cfg(feature = "opencl")]
fn opencl_agrees(device: &rtm::opencl::Device, cases: &[(Kernel, [usize; 3])], steps: usize) {
    for (kernel, n) in cases {
        let model = Model::from_fn(VolumeLayout::new(*n, [10.0, 12.5, 11.0]), mixed_medium);
        let expected = on_cpu(&model, Method::Base, steps);
        let mut cl = opencl::OpenCl::new(device, &model, kernel.clone(), DT_S, middle(*n)).unwrap();
        // In two parts: the second begins with the levels exchanged, or not.
        let all = samples(steps);
        let (early, late) = all.split_at(steps / 2);
        let seconds = cl.advance(early).unwrap() + cl.advance(late).unwrap();
        assert!(seconds > 0.0, "{}", cl.name());
        let found = cl.fields().unwrap().map(|field| model.layout.inner(&field));
        for (expected, found) in expected.iter().zip(&found) {
            let d = difference(expected, found);
            assert!(d < 1e-5, "{}: relative difference {d:.2e}", cl.name());
        }
    }
}

/// The emulated device finds races, accesses out of bounds and reads of what was never written; any
/// of them fails the launch.
#[cfg(feature = "opencl")]
#[test]
fn every_opencl_kernel_agrees_with_the_cpu_on_the_emulated_device() {
    kept::once!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels"));
    let device = rtm::opencl::Device::select("simt").unwrap();
    let cases = Method::ALL.map(|m| (Kernel::new(m).with_block(32, 4).with_chunk(0), [34, 6, 6]));
    opencl_agrees(&device, &cases, 31);
    let odd = Method::ALL.map(|m| (Kernel::new(m).with_block(16, 2).with_chunk(3), [19, 5, 7]));
    opencl_agrees(&device, &odd, 20);
}

#[cfg(feature = "opencl")]
#[test]
fn every_opencl_kernel_agrees_with_the_cpu_on_pocl() {
    let device = match rtm::opencl::Device::select("pocl") {
        Ok(device) => device,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            eprintln!("skipped: {error}");
            return;
        }
    };
    kept::once!(loaded; concat!(env!("CARGO_MANIFEST_DIR"), "/kernels"));
    let local = device.limits.local_bytes;
    let cases = Method::ALL.map(|m| (Kernel::opencl(m, local), [37, 19, 23]));
    opencl_agrees(&device, &cases, 101);
}

#[cfg(any(feature = "cuda", feature = "opencl"))]
#[test]
fn kernels_that_do_not_fit_are_refused() {
    let kernel = Kernel::new(Method::SharedQueue);
    assert_eq!(kernel.clone().within(232_448).block, [32, 16]);
    assert_eq!(kernel.within(48 << 10).block, [32, 4]);
    let best = Kernel::new(Method::Best).with_block(64, 4);
    assert_eq!(best.local_bytes(), 40_704);
    assert_eq!(best.within(32 << 10).block, [64, 2]);
    assert_eq!(Kernel::opencl(Method::Best, 32 << 10).block, [32, 4]);
    let layout = VolumeLayout::new([100; 3], D_M);
    let refused = |kernel: Kernel, free: u64, what: &str| {
        let text = kernel.check(&layout, free, 1024).unwrap_err().to_string();
        assert!(text.contains(what), "{text}");
    };
    refused(Kernel::new(Method::Best).with_block(64, 32), u64::MAX, "blocks of 64 x 32");
    refused(Kernel::new(Method::Best).with_block(0, 4), u64::MAX, "1 to 1024");
    refused(Kernel::new(Method::Base), 1 << 20, "or take --method best");
    refused(Kernel::new(Method::Best), 1 << 20, "10 volumes");
}

/// One step of the mini-app's equations as they stand, point by point in double precision: an
/// oracle that shares with the implementations only the coefficients.
fn oracle(model: &Model, steps: usize) -> [Vec<f32>; 2] {
    const SECOND: [f64; 5] = [-205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0];
    const FIRST: [f64; 5] = [0.0, 4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let VolumeLayout { n, d_m, .. } = model.layout;
    let at = |[x, y, z]: [i64; 3]| -> Option<usize> {
        let inside = [x, y, z].iter().zip(n).all(|(i, n)| (0..n as i64).contains(i));
        inside.then(|| (z as usize * n[1] + y as usize) * n[0] + x as usize)
    };
    let value = |f: &[f64], place: [i64; 3]| at(place).map_or(0.0, |i| f[i]);
    let signed = |l: i64| FIRST[l.unsigned_abs() as usize] * l.signum() as f64;
    // The second derivative along axes a and b.
    let derivative = |f: &[f64], place: [i64; 3], a: usize, b: usize| -> f64 {
        let mut sum = 0.0;
        for i in -4..=4 {
            let mut there = place;
            there[a] += i;
            if a == b {
                sum += SECOND[i.unsigned_abs() as usize] * value(f, there);
            } else {
                for j in -4..=4 {
                    let mut corner = there;
                    corner[b] += j;
                    sum += signed(i) * signed(j) * value(f, corner);
                }
            }
        }
        sum / (d_m[a] * d_m[b])
    };
    let zeros = || vec![0f64; model.layout.points()];
    let (mut now, mut old) = ([zeros(), zeros()], [zeros(), zeros()]);
    let source = at(middle(n).map(|i| i as i64)).unwrap();
    for sample in samples(steps) {
        now.iter_mut().for_each(|f| f[source] += f64::from(sample));
        let mut next = [zeros(), zeros()];
        for (i, [x, y, z]) in model.layout.each_point().enumerate() {
            let medium = &model.points[i];
            let (sin_t, cos_t) = f64::from(medium.theta).sin_cos();
            let (sin_p, cos_p) = f64::from(medium.phi).sin_cos();
            let place = [x as i64, y as i64, z as i64];
            let [[h1p, h2p], [h1q, h2q]] = now.each_ref().map(|f| {
                let d = |a, b| derivative(f, place, a, b);
                let (xx, yy, zz) = (d(0, 0), d(1, 1), d(2, 2));
                let h1 = sin_t * sin_t * cos_p * cos_p * xx
                    + sin_t * sin_t * sin_p * sin_p * yy
                    + cos_t * cos_t * zz
                    + sin_t * sin_t * (2.0 * f64::from(medium.phi)).sin() * d(0, 1)
                    + (2.0 * f64::from(medium.theta)).sin() * sin_p * d(1, 2)
                    + (2.0 * f64::from(medium.theta)).sin() * cos_p * d(0, 2);
                [h1, xx + yy + zz - h1]
            });
            let vpz2 = f64::from(medium.vpz).powi(2);
            let vpx2 = vpz2 * (1.0 + 2.0 * f64::from(medium.epsilon));
            let vpn2 = vpz2 * (1.0 + 2.0 * f64::from(medium.delta));
            let vsz2 = f64::from(medium.vsv).powi(2);
            let p_tt = vpx2 * h2p + vpz2 * h1q + vsz2 * (h1p - h1q);
            let q_tt = vpn2 * h2p + vpz2 * h1q - vsz2 * (h2p - h2q);
            next[0][i] = 2.0 * now[0][i] - old[0][i] + DT_S * DT_S * p_tt;
            next[1][i] = 2.0 * now[1][i] - old[1][i] + DT_S * DT_S * q_tt;
        }
        old = std::mem::replace(&mut now, next);
    }
    now.map(|f| f.iter().map(|v| *v as f32).collect())
}

#[test]
fn base_is_the_equations_in_double_precision_to_rounding() {
    for (n, d_m) in [([13, 11, 12], [12.5, 11.0, 13.0]), ([18, 5, 7], [10.0, 12.5, 11.0])] {
        let model = Model::from_fn(VolumeLayout::new(n, d_m), mixed_medium);
        let steps = 12;
        let expected = oracle(&model, steps);
        for method in [Method::Base, Method::Best] {
            let found = on_cpu(&model, method, steps);
            assert_close(&found, &expected, 2.0 * steps as f64 * f64::from(f32::EPSILON));
        }
    }
}

#[test]
fn the_mini_app_writes_snapshots_and_its_report() {
    let case =
        Case { form: Form::Tti, n: [12, 10, 8], absorb: 3, d_m: D_M, dt_s: DT_S, tmax_s: 0.035 };
    assert_eq!((case.steps(), case.source()), (35, [9, 8, 7]));
    let model = case.model();
    let dir = tempfile::tempdir().unwrap();
    let mut cpu = Cpu::new(&model, Method::Best, case.dt_s, case.source(), 0).unwrap();
    let report = fletcher::run(&case, &mut cpu, Some(dir.path())).unwrap();
    let header = std::fs::read_to_string(dir.path().join("TTI.rsf")).unwrap();
    for line in
        ["in=\"./TTI.rsf@\"", "n1=26", "n2=24", "n3=22", "n4=4", "d1=12.500000", "d4=0.001000"]
    {
        assert!(header.lines().any(|l| l == line), "{line}: {header}");
    }
    // At rest and every 10 ms; the last is that of step 30.
    let values = std::fs::read(dir.path().join("TTI.rsf@")).unwrap();
    let grid = 26 * 24 * 22;
    assert_eq!(values.len(), 4 * 4 * grid);
    let mut again = Cpu::new(&model, Method::Best, case.dt_s, case.source(), 0).unwrap();
    let wave: Vec<f32> = (0..30).map(|k| source(k as f64 * case.dt_s)).collect();
    again.advance(&wave).unwrap();
    let [p, _] = again.fields().unwrap();
    let last = &values[3 * 4 * grid..];
    for [x, y, z] in model.layout.each_point() {
        let at = 4 * (((z + 4) * 24 + y + 4) * 26 + x + 4);
        let value = f32::from_le_bytes(last[at..at + 4].try_into().unwrap());
        assert_eq!(value, p[model.layout.index([x, y, z])]);
    }
    let text = report.text(&case);
    assert!(text.contains("Execution time (s) is ") && text.contains("\nMSamples/s "), "{text}");
    assert!(report.csv(&case).starts_with("sx; 26; sy; 24; sz; 22; bord; 4;  st; 35; \n"));
}

#[test]
fn the_random_boundary_is_that_of_the_mini_app() {
    let (n, absorb) = ([10, 8, 9], 4);
    let model = Model::fletcher(Form::Tti, n, absorb, D_M);
    let inner = Form::Tti.medium();
    let mut rand = libc_rand::LibcRand::new(1);
    let r = rand.next() as f32 / libc_rand::LibcRand::MAX as f32;
    // The corner is as deep as can be: all random.
    assert_eq!(model.points[0].vpz, inner.vpz * r);
    for (medium, at) in model.points.iter().zip(model.layout.each_point()) {
        let depth = (0..3)
            .map(|a| absorb.saturating_sub(at[a]).max((at[a] + 1).saturating_sub(absorb + n[a])))
            .max()
            .unwrap();
        let d = depth as f32 / absorb as f32;
        assert!(medium.vpz <= inner.vpz && medium.vpz >= inner.vpz * (1.0 - d) * 0.9999);
        assert_eq!((medium.epsilon, medium.delta), (inner.epsilon, inner.delta));
        assert_eq!(depth == 0, *medium == inner, "{at:?}");
    }
}

#[test]
fn wrong_arguments_are_refused_by_name() {
    let good = Case { form: Form::Iso, n: [8; 3], absorb: 0, d_m: D_M, dt_s: 1e-3, tmax_s: 0.01 };
    assert!(good.check().is_ok());
    let refused = |case: Case, name: &str| {
        let text = case.check().unwrap_err().to_string();
        assert!(text.contains(name) && text.contains("fix: "), "{text}");
    };
    refused(Case { n: [8, 0, 8], ..good.clone() }, "NX, NY, NZ");
    refused(Case { d_m: [12.5, -1.0, 12.5], ..good.clone() }, "DY");
    for n in [[1 << 20; 3], [usize::MAX, 8, 8]] {
        let text = Case { n, ..good.clone() }.check().unwrap_err().to_string();
        assert!(text.contains("GiB are free: make the model smaller"), "{text}");
    }
    refused(Case { dt_s: f64::NAN, ..good.clone() }, "DT");
    refused(Case { tmax_s: 0.0, ..good.clone() }, "TMAX");
    refused(Case { tmax_s: 1e9, ..good }, "TMAX = 1000000000 with DT");
    assert!("tti".parse::<Form>().unwrap_err().to_string().contains("ISO, VTI or TTI"));
    assert!("fast".parse::<Method>().is_err());
}
