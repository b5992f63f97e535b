//! The OpenCL back end on a device of this machine that the tests may use: `RTM_OPENCL` (default
//! `pocl`). The wave kernels' tests are those of `rtm-studies`.
//!
//! C numbers are rows of the checklist in docs/wave-opencl.md.

use crate::held::device;
use rtm::imaging;
use rtm::metrics::relative_l2;
use rtm::opencl::OpenCl;
use rtm::opencl::device::Device;
use rtm::plan::{Generator, ImagingCondition, RandomBoundary, Replay, Strategy};
use rtm::propagate::Cpu;
use rtm::run::stack::{Stack, Summands};
use rtm::verify::problem::Problem;
use rtm::{Cube, Grid, Plan};

/// C08: a kernel that does not compile shows the compiler's words.
#[test]
fn a_build_error_shows_the_log() {
    let Some(device) = device() else { return };
    let session = rtm::opencl::Session::open(&device, false).unwrap();
    let error = session
        .program("wrong", &["kernel void f() { undeclared = 1; }"], &["A=1".into()])
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("does not compile wrong with -DA=1") && text.contains("undeclared"),
        "{text}"
    );
    let error = Device::select("no such device").unwrap_err().to_string();
    assert!(error.contains("no OpenCL device 'no such device'; known are"), "{error}");
}

/// The back end against the CPU: traces, and the images of every strategy (C45 to C47, S1 to S4).
#[test]
fn the_back_end_does_what_the_cpu_does() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS);
    let (cl, cpu) = (OpenCl::on(device.clone()), Cpu::new());
    for order in [4, 8] {
        let mut problem = Problem::lens([16, 15, 18], 5, order, 90);
        problem.plan.illumination = true;
        let shot = problem.shot::<f32>(&cpu).unwrap();
        let found = problem.shot::<f32>(&cl).unwrap();
        let error = relative_l2(&found.receivers.samples, &shot.receivers.samples);
        assert!(error < 1e-5, "traces, order {order}: {error:e}");
        let boundary = RandomBoundary { ks_rand: 20, ..RandomBoundary::default() };
        let lcg = RandomBoundary { generator: Generator::Lcg, ..boundary };
        for strategy in [
            Strategy::StoreAll,
            Strategy::Checkpoints { ks_store: 9, replay: Replay::Segment },
            Strategy::Binomial { slots: 4 },
            Strategy::SaveBoundaries,
            Strategy::RandomBoundaries(boundary),
            Strategy::RandomBoundaries(lcg),
        ] {
            let want = problem.migrate(&cpu, &shot, strategy).unwrap();
            let found = problem.migrate(&cl, &shot, strategy).unwrap();
            let plan = Plan { strategy, ..problem.plan.clone() };
            let samples = plan.nt * (1 + shot.receivers.points.len());
            let room = rtm::engine::Backend::<f32>::room(&cl).unwrap();
            assert_eq!((room.shot_bytes)(&plan, samples), found.bytes, "{strategy:?}");
            assert!(rtm::metrics::energy(&want.correlation.values) > 0.0);
            let error = relative_l2(&found.correlation.values, &want.correlation.values);
            assert!(error < 1e-5, "{strategy:?}, order {order}: {error:e}");
            for (found, want) in [
                (&found.source_energy, &want.source_energy),
                (&found.receiver_energy, &want.receiver_energy),
            ] {
                let (found, want) = (found.as_ref().unwrap(), want.as_ref().unwrap());
                assert!(relative_l2(&found.values, &want.values) < 1e-5, "{strategy:?}");
            }
        }
    }
}

