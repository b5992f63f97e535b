//! The CUDA back end against the CPU: on a GPU if there is one, else on the emulated device, whose
//! checks for races, bounds and memory that nobody wrote make any fault of a kernel an error of its
//! launch.

use rtm::cuda::split::Split;
use rtm::cuda::variants::{Form, VARIANTS, Variant};
use rtm::cuda::{Cuda, ImageKernel, LayerKernel, Options};
use rtm::engine::{Backend, Boundary, Engine, Field, Region, Step};
use rtm::opencl::OpenCl;
use rtm::plan::{
    Envelope, Face, FaceKind, Generator, ImagingCondition, Plan, RandRange, RandomBoundary, Replay,
    Strategy,
};
use rtm::propagate::Cpu;
use rtm::run::{AnyBackend, Parameters, migrate_on};
use rtm::strategy::random::counter;
use rtm::verify::problem::Problem;
use rtm::{Cube, Grid, Real, ShotImage, Traces, fd, metrics};

/// A plan in a rough medium.
fn plan(n: [usize; 3], order: usize, layers: usize) -> (Plan, Cube<f32>) {
    let grid = Grid::new(n, [10.0, 11.0, 9.0]);
    let velocity =
        Cube::from_fn(grid, |p| 1500.0 + 900.0 * counter(3, grid.index(p) as u64, 0) as f32);
    let dt_s = 0.8 * fd::dt_max_s(order, 9.0, 2400.0);
    (Plan { layers, ..Plan::new(grid, order, dt_s, 6, 20.0) }, velocity)
}

/// Fills levels with noise, which is injected at every point.
fn noise<T: Real>(plan: &Plan) -> Traces<T> {
    let points: Vec<_> = (0..plan.grid.len()).map(|i| plan.grid.point(i)).collect();
    let mut traces = Traces::zeros(plan.nt, plan.dt_s, points);
    for (i, v) in traces.samples.iter_mut().enumerate() {
        *v = T::of(counter(9, i as u64, 1) - 0.5);
    }
    traces
}

/// An engine with two levels of noise.
struct Bench<'a, T: Real> {
    engine: Box<dyn Engine<T> + 'a>,
    levels: [Field; 2],
}

impl<'a, T: Real> Bench<'a, T> {
    fn new(backend: &'a dyn Backend<T>, plan: &Plan, velocity: &Cube<f32>) -> Self {
        let mut engine = backend.engine(plan, velocity).unwrap();
        let levels = [engine.new_field().unwrap(), engine.new_field().unwrap()];
        let noise = engine.new_points(&noise(plan)).unwrap();
        for (k, level) in levels.into_iter().enumerate() {
            engine.inject(level, noise, k).unwrap();
        }
        Bench { engine, levels }
    }

    fn step(&mut self, k: usize, boundary: Boundary, region: Region) {
        let (cur, next) = (self.levels[k % 2], self.levels[(k + 1) % 2]);
        self.engine.step(Step { prev: next, cur, next, boundary, region }).unwrap();
    }

    fn read(&mut self, k: usize) -> Cube<T> {
        self.engine.read(self.levels[k % 2]).unwrap()
    }
}

/// Three steps with layers, then the last level.
fn with_layers<T: Real>(backend: &dyn Backend<T>, plan: &Plan, velocity: &Cube<f32>) -> Cube<T> {
    let mut bench = Bench::new(backend, plan, velocity);
    let layers = bench.engine.new_layers().unwrap();
    (0..3).for_each(|k| bench.step(k, Boundary::Cpml(layers), Region::All));
    bench.read(3)
}

fn cuda(options: Options) -> Cuda {
    Cuda::new(0, options).unwrap()
}

/// The emulated device saw nothing wrong in any kernel: no race, nothing read that was not written.
fn no_faults(gpu: &Cuda, what: &str) {
    let faults = gpu.device().lab().take_faults();
    assert!(faults.is_empty(), "{what}: {} faults, the first one:\n{}", faults.len(), faults[0]);
}

