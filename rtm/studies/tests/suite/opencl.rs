//! The wave kernels on every OpenCL device of this machine that the tests may use: `RTM_OPENCL`
//! (default `pocl`).
//!
//! C numbers are rows of the checklist in docs/wave-opencl.md.

use crate::held::device;
use proptest::prelude::*;
use rtm::imaging;
use rtm::metrics::relative_l2;
use rtm::opencl::device::{Device, Kind};
use rtm::strategy::random::counter;
use rtm::{Cube, Grid};
use rtm_studies::opencl::reference::Reference;
use rtm_studies::opencl::wave::{self, Block, Medium, Shoot, Sponge, Wave, hump};
use rtm_studies::opencl::{Config, Simulation, Slabs, Variant, bench};

/// Two layers, C of 0.3 at most.
fn layers(n: [usize; 3]) -> Medium {
    let block = Block::new(n).unwrap();
    let deep = block.full()[2] / 2;
    Medium::new(block, 10.0, 0.0012, |[_, _, z]| if z < deep { 1800.0 } else { 2500.0 }).unwrap()
}

/// Noise inside, zeros on the border.
fn noise(block: Block, seed: u64) -> Vec<f32> {
    let number = |i: usize| counter(seed, i as u64, 0) as f32 - 0.5;
    (0..block.len()).map(|i| if block.is_border(block.cell(i)) { 0.0 } else { number(i) }).collect()
}

/// After `steps` time steps from a hump: newest level.
fn run(device: &Device, config: &Config, medium: &Medium, steps: usize) -> Vec<f64> {
    let start = hump(medium.block);
    let levels = [&medium.vel[..], &start, &start];
    let mut wave = Simulation::from_levels(device, config, medium.block, levels, false).unwrap();
    for _ in 0..steps / wave.stride() {
        wave.step().unwrap();
    }
    assert!(wave.canaries().unwrap(), "{config:?} wrote outside of its volume");
    wave.newest().unwrap()
}

fn reference(medium: &Medium, steps: usize) -> Vec<f64> {
    let start = hump(medium.block);
    let mut wave = Reference::<f64>::from_levels(medium.block, &medium.vel, &start, &start);
    for _ in 0..steps {
        wave.step().unwrap();
    }
    wave.newest().unwrap()
}

/// The tolerance T1: relative L2 error after so many steps.
fn t1(steps: usize) -> f64 {
    match steps {
        0..=1 => 1e-6,
        2..=100 => 1e-5,
        _ => 5e-5,
    }
}

fn assert_t1(found: &[f64], want: &[f64], steps: usize, what: &str) {
    let error = relative_l2(found, want);
    assert!(error <= t1(steps), "{what}: {error:e} after {steps} steps");
}

fn small(variant: Variant) -> Config {
    Config { group: [16, 16], tile: [12, 12], ..Config::new(variant) }
}

/// All variants with the thesis' operations in floating point.
fn floating() -> impl Iterator<Item = Variant> {
    Variant::ALL.into_iter().filter(|v| *v != Variant::Fixed)
}

/// C02, C03, C10, C11, C16: one step from a single 1.
#[test]
fn the_impulse_is_exact_in_every_variant() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS, crate::STEPS);
    impulse(&device, [21, 18, 20]);
}

/// The emulated device, which is always there, sees every access: no race, none outside of a
/// buffer, none before it was written.
#[test]
fn the_emulated_device_finds_no_fault_in_any_variant() {
    kept::once!(crate::KERNELS, crate::STEPS);
    impulse(&Device::select("simt").unwrap(), [13, 12, 7]);
}

fn impulse(device: &Device, n: [usize; 3]) {
    let block = Block::new(n).unwrap();
    let (vel, zeros) = (vec![1.0 / 64.0f32; block.len()], vec![0.0f32; block.len()]);
    for variant in Variant::ALL {
        // Next to the border, at the seam of two tiles, in the middle.
        for at in [[2; 3], [10, 9, n[2] / 2], n.map(|n| n + 1), [11, 10, n[2] / 3 + 2]] {
            let mut cur = zeros.clone();
            cur[block.index(at)] = 1.0;
            let config = Config { steps: 1, ..small(variant) };
            let levels = [&vel[..], &cur, &zeros];
            let mut wave = Simulation::from_levels(device, &config, block, levels, false).unwrap();
            wave.step().unwrap();
            let found = wave.newest().unwrap();
            for (i, value) in found.iter().enumerate() {
                let cell = block.cell(i);
                let d = [0, 1, 2].map(|a| cell[a].abs_diff(at[a]));
                let want = match (d.iter().sum::<usize>(), d.iter().filter(|d| **d > 0).count()) {
                    _ if block.is_border(cell) => 0.0,
                    (0, _) => 0.59375,
                    (1, _) => 0.25,
                    (2, 1) => -0.015625,
                    _ => 0.0,
                };
                assert_eq!(*value, want, "{variant:?}, cell {cell:?}, impulse at {at:?}");
            }
        }
    }
}