/// C47: the images of S1 to S3 agree, and the memory of shells and stored levels is that of the
/// formulas.
#[test]
fn strategies_agree_on_the_device() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS);
    let cl = OpenCl::on(device.clone());
    let problem = Problem::lens([18, 17, 20], 6, 4, 110);
    let shot = problem.shot::<f32>(&cl).unwrap();
    let store = problem.migrate(&cl, &shot, Strategy::StoreAll).unwrap();
    let checkpoints = Strategy::Checkpoints { ks_store: 10, replay: Replay::EachLevel };
    let [points, shells] =
        [checkpoints, Strategy::SaveBoundaries].map(|s| problem.migrate(&cl, &shot, s).unwrap());
    for image in [&points, &shells] {
        let error = relative_l2(&image.correlation.values, &store.correlation.values);
        assert!(error < 1e-4, "{error:e}");
    }
    // Formulas: nt fields, or nt shells R thick, more than the other has.
    let field = {
        let n = problem.plan.grid.n;
        (n[0] + 4) * (n[1] + 4) * (16 + n[2] + 2usize).next_multiple_of(32) * 4
    };
    let inner = [18usize, 17, 20];
    let shell =
        4 * (inner.iter().product::<usize>() - inner.map(|n| n - 4).iter().product::<usize>());
    let (all, saved) = (110 * field, 110 * shell);
    let difference = store.bytes as f64 - shells.bytes as f64;
    let formula = all as f64 - saved as f64 - 2.0 * field as f64;
    assert!((difference / formula - 1.0).abs() < 0.05, "{difference} {formula}");
}

/// C45, C46: the mini-test: an interface is found where it is, in all three images; no data, no
/// image.
#[test]
fn an_interface_is_found_where_it_is() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS);
    let cl = OpenCl::on(device.clone());
    // The spec's mini-test on a smaller grid: the interface lies between cells 43 and 44, 30 below
    // source and receivers.
    let (layers, interface) = (10, 44);
    let n = [44, 44, 70];
    let grid = Grid::uniform(n, 10.0);
    let velocity = Cube::from_fn(grid, |[_, _, z]| if z < interface { 2000.0 } else { 2600.0 });
    let mut plan = Plan::new(grid, 4, 0.0015, 340, 15.0);
    (plan.layers, plan.illumination, plan.ks) = (layers, true, 4);
    let source = [22, 22, 14];
    let receivers = (10..34).flat_map(|x| (10..34).map(move |y| [x, y, 14])).collect();
    let problem = Problem { plan, velocity, source, receivers };
    let shot = problem.shot::<f32>(&cl).unwrap();
    // Migrated in the smooth model: the velocity above the interface.
    let smooth = Problem { velocity: Cube::constant(grid, 2000.0), ..problem };
    let image = smooth.migrate(&cl, &shot, Strategy::SaveBoundaries).unwrap();
    let eps = 1e-4;
    let normalised =
        imaging::divide(&image.correlation, image.source_energy.as_ref().unwrap(), eps);
    let filtered = imaging::laplacian(&image.correlation, 2);
    for (name, cube) in
        [("plain", &image.correlation), ("normalised", &normalised), ("filtered", &filtered)]
    {
        let trace: Vec<f32> = (0..cube.grid.n[2]).map(|z| cube.at([12, 12, z]).abs()).collect();
        let from = 30 - layers;
        let peak =
            (from..trace.len()).max_by(|a, b| trace[*a].total_cmp(&trace[*b])).unwrap() + layers;
        assert!(peak.abs_diff(interface) <= 2, "{name}: strongest at {peak}");
    }
    let mut silent = shot;
    silent.receivers.samples.fill(0.0);
    let nothing = smooth.migrate(&cl, &silent, Strategy::SaveBoundaries).unwrap();
    assert!(nothing.correlation.values.iter().all(|v| *v == 0.0));
}

/// C48: the stack of three shots is the sum of their images, through the program's own survey.
#[test]
fn several_shots_add_up() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS);
    let cl = OpenCl::on(device.clone());
    let problem = Problem::lens([16, 15, 18], 5, 4, 80);
    let images: Vec<_> = [6, 10, 14]
        .into_iter()
        .map(|x| {
            let moved = Problem { source: [x, 12, 6], ..problem.clone() };
            let shot = moved.shot::<f32>(&cl).unwrap();
            moved.migrate(&cl, &shot, Strategy::SaveBoundaries).unwrap()
        })
        .collect();
    let grid = images[0].correlation.grid;
    let summands = Summands::new(ImagingCondition::CrossCorrelation, 0.0, false);
    let mut stack = Stack::<f32>::new(grid, summands);
    for image in &images {
        stack.add(&summands.of_shot(summands.image(image), image.clone()));
    }
    let sum = |i: usize| images.iter().map(|image| f64::from(image.correlation.values[i])).sum();
    let want: Vec<f64> = (0..grid.len()).map(sum).collect();
    let found: Vec<f64> = stack.image().values.iter().map(|v| f64::from(*v)).collect();
    assert!(want.iter().any(|v| *v != 0.0) && relative_l2(&found, &want) < 1e-6);
}