fn same<T: Real>(found: &Cube<T>, want: &Cube<T>, what: &str) {
    assert!(metrics::energy(&want.values) > 0.0, "{what}");
    let wrong: Vec<_> = (0..want.values.len())
        .filter(|i| found.values[*i] != want.values[*i])
        .take(10)
        .map(|i| (want.grid.point(i), want.values[i], found.values[i]))
        .collect();
    assert!(wrong.is_empty(), "{what}: (point, want, found) {wrong:?}");
}

#[test]
fn every_kernel_gives_the_bits_of_the_cpu() {
    let (plan, velocity) = plan([13, 11, 21], 8, 2);
    let want = with_layers::<f32>(&Cpu::new(), &plan, &velocity);
    let mut gpu = cuda(Options::best());
    for variant in &VARIANTS {
        let options = Options::of(variant);
        // Smaller blocks, so that there are several.
        let threads = match variant.form {
            Form::Against | Form::Along => [8, 4, 2],
            Form::Vector { .. } => [4, 4, 1],
            _ => [16, 4, 1],
        };
        let layers = LayerKernel::Slabs;
        gpu.set_options(Options { threads: Some(threads), resident: 1, layers, ..options })
            .unwrap();
        let found = with_layers::<f32>(&gpu, &plan, &velocity);
        if variant.name == "in-plane" {
            let e = metrics::relative_l2(&found.values, &want.values);
            assert!(e > 0.0 && e < 1e-6, "{e:e}");
        } else {
            same(&found, &want, variant.name);
        }
        no_faults(&gpu, variant.name);
    }
}

/// A plan and a wave so weak that what runs ahead of it is less than what is stored.
fn weak<T: Real>() -> (Plan, Cube<f32>, Traces<T>) {
    let (plan, velocity) = plan([17, 16, 34], 8, 5);
    let points = vec![[8, 7, 4], [8, 8, 16]];
    let mut traces = Traces::zeros(plan.nt, plan.dt_s, points);
    traces.samples.fill(T::of(1e6 * T::TINY.f64()));
    (plan, velocity, traces)
}

/// Five levels of the weak wave, one after the other.
fn weak_levels<T: Real>(backend: &dyn Backend<T>) -> Vec<Cube<T>> {
    let (plan, velocity, traces) = weak();
    let mut engine = backend.engine(&plan, &velocity).unwrap();
    let levels = [engine.new_field().unwrap(), engine.new_field().unwrap()];
    let (layers, points) = (engine.new_layers().unwrap(), engine.new_points(&traces).unwrap());
    engine.inject(levels[0], points, 0).unwrap();
    let step = |k: usize| {
        let (cur, next) = (levels[k % 2], levels[(k + 1) % 2]);
        let (boundary, region) = (Boundary::Cpml(layers), Region::All);
        engine.step(Step { prev: next, cur, next, boundary, region }).unwrap();
        engine.read(next).unwrap()
    };
    (0..5).map(step).collect()
}