/// C07, C10, C11, C16, C23, C24: every variant against double precision, after 1, 100, 500 steps.
#[test]
fn every_variant_keeps_to_the_tolerance() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS, crate::STEPS);
    match device.is_emulated() {
        true => tolerance(&device, [11, 9, 7], &[1, 20]),
        false => tolerance(&device, [21, 18, 20], &[1, 100, 500]),
    }
}

/// The same on the emulated device, which is always there: few cells and steps, because it does one
/// work-item's work at a time.
#[test]
fn every_variant_keeps_to_the_tolerance_on_the_emulated_device() {
    kept::once!(crate::KERNELS, crate::STEPS);
    tolerance(&Device::select("simt").unwrap(), [11, 9, 7], &[1, 10]);
}

fn tolerance(device: &Device, n: [usize; 3], counts: &[usize]) {
    let medium = layers(n);
    for &steps in counts {
        let want = reference(&medium, steps);
        for variant in floating() {
            let config = Config { steps: if steps == 1 { 1 } else { 2 }, ..small(variant) };
            let found = run(device, &config, &medium, steps);
            assert_t1(&found, &want, steps, variant.id());
            let block = medium.block;
            let border = (0..block.len()).filter(|i| block.is_border(block.cell(*i)));
            assert!(border.clone().all(|i| found[i] == 0.0), "{variant:?}: the border moved");
        }
    }
}

/// C09: three buffers and four, the same waves; and both levels are where they should be.
#[test]
fn rotation_keeps_both_levels() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS, crate::STEPS);
    let medium = layers([14, 13, 12]);
    let start = hump(medium.block);
    let mut oracle = Reference::<f64>::from_levels(medium.block, &medium.vel, &start, &start);
    for _ in 0..8 {
        oracle.step().unwrap();
    }
    let want = oracle.levels().unwrap();
    for variant in floating() {
        let config = small(variant);
        let levels = [&medium.vel[..], &start, &start];
        let mut wave =
            Simulation::from_levels(&device, &config, medium.block, levels, false).unwrap();
        for _ in 0..8 / wave.stride() {
            wave.step().unwrap();
        }
        let found = wave.levels().unwrap();
        assert_t1(&found[0], &want[0], 8, variant.id());
        assert_t1(&found[1], &want[1], 8, variant.id());
    }
    let (three, four) = (
        run(&device, &small(Variant::Local), &medium, 100),
        run(&device, &small(Variant::Task), &medium, 100),
    );
    assert_t1(&three, &four, 100, "V1 and V2");
}

/// C21, C22, C24: the same operations in the same order give the same bits.
#[test]
fn variants_of_one_order_of_sums_agree_in_every_bit() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS, crate::STEPS);
    let medium = layers([21, 18, 14]);
    let literal = run(&device, &small(Variant::Task), &medium, 6);
    for variant in [Variant::Ring, Variant::Replicated, Variant::Fifo] {
        assert!(run(&device, &small(variant), &medium, 6) == literal, "{variant:?}");
    }
    // One step of a pass is a plain step; the other sizes are other tiles.
    let one = Config { steps: 1, ..small(Variant::Temporal) };
    assert!(run(&device, &one, &medium, 6) == literal, "V6 of one step");
    let two = Config { steps: 2, tile: [18, 18], ..small(Variant::Temporal) };
    assert!(run(&device, &two, &medium, 6) == literal, "V6 of two steps");
    let plain = run(&device, &small(Variant::Plain), &medium, 6);
    for lanes in [1, 2, 4, 8] {
        let config = Config { lanes, ..small(Variant::Lanes) };
        assert!(run(&device, &config, &medium, 6) == plain, "V1s of {lanes} lanes");
    }
    assert!(run(&device, &small(Variant::Local), &medium, 6) == plain, "V1");
}

/// C22: a work-item for each tile, fewer, or more than there are tiles: the bits of V2r.
#[test]
fn any_number_of_work_items_shares_the_tiles() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS, crate::STEPS);
    let medium = layers([21, 18, 9]);
    let want = run(&device, &small(Variant::Ring), &medium, 4);
    // Tiles of 12 x 12 with 8 x 8 results each.
    let tiles = 21usize.div_ceil(8) * 18usize.div_ceil(8);
    for workers in [1, 2, tiles - 1, tiles, tiles + 3] {
        let config = Config { workers, ..small(Variant::Replicated) };
        assert!(run(&device, &config, &medium, 4) == want, "{workers} workers, {tiles} tiles");
    }
}

/// C18: P changes no bit.
#[test]
fn any_number_of_points_at_a_time_gives_the_same() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS, crate::STEPS);
    let medium = layers([21, 18, 9]);
    let want = run(&device, &small(Variant::Task), &medium, 4);
    for par in [1, 2, 3, 4] {
        for variant in [Variant::Task, Variant::Ring, Variant::Fifo] {
            let config = Config { par, ..small(variant) };
            assert!(run(&device, &config, &medium, 4) == want, "{variant:?}, P = {par}");
        }
    }
}

