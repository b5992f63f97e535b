//! Tests that look inside the engine.

use super::*;
use crate::Grid;
use crate::plan::FaceKind;
use proptest::prelude::*;

fn step(prev: Field, cur: Field, layers: Option<Layers>) -> Step {
    Step { prev, cur, next: prev, boundary: layers.into(), region: Region::All }
}

/// An engine of constant velocity whose fields hold noise.
fn noisy(cpu: &Cpu, plan: &Plan) -> CpuEngine<'static, f32> {
    let velocity =
        Cube::from_fn(plan.grid, |p| 1500.0 + ((p[0] * 7 + p[1] * 5 + p[2] * 3) % 11) as f32);
    // The engine outlives this function only in tests.
    let cpu: &'static Cpu = Box::leak(Box::new(Cpu { pool: None, tile: cpu.tile }));
    let mut engine = CpuEngine::new(cpu, plan, &velocity).unwrap();
    for seed in 0..2u64 {
        let field = engine.new_field().unwrap();
        for ix in 0..plan.grid.n[0] {
            for iy in 0..plan.grid.n[1] {
                for (iz, p) in engine.fields[field.0].row_mut(ix, iy).iter_mut().enumerate() {
                    let i = plan.grid.index([ix, iy, iz]) as u64;
                    *p = crate::random::counter(1, i, seed) as f32 - 0.5;
                }
            }
        }
    }
    engine
}