#[test]
fn values_below_the_least_are_zero_on_every_back_end() {
    kept::once!(crate::KERNELS);
    fn check<T: Real>(others: &[(&str, &dyn Backend<T>)])
    where
        Cpu: Backend<T>,
    {
        let want = weak_levels::<T>(&Cpu::new());
        for value in want.iter().flat_map(|level| &level.values) {
            assert!(*value == T::ZERO || value.f64().abs() >= T::TINY.f64(), "{value:?}");
        }
        let zeros = want[1].values.iter().filter(|v| **v == T::ZERO).count();
        assert!(zeros > 100 && zeros < want[1].values.len() - 100, "{zeros}");
        for (name, backend) in others {
            for (found, want) in weak_levels(*backend).iter().zip(&want) {
                assert!(found.values == want.values, "{name} {}", T::NAME);
            }
        }
    }
    let with = |layers| cuda(Options { layers, ..Options::best() });
    let (lines, fused) = (with(LayerKernel::Lines), with(LayerKernel::Fused));
    let (slabs, naive) = (with(LayerKernel::Slabs), cuda(Options::naive()));
    check::<f64>(&[("lines", &lines), ("slabs", &slabs)]);
    let device = crate::held::device();
    let cl = device.as_ref().map(|device| OpenCl::on((**device).clone()));
    let mut all: Vec<(&str, &dyn Backend<f32>)> =
        vec![("slabs", &slabs), ("lines", &lines), ("fused", &fused), ("naive", &naive)];
    all.extend(cl.iter().map(|cl| ("OpenCL", cl as &dyn Backend<f32>)));
    check::<f32>(&all);
    [lines, fused, slabs, naive].iter().for_each(|gpu| no_faults(gpu, "weak values"));
}

#[test]
fn every_order_in_both_precisions() {
    kept::once!(crate::KERNELS);
    fn check<T: Real>(order: usize, options: Options)
    where
        Cpu: Backend<T>,
        Cuda: Backend<T>,
    {
        let (plan, velocity) = plan([10, 9, 14 + order], order, 3);
        let want = with_layers::<T>(&Cpu::new(), &plan, &velocity);
        let gpu = cuda(options);
        let found = with_layers::<T>(&gpu, &plan, &velocity);
        let what = format!("order {order} {} {:?}", T::NAME, options.layers);
        no_faults(&gpu, &what);
        same(&found, &want, &what);
    }
    for order in fd::ORDERS {
        let best = Options { threads: Some([4, 4, 1]), ..Options::best() };
        let with = |layers| Options { layers, ..best };
        check::<f32>(order, with(LayerKernel::Slabs));
        check::<f64>(order, with(LayerKernel::Slabs));
        check::<f32>(order, with(LayerKernel::Lines));
        check::<f32>(order, with(LayerKernel::Fused));
        check::<f32>(order, Options::of(Variant::find("improved").unwrap()));
    }
}

#[test]
fn layers_do_not_depend_on_blocks_or_kernels() {
    kept::once!(crate::KERNELS);
    // Layers that end within a vector, and faces that reflect.
    let cases = [
        ([11, 12, 30], 3, 6),
        ([12, 13, 27], 5, 1),
        ([14, 12, 24], 4, 4),
        ([9, 11, 70], 4, 3),
        ([11, 9, 67], 3, 5),
    ];
    for (n, layers, off) in cases {
        let (mut plan, velocity) = plan(n, 6, layers);
        if off < 6 {
            let top = Face::ALL[off] == Face::Top;
            plan.faces[off] = if top { FaceKind::FreeSurface } else { FaceKind::Reflecting };
        }
        let want = with_layers::<f32>(&Cpu::new(), &plan, &velocity);
        let mut gpu = cuda(Options::best());
        for threads in [[4, 1, 1], [2, 8, 1], [32, 4, 1]] {
            let layers = LayerKernel::Fused;
            gpu.set_options(Options { threads: Some(threads), layers, ..Options::best() }).unwrap();
            same(&with_layers(&gpu, &plan, &velocity), &want, &format!("fused {threads:?}"));
            let layers = LayerKernel::Slabs;
            gpu.set_options(Options { threads: Some(threads), layers, ..Options::best() }).unwrap();
            same(&with_layers(&gpu, &plan, &velocity), &want, &format!("slabs {threads:?}"));
            let layers = LayerKernel::Lines;
            gpu.set_options(Options { threads: Some(threads), layers, ..Options::best() }).unwrap();
            same(&with_layers(&gpu, &plan, &velocity), &want, &format!("lines {threads:?}"));
        }
        for (layers, block) in [
            (LayerKernel::Fused, [1, 1, 1]),
            (LayerKernel::Improved, [1, 1, 1]),
            (LayerKernel::Naive, [8, 8, 4]),
            (LayerKernel::Naive, [3, 5, 7]),
        ] {
            gpu.set_options(Options { layers, layer_block: block, ..Options::best() }).unwrap();
            let what = format!("{layers:?} {block:?}");
            same(&with_layers(&gpu, &plan, &velocity), &want, &what);
        }
        gpu.set_options(Options { layers: LayerKernel::Slabs, ..Options::best() }).unwrap();
        let want = with_layers::<f64>(&Cpu::new(), &plan, &velocity);
        same(&with_layers::<f64>(&gpu, &plan, &velocity), &want, "slabs, double precision");
        no_faults(&gpu, "layers");
    }
}