/// C13, C27, C28: padding, unrolling, and where the coefficients come from, change no bit.
#[test]
fn switches_change_no_result() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS, crate::STEPS);
    let medium = layers([17, 18, 9]);
    for variant in [Variant::Plain, Variant::Local, Variant::Lanes] {
        let want = run(&device, &small(variant), &medium, 4);
        let padded = Config { padding: 30, ..small(variant) };
        assert!(run(&device, &padded, &medium, 4) == want, "{variant:?} with padding");
        let argument = Config { baked: false, ..small(variant) };
        assert!(
            run(&device, &argument, &medium, 4) == want,
            "{variant:?} with coefficients as argument"
        );
    }
    for variant in [Variant::Local, Variant::Ring, Variant::Factored] {
        let want = run(&device, &small(variant), &medium, 4);
        for unroll in [1, 2, 3] {
            for baked in [false, true] {
                let config = Config { unroll, baked, ..small(variant) };
                assert!(run(&device, &config, &medium, 4) == want, "{config:?}");
            }
        }
    }
}

/// C17: the shift register, wholly unrolled, for a window small enough to compile.
#[test]
fn the_unrolled_shift_register_is_the_same() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS, crate::STEPS);
    let medium = layers([7, 7, 5]);
    let config = Config { tile: [6, 6], par: 3, ..Config::new(Variant::Task) };
    let unrolled = Config { fpga_emu: true, ..config.clone() };
    assert!(run(&device, &unrolled, &medium, 3) == run(&device, &config, &medium, 3));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// C11, C19, C20: any size and any tile: every cell is written (the output begins as NaN), the
    /// border keeps its value, nothing is touched outside of the volume, and the count of
    /// iterations is the formula's.
    #[test]
    fn any_size_and_any_tile(
        n in [1usize..30, 1usize..30, 1usize..7], tile in [5usize..20, 5usize..20],
        par in 1usize..7, which in 0usize..6,
        group in [2usize..20, 2usize..12],
    ) {
        let Some(device) = device() else { return Ok(()) };
        let variant = [
            Variant::Plain,
            Variant::Local,
            Variant::Task,
            Variant::Ring,
            Variant::Fifo,
            Variant::Temporal,
        ][which];
        let more = if variant == Variant::Temporal { 8 } else { 0 };
        let tile = [(tile[0] + more).next_multiple_of(par), tile[1] + more];
        let config = Config { tile, par, group, count: true, ..Config::new(variant) };
        let block = Block::new(n).unwrap();
        let medium = layers(n);
        // The border holds noise, too: whatever copies it must copy all of it.
        let cur: Vec<f32> = (0..block.len()).map(|i| counter(5, i as u64, 0) as f32).collect();
        let mut prev = noise(block, 2);
        for i in (0..block.len()).filter(|i| block.is_border(block.cell(*i))) {
            prev[i] = cur[i];
        }
        let mut wave = Simulation::from_levels(
            &device,
            &config,
            block,
            [&medium.vel, &cur, &prev],
            false,
        ).unwrap();
        let mut oracle = Reference::<f64>::from_levels(block, &medium.vel, &cur, &prev);
        wave.step().unwrap();
        for _ in 0..wave.stride() { oracle.step().unwrap(); }
        let (found, want) = (wave.newest().unwrap(), oracle.newest().unwrap());
        prop_assert!(found.iter().all(|v| v.is_finite()), "{config:?}: a cell was not written");
        for (i, (found, want)) in found.iter().zip(&want).enumerate() {
            prop_assert!((found - want).abs() < 1e-5, "{config:?}, cell {:?}: {found} \
                {want}", block.cell(i));
        }
        prop_assert!(wave.canaries().unwrap());
        let traffic = wave.traffic().unwrap();
        prop_assert_eq!(traffic.outside, 0);
        if variant.has_window() {
            prop_assert_eq!(traffic.iterations as usize, config.iterations(block));
        }
    }
}

/// C12: V1 loads one new value of the current level for each work-item and plane.
#[test]
fn a_column_is_kept_in_private_memory() {
    let Some(device) = device() else { return };
    let medium = layers([32, 16, 10]);
    let start = hump(medium.block);
    let config = Config { count: true, group: [16, 8], ..Config::new(Variant::Local) };
    let levels = [&medium.vel[..], &start, &start];
    let mut wave = Simulation::from_levels(&device, &config, medium.block, levels, false).unwrap();
    wave.step().unwrap();
    let traffic = wave.traffic().unwrap();
    let (items, nz) = (32 * 16, 10);
    assert_eq!(traffic.new_plane, items * (nz + 4));
    assert_eq!(
        (traffic.velocity, traffic.old, traffic.written),
        (items * nz, items * nz, items * nz)
    );
    // 2R rows and columns of each group.
    assert_eq!(traffic.halo, 4 * nz * (4 * 16 + 4 * 8));
    let plain = Config { count: true, ..Config::new(Variant::Plain) };
    let mut wave = Simulation::from_levels(&device, &plain, medium.block, levels, false).unwrap();
    wave.step().unwrap();
    let all = wave.traffic().unwrap();
    assert_eq!(all.bytes(), u64::from(16 * 4 * items * nz), "64 bytes for each cell without reuse");
}