/// A step by the definition: everything outside of the grid is 0, sums in any order, double
/// precision.
fn plain_step(cur: &Cube<f32>, prev: &Cube<f32>, v2dt2: &Cube<f32>, order: usize) -> Cube<f64> {
    let c = crate::fd::second(order);
    let at = |p: [usize; 3], axis: usize, l: isize| {
        let mut q = p;
        q[axis] = p[axis].wrapping_add_signed(l);
        if cur.grid.contains(q) { f64::from(cur.at(q)) } else { 0.0 }
    };
    Cube::from_fn(cur.grid, |p| {
        let mut lap = 0.0;
        for axis in 0..3 {
            let mut sum = c[0] * at(p, axis, 0);
            for l in 1..c.len() as isize {
                sum += c[l as usize] * (at(p, axis, l) + at(p, axis, -l));
            }
            lap += sum / cur.grid.d_m[axis].powi(2);
        }
        2.0 * f64::from(cur.at(p)) - f64::from(prev.at(p)) + f64::from(v2dt2.at(p)) * lap
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_step_is_its_definition(
        n in [1usize..24, 1usize..24, 1usize..40], half in 1usize..=8,
        tile in [1usize..9, 1usize..9],
        other in any::<bool>(),
    ) {
        let order = 2 * half;
        let mut plan = Plan::new(Grid::new(n, [10.0, 12.0, 8.0]), order, 5e-4, 10, 10.0);
        plan.layers = 0;
        let mut e = noisy(&Cpu::new().with_tile(tile[0], tile[1]), &plan);
        let (prev, cur) = (Field(0), Field(1));
        let (a, b) = (e.read(prev).unwrap(), e.read(cur).unwrap());
        let want = plain_step(&b, &a, &e.model.to_cube(plan.grid), order);
        let next = if other { e.new_field().unwrap() } else { prev };
        e.step(Step { next, ..step(prev, cur, None) }).unwrap();
        let found = e.read(next).unwrap();
        for i in 0..plan.grid.len() {
            let error = (f64::from(found.values[i]) - want.values[i]).abs();
            let most = 64.0 * f64::from(f32::EPSILON);
            prop_assert!(error <= most, "{:?}: {error:e}", plan.grid.point(i));
        }
        if other {
            prop_assert_eq!(e.read(prev).unwrap(), a);
        }
        // The padding is still zero.
        let rows = plan.grid.len();
        let zeros = e.fields[next.0].elements().iter().filter(|v| **v == 0.0).count();
        prop_assert!(zeros >= e.fields[next.0].elements().len() - rows);
    }

    #[test]
    fn no_result_depends_on_the_tiles(
        layers in 1usize..7, more in [1usize..12, 1usize..12, 1usize..12], half in 1usize..=8,
        tile in [1usize..20, 1usize..20],
        faces in any::<[bool; 6]>(),
    ) {
        let n = more.map(|m| m + 2 * layers);
        let mut plan = Plan::new(Grid::new(n, [10.0, 11.0, 9.0]), 2 * half, 8e-4, 10, 10.0);
        (plan.layers, plan.faces) = (layers, faces.map(FaceKind::absorbing_if));
        let run = |cpu: Cpu| {
            let mut e = noisy(&cpu, &plan);
            let layers = e.new_layers().unwrap();
            for k in 0..6 {
                e.step(step(Field(k % 2), Field((k + 1) % 2), Some(layers))).unwrap();
            }
            [Field(0), Field(1)].map(|f| e.read(f).unwrap())
        };
        let whole = run(Cpu::new().with_tile(1000, 1000));
        prop_assert!(whole[0].values.iter().all(|v| v.is_finite()));
        prop_assert_eq!(&run(Cpu::new().with_tile(tile[0], tile[1])), &whole);
        prop_assert_eq!(&run(Cpu::new()), &whole);
    }
}

/// Those that this processor has, beside single values.
fn registers() -> Vec<tile::Registers> {
    #[cfg(target_arch = "x86_64")]
    let has = [is_x86_feature_detected!("avx2"), is_x86_feature_detected!("avx512bw")];
    #[cfg(not(target_arch = "x86_64"))]
    let has = [true; 2];
    let kinds = [tile::Registers::Avx2, tile::Registers::Avx512];
    kinds.into_iter().zip(has).filter_map(|(kind, has)| has.then_some(kind)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    /// Layers of one block and of more, at any place in a block; a free surface or none; a volume
    /// or a plane.
    #[test]
    fn all_registers_step_alike(
        layers in 1usize..20, more in [1usize..6, 1usize..6, 1usize..40], half in 1usize..=8,
        faces in any::<[bool; 6]>(), surface in any::<bool>(), plane in any::<bool>(),
    ) {
        let mut n = more.map(|m| m + 2 * layers);
        n[1] = if plane { 1 } else { n[1] };
        let mut plan = Plan::new(Grid::new(n, [10.0, 11.0, 9.0]), 2 * half, 8e-4, 10, 10.0);
        (plan.layers, plan.faces) = (layers, faces.map(FaceKind::absorbing_if));
        if surface && n[2] >= plan.order {
            plan.faces[Face::Top as usize] = FaceKind::FreeSurface;
        }
        if plane {
            (plan.plane, plan.strategy) = (true, crate::plan::Strategy::StoreAll);
            plan.faces[Face::Back as usize] = FaceKind::Reflecting;
            plan.faces[Face::Front as usize] = FaceKind::Reflecting;
        }
        let run = |registers: tile::Registers| {
            let mut e = noisy(&Cpu::new(), &plan);
            e.registers = registers;
            let layers = e.new_layers().unwrap();
            for k in 0..4 {
                e.step(step(Field(k % 2), Field((k + 1) % 2), Some(layers))).unwrap();
            }
            [Field(0), Field(1)].map(|f| e.read(f).unwrap())
        };
        let plain = run(tile::Registers::Plain);
        for kind in registers() {
            prop_assert_eq!(&run(kind), &plain, "{:?}", kind);
        }
    }
}

/// psi by its definition as a convolution: `psi(n) = sum_m a^(n-m) b d(p(m))`.
#[test]
fn the_recursion_is_a_convolution() {
    let (layers, order) = (5, 4);
    let mut plan = Plan::new(Grid::new([16, 15, 17], [10.0, 11.0, 9.0]), order, 8e-4, 30, 10.0);
    plan.layers = layers;
    let mut e = noisy(&Cpu::new().with_tile(100, 100), &plan);
    let state = e.new_layers().unwrap();
    let grid = plan.grid;
    let (c, d) = (crate::fd::second(order), crate::fd::first(order));
    let odd =
        |f: &dyn Fn(isize) -> f64| (1..=2).map(|l| d[l as usize] * (f(l) - f(-l))).sum::<f64>();
    let even = |f: &dyn Fn(isize) -> f64| {
        c[0] * f(0) + (1..=2).map(|l| c[l as usize] * (f(l) + f(-l))).sum::<f64>()
    };
    let mut history: Vec<Cube<f32>> = Vec::new();
    for k in 0..8 {
        let (cur, next) = (Field((k + 1) % 2), Field(k % 2));
        history.push(e.read(cur).unwrap());
        let before = e.read(next).unwrap();
        let want = plain_step(&history[k], &before, &e.model.to_cube(grid), order);
        e.step(step(next, cur, Some(state))).unwrap();
        let found = e.read(next).unwrap();
        // One line through the middle along each axis, so that only one axis' layers are felt.
        for axis in 0..3 {
            let n = grid.n[axis] as isize;
            let spacing = grid.d_m[axis];
            let line = |m: usize, i: isize| {
                let mut p = grid.n.map(|n| n / 2);
                p[axis] = i as usize;
                if (0..n).contains(&i) { f64::from(history[m].at(p)) } else { 0.0 }
            };
            let depth = |i: isize| (layers as isize - i).max(i + 1 + layers as isize - n);
            let ab = |i: isize| {
                let t = layers as f64 * spacing;
                cpml::coefficients(depth(i) as f64 / layers as f64, t, 1510.0, 10.0, 8e-4)
            };
            // In its own layer: at both ends of the line the layers do not overlap.
            let psi = |m: usize, i: isize, end: bool| -> f64 {
                let inside = (0..n).contains(&i) && depth(i) > 0 && (i > n / 2) == end;
                if !inside {
                    return 0.0;
                }
                let (a, b) = ab(i);
                (0..=m)
                    .map(|q| a.powi((m - q) as i32) * b * odd(&|l| line(q, i + l)) / spacing)
                    .sum()
            };
            for i in (0..n).filter(|i| depth(*i) > 0) {
                let (a, b) = ab(i);
                let end = i > n / 2;
                let d_psi = |m: usize| odd(&|l| psi(m, i + l, end)) / spacing;
                let zeta: f64 = (0..=k)
                    .map(|q| {
                        let d2 = even(&|l| line(q, i + l)) / (spacing * spacing);
                        a.powi((k - q) as i32) * b * (d2 + d_psi(q))
                    })
                    .sum();
                let mut p = grid.n.map(|n| n / 2);
                p[axis] = i as usize;
                let v2dt2 = f64::from(e.model.row(p[0], p[1])[p[2]]);
                let want = want.at(p) + v2dt2 * (d_psi(k) + zeta);
                let error = (f64::from(found.at(p)) - want).abs();
                assert!(error < 1e-5, "axis {axis}, point {i}, step {k}: {error:e}");
            }
        }
    }
}

/// sum p^2 after `steps` steps of the source in a homogeneous cube, with `change` done to the
/// layers' profiles.
fn energy_after(n: usize, layers: usize, steps: usize, change: impl Fn(&mut Profile<f32>)) -> f64 {
    let mut plan = Plan::new(Grid::uniform([n + 2 * layers; 3], 10.0), 8, 0.0009, steps + 1, 15.0);
    plan.layers = layers;
    let (cpu, velocity) = (Cpu::new(), Cube::constant(plan.grid, 1500.0));
    let mut e = CpuEngine::<f32>::new(&cpu, &plan, &velocity).unwrap();
    e.profiles.iter_mut().for_each(change);
    for (face, window) in [Face::Top, Face::Bottom].into_iter().zip(&mut e.windows) {
        *window = Window::new(&e.profiles[face as usize], face.is_max(), n + 2 * layers);
    }
    let state = e.new_layers().unwrap();
    // A Ricker wavelet of 15 Hz.
    let ricker = |k: usize| {
        let q = (std::f64::consts::PI * (15.0 * plan.dt_s * k as f64 - 1.2)).powi(2);
        ((1.0 - 2.0 * q) * (-q).exp()) as f32
    };
    let samples = (0..plan.nt).map(ricker).collect();
    let middle = plan.grid.n.map(|n| n / 2);
    let source = e.new_points(&Traces::source(plan.dt_s, middle, samples)).unwrap();
    let levels = [e.new_field().unwrap(), e.new_field().unwrap()];
    for k in 0..steps {
        let (cur, next) = (levels[k % 2], levels[(k + 1) % 2]);
        e.step(step(next, cur, Some(state))).unwrap();
        e.inject(next, source, k).unwrap();
    }
    e.energy(levels[steps % 2]).unwrap()
}

/// The misprint of the thesis' eq. 28, `a = exp(+(sigma + alpha) dt)`, explodes.
#[test]
fn the_plus_sign_diverges() {
    let right = energy_after(24, 8, 400, |_| {});
    let wrong = energy_after(24, 8, 400, |profile| {
        for (a, b) in profile.a.iter_mut().zip(&mut profile.b) {
            let ratio = *b / (*a - 1.0);
            *a = 1.0 / *a;
            *b = if ratio.is_finite() { ratio * (*a - 1.0) } else { 0.0 };
        }
    });
    assert!(right < 10.0, "{right}");
    assert!(wrong.is_nan() || wrong > 1e6, "{wrong}");
}

/// Stable at 0.99 of the largest dt, not at 1.02, for every order: growth of the checkerboard, the
/// fastest wave of the grid.
#[test]
fn the_stability_bound_is_sharp() {
    for order in crate::fd::ORDERS {
        let growth = |ratio: f64| {
            let grid = Grid::uniform([20; 3], 10.0);
            let mut plan =
                Plan::new(grid, order, crate::fd::dt_max_s(order, 10.0, 2000.0), 3, 10.0);
            plan.layers = 0;
            let cpu = Cpu::new();
            let mut e = CpuEngine::<f64>::new(&cpu, &plan, &Cube::constant(grid, 2000.0)).unwrap();
            e.model.scale(ratio * ratio);
            let mut levels = [e.new_field().unwrap(), e.new_field().unwrap()];
            for i in 0..grid.len() {
                let p = grid.point(i);
                let odd = p.iter().sum::<usize>() % 2 == 1;
                *e.fields[0].at_mut(p) = if odd { -1.0 } else { 1.0 };
            }
            let start = e.energy(levels[0]).unwrap();
            for _ in 0..400 {
                e.step(step(levels[1], levels[0], None)).unwrap();
                levels.swap(0, 1);
            }
            e.energy(levels[0]).unwrap() / start
        };
        let (stable, unstable) = (growth(0.99), growth(1.02));
        assert!(stable < 100.0, "order {order}: {stable}");
        assert!(unstable > 1e10, "order {order}: {unstable}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    /// Step, injection and image in one march are those three one after the other, bit for bit.
    #[test]
    fn one_march_is_three_passes(
        layers in 1usize..5, more in [1usize..9, 1usize..9, 1usize..9],
        tile in [1usize..9, 1usize..9],
        receivers in proptest::collection::vec([any::<u16>(), any::<u16>(), any::<u16>()], 0..30),
    ) {
        let n = more.map(|m| m + 2 * layers);
        let mut plan = Plan::new(Grid::uniform(n, 10.0), 4, 8e-4, 10, 10.0);
        (plan.layers, plan.illumination) = (layers, true);
        let point = |r: &[u16; 3]| std::array::from_fn(|a| usize::from(r[a]) % n[a]);
        let points = receivers.iter().map(point).collect();
        let mut traces = Traces::zeros(10, 8e-4, points);
        traces.samples.iter_mut().enumerate().for_each(|(i, v)| *v = (i % 17) as f32 - 8.0);
        let run = |fused: bool| {
            let mut e = noisy(&Cpu::new().with_tile(tile[0], tile[1]), &plan);
            let source = e.new_field().unwrap();
            e.copy_field(Field(0), source).unwrap();
            let state = e.new_layers().unwrap();
            let points = e.new_points(&traces).unwrap();
            for k in 0..4 {
                let s = step(Field(k % 2), Field((k + 1) % 2), Some(state));
                if fused {
                    e.step_inject_image(s, points, k, Some(source)).unwrap();
                } else {
                    e.step(s).unwrap();
                    e.inject(s.next, points, k).unwrap();
                    e.image(source, s.next).unwrap();
                }
            }
            assert_eq!(e.traces(points).unwrap(), traces);
            (e.read(Field(0)).unwrap(), e.read(Field(1)).unwrap(), e.sums().unwrap())
        };
        prop_assert_eq!(run(true), run(false));
    }
}

/// Ahead of a wave values fall off to nothing. Of what a step stores, nothing is below `TINY`.
fn tiny_values_are_stored_as_zero<T: Real>() {
    let mut plan = Plan::new(Grid::uniform([16, 15, 40], 10.0), 8, 1.5e-3, 10, 10.0);
    (plan.layers, plan.faces) = (6, [FaceKind::Absorbing; 6]);
    plan.faces[Face::Top as usize] = FaceKind::FreeSurface;
    let cpu = Cpu::new();
    let velocity = Cube::constant(plan.grid, 2000.0);
    let mut engine = CpuEngine::<T>::new(&cpu, &plan, &velocity).unwrap();
    let [prev, cur] = [engine.new_field().unwrap(), engine.new_field().unwrap()];
    let layers = engine.new_layers().unwrap();
    let largest = T::of(1e6 * T::TINY.f64());
    engine.fields[cur.0].row_mut(8, 7)[3] = largest;
    engine.fields[cur.0].row_mut(8, 7)[30] = largest;
    for k in 0..4 {
        let (prev, cur) = if k % 2 == 0 { (prev, cur) } else { (cur, prev) };
        engine.step(step(prev, cur, Some(layers))).unwrap();
        let tiles = engine.layers[layers.0].tiles();
        let faces = tiles.iter().flat_map(|tile| tile.faces.iter().flatten());
        let states = faces.flat_map(|face| [&*face.psi, &*face.zeta]);
        for values in states.chain([engine.fields[prev.0].elements()]) {
            for value in values {
                assert!(*value == T::ZERO || value.f64().abs() >= T::TINY.f64(), "{k}: {value:?}");
            }
        }
        let there = |values: &[T]| values.iter().any(|v| *v != T::ZERO);
        assert!(there(engine.fields[prev.0].elements()), "{k}");
    }
    assert!(T::of(-0.5 * T::TINY.f64()).flushed() == T::ZERO);
    assert!(T::of(f64::NAN).flushed().f64().is_nan());
}

#[test]
fn tiny_values_are_zero_in_both_precisions() {
    tiny_values_are_stored_as_zero::<f32>();
    tiny_values_are_stored_as_zero::<f64>();
}