/// All that a device may do to a shot, compared with the CPU's bits.
fn same_image(found: &ShotImage<f32>, want: &ShotImage<f32>, what: &str) {
    same(&found.correlation, &want.correlation, what);
    for (found, want) in [
        (&found.source_energy, &want.source_energy),
        (&found.receiver_energy, &want.receiver_energy),
    ] {
        assert_eq!(found.is_some(), want.is_some());
        if let (Some(found), Some(want)) = (found, want) {
            same(found, want, what);
        }
    }
    assert_eq!(found.counts, want.counts, "{what}");
}

fn random(generator: Generator, ks_rand: usize, mode: usize, rdtype: usize) -> Strategy {
    Strategy::RandomBoundaries(RandomBoundary {
        generator,
        ks_rand,
        range: RandRange::ALL[mode],
        envelope: Envelope::ALL[rdtype],
        ..RandomBoundary::default()
    })
}

#[test]
fn every_strategy_gives_the_bits_of_the_cpu_and_copies_nothing_in_between() {
    kept::once!(crate::KERNELS);
    let mut problem = Problem::lens([8, 7, 9], 3, 4, 17);
    problem.plan.condition = ImagingCondition::BothNormalised;
    problem.plan.ks = 2;
    let (cpu, mut gpu) = (Cpu::new(), cuda(Options::best()));
    let shot = problem.shot::<f32>(&cpu).unwrap();
    let on_gpu = problem.shot::<f32>(&gpu).unwrap();
    assert_eq!(on_gpu, shot, "modelled traces");
    for strategy in [
        Strategy::StoreAll,
        Strategy::Checkpoints { ks_store: 5, replay: Replay::EachLevel },
        Strategy::Checkpoints { ks_store: 6, replay: Replay::Segment },
        Strategy::Binomial { slots: 3 },
        Strategy::SaveBoundaries,
        random(Generator::Counter, 4, 0, 0),
        random(Generator::Lcg, 3, 3, 2),
    ] {
        let want = problem.migrate(&cpu, &shot, strategy).unwrap();
        let before = gpu.device().traffic();
        let found = problem.migrate(&gpu, &shot, strategy).unwrap();
        let after = gpu.device().traffic();
        same_image(&found, &want, &format!("{strategy:?}"));
        // What a run is said to need before it begins.
        let plan = Plan { strategy, ..problem.plan.clone() };
        let samples = plan.nt * (1 + shot.receivers.points.len());
        let room = Backend::<f32>::room(&gpu).unwrap();
        assert_eq!((room.shot_bytes)(&plan, samples), found.bytes, "{strategy:?}");
        // The image's three sums; before the first step: model, weights, profiles, two sets of
        // traces with their order and places, and an envelope where velocities are random.
        let random = usize::from(matches!(strategy, Strategy::RandomBoundaries(_)));
        assert_eq!(after.to_host - before.to_host, 3, "{strategy:?}");
        assert_eq!(after.to_device - before.to_device, 11 + random, "{strategy:?}");
        assert!(after.looks - before.looks <= 1, "{strategy:?}");
    }
    // The image of each level, two at a time: an even and an odd number of them. Both steps of a
    // level and the image are one launch, with one block for each or several.
    let layers = LayerKernel::Slabs;
    let small = Options { threads: Some([4, 4, 1]), resident: 1, layers, ..Options::best() };
    for (nt, ks, top, strategy, options) in [
        (17, 1, FaceKind::Absorbing, Strategy::SaveBoundaries, Options::best()),
        (16, 1, FaceKind::Absorbing, Strategy::StoreAll, Options::best()),
        (18, 1, FaceKind::FreeSurface, Strategy::SaveBoundaries, small),
        (17, 3, FaceKind::Absorbing, Strategy::SaveBoundaries, small),
        (17, 1, FaceKind::Absorbing, Strategy::SaveBoundaries, Options { pairs: false, ..small }),
        (17, 1, FaceKind::Absorbing, Strategy::SaveBoundaries, Options { graphs: false, ..small }),
        (17, 1, FaceKind::Absorbing, Strategy::SaveBoundaries, Options { overlap: false, ..small }),
        (18, 1, FaceKind::FreeSurface, random(Generator::Counter, 5, 0, 0), small),
    ] {
        let mut problem = Problem::lens([9, 11, 18], 3, 4, nt);
        problem.plan.condition = ImagingCondition::BothNormalised;
        problem.plan.ks = ks;
        problem.plan.faces[Face::Top as usize] = top;
        gpu.set_options(options).unwrap();
        let shot = problem.shot::<f32>(&cpu).unwrap();
        let want = problem.migrate(&cpu, &shot, strategy).unwrap();
        let found = problem.migrate(&gpu, &shot, strategy).unwrap();
        same_image(&found, &want, &format!("{nt} levels, each {ks}, {top:?}, {strategy:?}"));
    }
    gpu.set_options(Options::best()).unwrap();
    // So many levels that the same calls come again, and are issued as graphs: both ways in time.
    let mut long = Problem::lens([8, 7, 9], 3, 4, 140);
    long.plan.condition = ImagingCondition::BothNormalised;
    let of_long = long.shot::<f32>(&cpu).unwrap();
    assert_eq!(long.shot::<f32>(&gpu).unwrap(), of_long, "modelled traces of many levels");
    let want = long.migrate(&cpu, &of_long, Strategy::SaveBoundaries).unwrap();
    let before = gpu.device().graphs_issued();
    let found = long.migrate(&gpu, &of_long, Strategy::SaveBoundaries).unwrap();
    same_image(&found, &want, "many levels");
    assert!(gpu.device().graphs_issued() >= before + 6);
    // Nor do streams touch the same bytes in no order.
    no_faults(&gpu, "strategies");
    // The thesis' kernels do the same.
    for image in [ImageKernel::Naive, ImageKernel::Improved] {
        gpu.set_options(Options { image, ..Options::naive() }).unwrap();
        let want = problem.migrate(&cpu, &shot, Strategy::SaveBoundaries).unwrap();
        let found = problem.migrate(&gpu, &shot, Strategy::SaveBoundaries).unwrap();
        same_image(&found, &want, &format!("{image:?}"));
    }
}