/// C26: the traffic of V6 falls.
#[test]
fn several_steps_in_a_pass_read_memory_once() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS, crate::STEPS);
    let medium = layers([60, 60, 20]);
    let start = hump(medium.block);
    let per_step = |config: &Config| {
        let levels = [&medium.vel[..], &start, &start];
        let mut wave =
            Simulation::from_levels(&device, config, medium.block, levels, false).unwrap();
        wave.step().unwrap();
        wave.traffic().unwrap().bytes() as f64 / wave.stride() as f64
    };
    let base = Config { count: true, tile: [64, 64], par: 4, ..Config::new(Variant::Ring) };
    if let Some(why) = base.misfit(&device.limits, medium.block) {
        eprintln!("skipped: {why}");
        return;
    }
    let one = per_step(&base);
    for steps in [2, 4] {
        let config = Config { variant: Variant::Temporal, steps, ..base.clone() };
        let ratio = one / per_step(&config);
        // Two levels are written instead of one: 16 t / 20 at best.
        assert!(ratio > 0.7 * steps as f64, "{steps} steps: {ratio}");
    }
    for steps in [2, 4] {
        let config = Config { tile: [30, 30], steps, ..Config::new(Variant::Temporal) };
        let found = run(&device, &config, &medium, 20);
        assert_t1(&found, &reference(&medium, 20), 20, "V6");
    }
}

/// C24: the FIFOs' reports, and a depth of one.
#[test]
fn fifos_of_any_depth_work() {
    let Some(device) = device() else { return };
    let medium = layers([14, 13, 6]);
    let start = hump(medium.block);
    let want = run(&device, &small(Variant::Task), &medium, 1);
    for depth in [1, 2, 3, 16, 64] {
        let config = Config { depth, ..small(Variant::Fifo) };
        let levels = [&medium.vel[..], &start, &start];
        let mut wave =
            Simulation::from_levels(&device, &config, medium.block, levels, false).unwrap();
        wave.step().unwrap();
        assert!(wave.newest().unwrap() == want, "depth {depth}");
        let report = wave.fifo_report().unwrap();
        assert_eq!(report.tokens as usize, config.iterations(medium.block));
        // A stage does four tokens at a time.
        assert_eq!(report.most, [depth.min(4) as u32; 2], "depth {depth}");
        assert_eq!(report.reader_stalls > 0, depth < 4, "depth {depth}: {report:?}");
    }
}

/// C25: the error falls with each bit, and a value too large is noticed.
#[test]
fn fixed_point_has_the_error_of_its_bits() {
    let Some(device) = device() else { return };
    let medium = layers([16, 15, 14]);
    let want = reference(&medium, 100);
    let errors: Vec<f64> = [12, 18, 24]
        .into_iter()
        .map(|fraction| {
            let config = Config { fraction, ..Config::new(Variant::Fixed) };
            relative_l2(&run(&device, &config, &medium, 100), &want)
        })
        .collect();
    assert!(
        errors[0] < 0.1 && errors[1] < errors[0] / 16.0 && errors[2] < errors[1] / 8.0,
        "{errors:?}"
    );
    let block = medium.block;
    let large: Vec<f32> = noise(block, 1).iter().map(|v| 8.0 * v).collect();
    let config = Config { fraction: 29, ..Config::new(Variant::Fixed) };
    let levels = [&medium.vel[..], &large, &large];
    let mut wave = Simulation::from_levels(&device, &config, block, levels, false).unwrap();
    for _ in 0..4 {
        wave.step().unwrap();
    }
    assert!(wave.overflows().unwrap() > 0);
    let mut calm =
        Simulation::from_levels(&device, &Config::new(Variant::Fixed), block, levels, false)
            .unwrap();
    calm.step().unwrap();
    assert_eq!(calm.overflows().unwrap(), 0);
}

/// C50: the device's own times add up to the time that passed.
#[test]
fn events_account_for_the_time() {
    let Some(device) = device() else { return };
    let medium = layers([60, 60, 60]);
    let config = Config::suited(Variant::Plain, &device.limits, medium.block);
    // A queue that does one thing after the other cannot have worked for longer than the time that
    // passed.
    let run = |steps: usize| {
        let start = std::time::Instant::now();
        let mut wave = Simulation::new(&device, &config, &medium, true).unwrap();
        for _ in 0..steps {
            wave.step().unwrap();
        }
        wave.newest().unwrap();
        let (times, passed) = (wave.times().unwrap(), start.elapsed().as_secs_f64());
        assert!(times.sum_s() <= passed, "{times:?} in {passed} s");
        times
    };
    let (none, times) = (run(0), run(20));
    assert!(times.upload_s > 0.0 && times.kernel_s > 0.0 && times.download_s > 0.0, "{times:?}");
    assert!(none.kernel_s == 0.0 && none.download_s > 0.0, "{none:?}");
}