#[test]
fn random_velocities_have_the_bits_of_the_cpu() {
    kept::once!(crate::KERNELS);
    for mode in 0..4 {
        for rdtype in 0..5 {
            let generator = if rdtype % 2 == 0 { Generator::Lcg } else { Generator::Counter };
            let (mut plan, velocity) = plan([9, 10, 13], 4, 3);
            if mode == 1 {
                plan.faces[Face::Top as usize] = FaceKind::FreeSurface;
            }
            plan.strategy = random(generator, 1, mode, rdtype);
            let run = |backend: &dyn Backend<f32>| {
                let mut bench = Bench::new(backend, &plan, &velocity);
                // Epochs upward and downward again.
                for (k, epoch) in [0, 1, 2, 1, 0].into_iter().enumerate() {
                    bench.engine.randomise(epoch).unwrap();
                    bench.step(k, Boundary::Random, Region::All);
                }
                bench.read(5)
            };
            let what = format!("mode {mode}, rdtype {rdtype}, {generator:?}");
            same(&run(&cuda(Options::best())), &run(&Cpu::new()), &what);
        }
    }
}

#[test]
fn shells_deep_steps_energy_and_traces_of_one_point() {
    let (mut plan, velocity) = plan([14, 15, 19], 4, 2);
    plan.nt = 3;
    let run = |backend: &dyn Backend<f64>| {
        let mut bench = Bench::new(backend, &plan, &velocity);
        let shells = bench.engine.new_shells(2).unwrap();
        bench.engine.save_shell(bench.levels[1], shells, 1).unwrap();
        bench.step(1, Boundary::Reflecting, Region::Deep);
        bench.engine.load_shell(bench.levels[0], shells, 1).unwrap();
        // Three traces at one point are added in their order.
        let mut traces =
            Traces::zeros(3, plan.dt_s, vec![[5, 5, 5], [7, 6, 5], [5, 5, 5], [5, 5, 5]]);
        traces.samples.iter_mut().enumerate().for_each(|(i, v)| *v = 0.1 + 1.0 / (i + 1) as f64);
        let points = bench.engine.new_points(&traces).unwrap();
        bench.engine.inject(bench.levels[0], points, 1).unwrap();
        bench.engine.record(bench.levels[0], points, 2).unwrap();
        bench.engine.copy_field(bench.levels[0], bench.levels[1]).unwrap();
        let energy = bench.engine.energy(bench.levels[1]).unwrap();
        let whole = bench.read(1);
        let interior = whole.part([2; 3], [10, 11, 15]);
        (interior, energy, metrics::energy(&whole.values), bench.engine.traces(points).unwrap())
    };
    let (want, _, _, traces) = run(&Cpu::new());
    for options in [Options::best(), Options::naive()] {
        let (found, energy, sum, recorded) = run(&cuda(options));
        same(&found, &want, "interior");
        assert!((energy - sum).abs() < 1e-12 * sum, "{energy} {sum}");
        assert_eq!(recorded, traces);
    }
}