/// C41: a point source in free space, relative L2 error of at most 1 %.
#[test]
fn a_source_makes_the_wave_of_free_space() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS, crate::STEPS);
    // Until the walls answer: 75 cells of travel at 35 cells from the middle.
    let block = Block::cube(112).unwrap();
    let (h, v, f0) = (10.0, 2000.0, 12.0);
    let dt = 0.3 * h / v;
    let medium = Medium::new(block, h, dt, |_| v).unwrap();
    let centre = block.centre();
    let offsets = [15, 25, 35];
    let receivers = offsets.map(|r| block.index([centre[0] + r, centre[1], centre[2]])).to_vec();
    let shoot = Shoot { source: block.index(centre), peak_hz: f0, sponge: None, receivers };
    let config = Config::suited(Variant::Plain, &device.limits, block);
    let mut wave = Simulation::new(&device, &config, &medium, false).unwrap();
    let steps = (75.0 * h / v / dt) as usize;
    let samples = shoot.run(&mut wave, &medium, 0..steps, &mut |_, _| Ok(())).unwrap();
    for (k, r) in offsets.into_iter().enumerate() {
        let r_m = r as f64 * h;
        let found: Vec<f64> = (0..steps).map(|n| f64::from(samples[3 * n + k])).collect();
        let exact = |n: usize| {
            let t = (n + 1) as f64 * dt - r_m / v;
            wave::ricker(t, f0, wave::delay_s(f0)) / (4.0 * std::f64::consts::PI * r_m)
        };
        let want: Vec<f64> = (0..steps).map(exact).collect();
        let error = relative_l2(&found, &want);
        assert!(error < 0.01, "{r} cells away: {error}");
        // C43: the direct wave's peak is where it should be.
        let peak = (0..steps).max_by(|a, b| found[*a].total_cmp(&found[*b])).unwrap();
        let due = (wave::delay_s(f0) + r_m / v) / dt - 1.0;
        assert!((peak as f64 - due).abs() <= 2.0, "{r} cells away: {peak} {due}");
    }
}

/// C42: the sponge leaves at most 2 % of the peak, the walls at least 50 %.
#[test]
fn the_sponge_swallows_the_wave() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS, crate::STEPS);
    let (h, v, dt, f0, steps) = (10.0, 2000.0, 0.0015, 15.0, 300);
    let trace = |n: usize, sponge: Option<Sponge>, device: &Device| {
        let block = Block::cube(n).unwrap();
        let medium = Medium::new(block, h, dt, |_| v).unwrap();
        let c = block.centre();
        let receivers = vec![block.index([c[0] + 20, c[1], c[2]])];
        let shoot = Shoot { source: block.index(c), peak_hz: f0, sponge, receivers };
        let config = Config::suited(Variant::Plain, &device.limits, block);
        let mut wave = Simulation::new(device, &config, &medium, false).unwrap();
        shoot.run(&mut wave, &medium, 0..steps, &mut |_, _| Ok(())).unwrap()
    };
    // 60 cells within the sponge; walls 112 cells apart send no echo within 300 steps.
    let free = trace(112, None, &device);
    let peak = free.iter().fold(0.0f32, |m, v| m.max(v.abs()));
    let residual = |trace: &[f32]| {
        trace.iter().zip(&free).fold(0.0f32, |m, (a, b)| m.max((a - b).abs())) / peak
    };
    let soft = residual(&trace(100, Some(Sponge::default()), &device));
    let hard = residual(&trace(60, None, &device));
    assert!(soft <= 0.02, "sponge: {soft}");
    assert!(hard >= 0.5, "walls: {hard}");
}

/// C44: 300 steps forward, 300 back, nothing left but rounding.
#[test]
fn the_way_back_ends_where_it_began() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS, crate::STEPS);
    let medium = layers([30, 30, 30]);
    let block = medium.block;
    let shoot = Shoot {
        source: block.index(block.centre()),
        peak_hz: 15.0,
        sponge: None,
        receivers: vec![],
    };
    for variant in [Variant::Plain, Variant::Local, Variant::Ring] {
        let mut wave = Simulation::new(&device, &small(variant), &medium, false).unwrap();
        let steps = if variant == Variant::Ring { 60 } else { 300 };
        let mut peak = 0.0f64;
        shoot
            .run(&mut wave, &medium, 0..steps, &mut |n, wave| {
                if n % 20 == 0 {
                    peak = wave.newest()?.iter().fold(peak, |m, v| m.max(v.abs()));
                }
                Ok(())
            })
            .unwrap();
        // The step is its own inverse: take away what the source had added, then step with the
        // levels exchanged.
        for n in (0..steps).rev() {
            let w = wave::ricker(n as f64 * medium.dt_s, 15.0, wave::delay_s(15.0));
            wave.add(shoot.source, -medium.source_amount(shoot.source, w)).unwrap();
            wave.reverse();
            wave.step().unwrap();
            wave.reverse();
        }
        // Now the newest level is u^0 = 0 ... one level further back than the newest: both vanish.
        let rest = wave.levels().unwrap().iter().flatten().fold(0.0f64, |m, v| m.max(v.abs()));
        assert!(peak > 0.0 && rest <= 1e-5 * peak, "{variant:?}: {rest:e} of {peak:e}");
    }
}