/// CPU, CUDA and the OpenCL devices of this machine. At full size on a GPU: `rtm agree`.
#[test]
fn all_back_ends_agree() {
    kept::once!(env!("CARGO_BIN_EXE_rtm"));
    let run = |words: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_rtm"));
        let output = command.arg("agree").args(words.split_whitespace()).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (fine, text) = run("--small --within 1e-5");
    assert!(fine, "{text}");
    let cuda: Vec<_> = text.lines().filter(|l| l.starts_with("| cuda")).collect();
    assert!(cuda.len() == 1 && cuda[0].contains("| 0.00e0 | 0.00e0 | 0.00e0 |"), "{text}");
    let (fine, text) = run("--small --free-surface --within 0");
    assert!(fine && text.contains("| cuda") && text.contains("| opencl"), "{text}");
    let (fine, text) = run("--n 12 --layers 2 --order 4 --steps 3 --within=-1");
    assert!(!fine && text.contains("| cuda"), "no difference is below -1: {text}");
}

#[test]
fn mistakes_are_named() {
    let mut gpu = cuda(Options::best());
    let text = gpu
        .set_options(Options { threads: Some([64, 32, 1]), ..Options::best() })
        .unwrap_err()
        .to_string();
    assert!(text.contains("2048 threads"), "{text}");
    assert!(Options::of_numbers(13, 0).unwrap_err().to_string().contains("march-x (10)"));
    assert!(Options::of_numbers(0, 6).unwrap_err().to_string().contains("fused"));
    let text = Cuda::new(77, Options::best()).unwrap_err().to_string();
    assert!(text.contains("device 77 (CUDA_dev)"), "{text}");
    let (mut plan, velocity) = plan([10, 10, 12], 8, 2);
    plan.strategy = Strategy::SaveBoundaries;
    let mut engine = Backend::<f32>::engine(&gpu, &plan, &velocity).unwrap();
    assert!(engine.new_shells(2).unwrap_err().to_string().contains("more than 8 points"));
    let field = engine.new_field().unwrap();
    let step = Step {
        prev: field,
        cur: field,
        next: field,
        boundary: Boundary::Reflecting,
        region: Region::All,
    };
    assert!(engine.step(step).is_err());
}