/// C43: a gather is a file and comes back with the same bits.
#[test]
fn a_gather_survives_its_file() {
    let Some(device) = device() else { return };
    let medium = layers([20, 20, 20]);
    let block = medium.block;
    let receivers: Vec<usize> = (4..20).map(|x| block.index([x, 12, 4])).collect();
    let shoot = Shoot {
        source: block.index(block.centre()),
        peak_hz: 15.0,
        sponge: Some(Sponge { width: 4, alpha: 0.05 }),
        receivers,
    };
    let mut local = Simulation::new(&device, &small(Variant::Local), &medium, false).unwrap();
    let samples = shoot.run(&mut local, &medium, 0..60, &mut |_, _| Ok(())).unwrap();
    assert!(samples.iter().any(|v| v.abs() > 0.0));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("gather.bin");
    wave::write_gather(&path, &samples, 16, medium.dt_s).unwrap();
    assert_eq!(wave::read_gather(&path).unwrap(), samples);
}

/// C40: the wave front after n steps lies v t from the source.
#[test]
fn the_wave_front_has_the_right_radius() {
    let Some(device) = device() else { return };
    let block = Block::cube(80).unwrap();
    let (h, v, f0) = (10.0, 2000.0, 20.0);
    let medium = Medium::new(block, h, 0.0015, |_| v).unwrap();
    let centre = block.centre();
    let shoot = Shoot { source: block.index(centre), peak_hz: f0, sponge: None, receivers: vec![] };
    let config = Config::suited(Variant::Plain, &device.limits, block);
    let mut wave = Simulation::new(&device, &config, &medium, false).unwrap();
    let steps = 130;
    shoot.run(&mut wave, &medium, 0..steps, &mut |_, _| Ok(())).unwrap();
    let field = wave.newest().unwrap();
    let radius = (0..35usize)
        .max_by(|a, b| {
            let at = |r: usize| {
                (r as f64 * field[block.index([centre[0] + r, centre[1], centre[2]])]).abs()
            };
            at(*a).total_cmp(&at(*b))
        })
        .unwrap();
    let due = v * (steps as f64 * medium.dt_s - wave::delay_s(f0)) / h;
    assert!((radius as f64 - due).abs() <= 2.0, "{radius} {due}");
}

/// C49: the same program on each device that there is; what does not fit says why.
#[test]
fn every_device_runs_or_says_why_not() {
    let Some(_alone) = device() else { return };
    let medium = layers([12, 11, 10]);
    let want = reference(&medium, 4);
    for device in Device::all().unwrap() {
        for variant in floating() {
            let config =
                Config { tile: [12, 12], ..Config::suited(variant, &device.limits, medium.block) };
            match config.misfit(&device.limits, medium.block) {
                Some(why) => assert!(why.contains("fit"), "{variant:?} on {device}: {why}"),
                None => assert_t1(
                    &run(&device, &config, &medium, 4),
                    &want,
                    4,
                    &format!("{variant:?} on {device}"),
                ),
            }
        }
        assert!(matches!(device.limits.kind, Kind::Cpu | Kind::Gpu | Kind::Other));
    }
}

/// C45, C46: the flow of the specification's section 2.9 with the wave kernels and the sponge,
/// source levels stored (S1), on a grid that takes seconds. Where the strongest sample of each
/// image lies: plain, normalised, filtered.
fn flow(device: &Device, n: usize, steps: usize, spread: usize) -> [usize; 3] {
    let (width, interface, depth) = (n / 5, 2 * n / 3, n / 4);
    let block = Block::cube(n).unwrap();
    let model = |below: f64| {
        Medium::new(block, 10.0, 0.0015, |[_, _, z]| if z < interface { 2000.0 } else { below })
    };
    let (truth, smooth) = (model(2600.0).unwrap(), model(2000.0).unwrap());
    let plane = (width..n - width).step_by(spread);
    let cell = |x, y| block.index([x, y, depth]);
    let shoot = Shoot {
        source: cell(n / 2, n / 2),
        peak_hz: 15.0,
        sponge: Some(Sponge { width, alpha: 0.4 / width as f64 }),
        receivers: plane.clone().flat_map(|x| plane.clone().map(move |y| cell(x, y))).collect(),
    };
    let still = vec![0.0f32; block.len()];
    let begin = |medium: &Medium| {
        let levels = [&medium.vel[..], &still, &still];
        Simulation::from_levels(device, &small(Variant::Local), block, levels, false).unwrap()
    };
    let every = 4;
    let mut stored = Vec::new();
    let with = shoot.run(&mut begin(&truth), &truth, 0..steps, &mut |_, _| Ok(())).unwrap();
    let without = shoot
        .run(&mut begin(&smooth), &smooth, 0..steps, &mut |k, wave| {
            if k % every == 0 {
                stored.push(wave.newest()?);
            }
            Ok(())
        })
        .unwrap();
    // Their difference: without the direct wave.
    let data: Vec<f64> = with.iter().zip(&without).map(|(a, b)| f64::from(a - b)).collect();
    let (mut back, count) = (begin(&smooth), shoot.receivers.len());
    let grid = Grid::uniform(block.full(), 10.0);
    let zeros = || Cube::constant(grid, 0.0f32);
    let (mut image, mut energy) = (zeros(), zeros());
    for k in (0..steps).rev() {
        back.step().unwrap();
        for (r, cell) in shoot.receivers.iter().enumerate() {
            back.add(*cell, smooth.source_amount(*cell, data[k * count + r]) * 10.0).unwrap();
        }
        back.damp(shoot.sponge.unwrap()).unwrap();
        if k % every == 0 {
            let (source, receivers) = (&stored[k / every], back.newest().unwrap());
            for (i, (s, r)) in source.iter().zip(&receivers).enumerate() {
                // The block has x fastest, a cube z.
                let at = grid.index(block.cell(i));
                image.values[at] += (s * r) as f32;
                energy.values[at] += (s * s) as f32;
            }
        }
    }
    let normalised = imaging::divide(&image, &energy, 1e-4);
    [&image, &normalised, &imaging::laplacian(&image, 2)].map(|cube| {
        let strength = |z: usize| cube.at([n / 2, n / 2, z]).abs();
        let below = depth + n / 6..n - width;
        below.max_by(|a, b| strength(*a).total_cmp(&strength(*b))).unwrap()
    })
}

#[test]
fn the_wave_kernels_find_the_interface() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS, crate::STEPS);
    let (n, steps, spread) = if device.is_emulated() { return } else { (60, 300, 4) };
    let found = flow(&device, n, steps, spread);
    assert!(found.iter().all(|z| z.abs_diff(2 * n / 3) <= 2), "{found:?}, want {}", 2 * n / 3);
}

/// The specification's own size: minutes on a laptop.
#[test]
#[ignore = "long: minutes without a GPU; the_wave_kernels_find_the_interface has a smaller grid"]
fn the_wave_kernels_find_the_interface_at_full_size() {
    let Some(device) = device() else { return };
    let found = flow(&device, 96, 460, 2);
    println!("strongest samples at {found:?}, the interface at 63.5");
    assert!(found.iter().all(|z| z.abs_diff(64) <= 2), "{found:?}");
}

/// C51: a wave cut in slabs is the whole wave, bit for bit.
#[test]
fn slabs_on_several_devices_are_one_wave() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS, crate::STEPS);
    let medium = layers([14, 13, 15]);
    let block = medium.block;
    let start = hump(block);
    for variant in [Variant::Plain, Variant::Local, Variant::Ring] {
        let config = small(variant);
        let levels = [&medium.vel[..], &start, &start];
        let mut whole = Simulation::from_levels(&device, &config, block, levels, false).unwrap();
        let devices = vec![device.clone(); 3];
        let mut cut = Slabs::new(&devices, &config, &medium, [&start, &start]).unwrap();
        // At a seam, so that two slabs hold it.
        let source = block.index([8, 8, 7]);
        for n in 0..30 {
            for wave in [&mut whole as &mut dyn Wave, &mut cut] {
                wave.step().unwrap();
                wave.add(source, 0.01 * f64::from(n)).unwrap();
            }
        }
        assert!(cut.levels().unwrap() == whole.levels().unwrap(), "{variant:?}");
        let cells = [source, block.index([3, 4, 16]), block.index([9, 9, 2])];
        assert_eq!(cut.sample(&cells).unwrap(), whole.sample(&cells).unwrap());
    }
    assert!(
        Slabs::new(&vec![device.clone(); 9], &small(Variant::Plain), &medium, [&start, &start])
            .is_err()
    );
}

/// C51: slabs on two different devices, of which one is emulated: the wave of one device within the
/// tolerance.
#[test]
fn slabs_on_unlike_devices_are_one_wave() {
    let Some(device) = device() else { return };
    kept::once!(loaded; crate::KERNELS, crate::STEPS);
    let medium = layers([10, 9, 8]);
    let start = hump(medium.block);
    let want = reference(&medium, 12);
    let devices = vec![device.clone(), Device::select("simt").unwrap()];
    for devices in [devices.clone(), devices.into_iter().rev().collect::<Vec<_>>()] {
        let mut cut =
            Slabs::new(&devices, &small(Variant::Local), &medium, [&start, &start]).unwrap();
        for _ in 0..12 {
            cut.step().unwrap();
        }
        assert_t1(&cut.newest().unwrap(), &want, 12, "two devices");
    }
}