#[test]
fn a_grid_cut_for_several_devices_gives_the_bits_of_one() {
    kept::once!(crate::KERNELS);
    let (mut plan, velocity) = plan([25, 9, 14], 6, 3);
    plan.nt = 8;
    // Sources on both sides of the first cut.
    let mut source = Traces::zeros(8, plan.dt_s, vec![[7, 4, 6], [8, 5, 7], [20, 3, 4]]);
    source.samples.iter_mut().enumerate().for_each(|(i, v)| *v = counter(1, i as u64, 0) as f32);
    let propagate = |devices: usize, layers: LayerKernel| {
        let options = Options { layers, ..Options::best() };
        let devices: Vec<Cuda> = (0..devices).map(|_| cuda(options)).collect();
        let mut split = Split::<f32>::new(&devices, &plan, &velocity, &source).unwrap();
        (0..7).for_each(|_| split.step().unwrap());
        split.read().unwrap()
    };
    let want = propagate(1, LayerKernel::Lines);
    for (devices, layers) in
        [(2, LayerKernel::Lines), (3, LayerKernel::Lines), (3, LayerKernel::Slabs)]
    {
        same(&propagate(devices, layers), &want, &format!("{devices} devices, {layers:?}"));
    }
    let devices: Vec<Cuda> = (0..5).map(|_| cuda(Options::best())).collect();
    let text = Split::<f32>::new(&devices, &plan, &velocity, &source).err().unwrap().to_string();
    assert!(text.contains("25 planes along x are too few for 5 devices"), "{text}");
}

#[test]
fn shots_shared_by_devices_give_the_same_image() {
    kept::once!(crate::KERNELS);
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let parameters = |out: &str| {
        let mut parameters = Parameters::default();
        for word in [
            "vcte=2000",
            "nx=17",
            "ny=9",
            "nz=13",
            "dx=10",
            "dy=10",
            "dz=10",
            "fq=25",
            "ord=4",
            "Lpml=4",
            "tmax=0.06",
            "dt_rec=0.002",
            "sources_x=40:40:3",
            "sources_y=40",
            "receivers_x=0:40:5",
            "receivers_y=20,60",
            "svg=0",
            &format!("data={}", path("d.su")),
            &format!("out={}", path(out)),
        ] {
            parameters.read_pair(word).unwrap();
        }
        parameters
    };
    let (cpu, gpu) = (Cpu::new(), cuda(Options::best()));
    rtm::run::shoot(&parameters("one"), &gpu, &mut ()).unwrap();
    let one = rtm::run::migrate(&parameters("one"), &cpu, &mut ()).unwrap();
    // Two at a time, on a CPU and a GPU, then on one GPU; then the third.
    let halves = Cuda::shared(0, Options::best(), 2).unwrap();
    let room = |gpu: &Cuda| Backend::<f32>::room(gpu).unwrap().spare_bytes;
    assert!(room(&halves[0]) <= room(&gpu) * 3 / 5);
    let pairs: [[&dyn AnyBackend; 2]; 2] = [[&cpu, &gpu], [&halves[0], &halves[1]]];
    for (backends, out) in pairs.into_iter().zip(["two", "halves"]) {
        let two = migrate_on(&parameters(out), &backends, &mut ()).unwrap();
        same(&two.image, &one.image, out);
        assert_eq!((two.shots, two.counts), (3, one.counts));
    }
    assert!(migrate_on(&parameters("none"), &[], &mut ()).is_err());
}