/// C52: what was tuned is remembered by the device's name and the size.
#[test]
fn the_fastest_kernel_is_remembered() {
    let Some(device) = device() else { return };
    let dir = tempfile::tempdir().unwrap();
    let (cache, block) = (dir.path().join("tuned.json"), Block::cube(8).unwrap());
    let effort = bench::Effort { steps: 1, seconds: 1.0, power: false };
    // A file that says what was found: it is believed, nothing is tried.
    let known = bench::Tuned {
        device: device.name.clone(),
        n: block.n,
        config: Config { group: [16, 16], ..Config::new(Variant::Local) },
        gpoints_per_s: 1.0,
    };
    std::fs::write(&cache, serde_json::to_vec(std::slice::from_ref(&known)).unwrap()).unwrap();
    let mut said = Vec::new();
    let found =
        bench::autotune(&device, block, effort, &cache, &mut |line| said.push(line.to_owned()))
            .unwrap();
    assert_eq!(found, known);
    assert!(said[0].contains("tuned.json"));
    std::fs::write(&cache, "no json").unwrap();
    assert!(bench::autotune(&device, block, effort, &cache, &mut |_| {}).is_err());
    // Without a file all that fits is tried, the fastest is kept, and the second time nothing is
    // tried.
    std::fs::remove_file(&cache).unwrap();
    let mut tried = Vec::new();
    let found =
        bench::autotune(&device, block, effort, &cache, &mut |line| tried.push(line.to_owned()))
            .unwrap();
    let speeds = tried.iter().map(|line| line.split_whitespace().rev().nth(1).unwrap());
    let best = speeds.map(|s| s.parse::<f64>().unwrap()).fold(0.0, f64::max);
    assert!(tried.len() > 3 && (found.gpoints_per_s - best).abs() < 1e-4, "{tried:?}, {found}");
    let again = bench::autotune(&device, block, effort, &cache, &mut |_| {}).unwrap();
    assert_eq!(again, found);
    // What is tried fits.
    assert!(
        bench::candidates(&device, block).iter().all(|c| c.misfit(&device.limits, block).is_none())
    );
}

/// C32, C33, C37, C53: the tables: one convention of points, every row with its label, no power
/// without a counter.
#[test]
fn tables_say_where_each_row_is_from() {
    let Some(device) = device() else { return };
    let block = Block::cube(12).unwrap();
    let effort = bench::Effort { steps: 2, seconds: 5.0, power: false };
    let mut text = String::new();
    let mut out = |line: &str| text += &format!("{line}\n");
    bench::portability(std::slice::from_ref(&*device), &Variant::ALL, block, effort, &mut out)
        .unwrap();
    assert!(
        text.contains(
            "12 x 12 x 12 interior cells (1728 points; with the border 16 x 16 x 16 = 4096)"
        ),
        "{text}"
    );
    for line in text.lines().filter(|l| l.starts_with("| V") || l.starts_with("| copy")) {
        assert!(
            ["measured", "quoted from thesis", "does not fit"]
                .iter()
                .any(|label| line.contains(label)),
            "{line}"
        );
    }
    for variant in Variant::ALL {
        assert!(text.contains(&format!("| {}", variant.id())), "{text}");
    }
    assert!(
        text.contains("H1 on")
            && text.contains("2.29x (quoted)")
            && text.contains("H2: no GPU and CPU"),
        "{text}"
    );
    assert!(text.contains("GTX 580") && text.contains("no ratio is taken"), "{text}");
}

/// C33, C39: the cross-device table: every measured row has its watts with the method by which they
/// were sampled, or `n/a`; a nameplate stands only in quoted rows, and says so.
#[test]
fn watts_are_sampled_or_not_told() {
    let Some(device) = device() else { return };
    let block = Block::cube(8).unwrap();
    let effort = bench::Effort { steps: 2, seconds: 1.0, power: true };
    let mut lines = Vec::new();
    let mut out = |line: &str| lines.push(line.to_owned());
    bench::cross_device(std::slice::from_ref(&*device), block, effort, &mut out).unwrap();
    assert!(
        lines
            .iter()
            .any(|l| l.starts_with("| code | device | Gpoint/s | s per step | W | W/(Gpoint/s)"))
    );
    let (mut measured, mut quoted) = (0, 0);
    for line in lines.iter().filter(|l| l.starts_with("| V")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let (watts, per_point, label) = (cells[5], cells[6], cells[7]);
        if label.starts_with("quoted") {
            quoted += 1;
            assert!(watts.contains("nameplate") || watts == "-", "{line}");
        } else if label.starts_with("measured") {
            measured += 1;
            assert!(!line.contains("nameplate"), "{line}");
            match watts.parse::<f64>() {
                Ok(watts) => {
                    let speed: f64 = cells[3].parse().unwrap();
                    let per_point: f64 = per_point.parse().unwrap();
                    assert!((watts / speed / per_point - 1.0).abs() < 0.05, "{line}");
                    assert!(label.contains("nvidia-smi") || label.contains("RAPL"), "{line}");
                }
                Err(_) => assert_eq!((watts, per_point), ("n/a", "n/a"), "{line}"),
            }
        }
    }
    assert!(measured >= 2 && quoted >= 3, "{lines:#?}");
}
