//! Transforms against the sum that defines them, identities, layouts, errors.

use std::f64::consts::TAU;

use approx::assert_relative_eq;
use cudalibs::Error;
use cudalibs::fft::{BatchLayout, Complex, Direction, FftType, Plan};
use cust::memory::{CopyDestination, DeviceBuffer, DeviceCopy};
use rand::RngExt;

use super::{on_device, random, rig, unwritten, values};

type C64 = Complex<f64>;
type C32 = Complex<f32>;

fn fetched<T: DeviceCopy + Clone + bytemuck::Zeroable>(buffer: &DeviceBuffer<T>) -> Vec<T> {
    let mut out = vec![T::zeroed(); buffer.len()];
    buffer.copy_to(&mut out).unwrap();
    out
}

fn text<T>(result: Result<T, Error>) -> String {
    match result {
        Ok(_) => "no error".into(),
        Err(error) => error.to_string(),
    }
}

/// The definition, for arrays of up to three dimensions.
fn dft(shape: &[usize], x: &[C64], direction: Direction) -> Vec<C64> {
    let n: usize = shape.iter().product();
    let sign = f64::from(direction as i32);
    let index = |mut i: usize| {
        let mut index = vec![0; shape.len()];
        for d in (0..shape.len()).rev() {
            index[d] = i % shape[d];
            i /= shape[d];
        }
        index
    };
    (0..n)
        .map(|k| {
            let k = index(k);
            let term = |(j, x): (usize, &C64)| {
                let j = index(j);
                // Products of indices modulo the size keep the angle small, and so exact.
                let turns: f64 = (0..shape.len())
                    .map(|d| ((k[d] * j[d]) % shape[d]) as f64 / shape[d] as f64)
                    .sum();
                x * C64::from_polar(1.0, sign * TAU * turns)
            };
            x.iter().enumerate().map(term).sum()
        })
        .collect()
}

fn noise(rng: &mut rand::rngs::ChaCha8Rng, n: usize) -> Vec<C64> {
    (0..n).map(|_| C64::new(rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0))).collect()
}

fn close(what: &str, found: &[C64], wanted: &[C64], relative: f64) {
    assert_eq!(found.len(), wanted.len());
    let norm = wanted.iter().map(|v| v.norm_sqr()).sum::<f64>().sqrt();
    let off = found.iter().zip(wanted).map(|(f, w)| (f - w).norm_sqr()).sum::<f64>().sqrt();
    // A comparison that NaN fails.
    assert!(off <= relative * (1.0 + norm), "{what}: off by {off:e} of {norm:e}");
}

fn narrow(x: &[C64]) -> Vec<C32> {
    x.iter().map(|v| C32::new(v.re as f32, v.im as f32)).collect()
}

fn wide(x: &[C32]) -> Vec<C64> {
    x.iter().map(|v| C64::new(v.re.into(), v.im.into())).collect()
}

const SHAPES: [&[usize]; 20] = [
    &[1],
    &[2],
    &[3],
    &[4],
    &[7],
    &[8],
    &[16],
    &[30],
    &[97],
    &[128],
    &[1, 1],
    &[2, 3],
    &[8, 4],
    &[5, 9],
    &[16, 20],
    &[1, 4, 1],
    &[2, 3, 4],
    &[4, 8, 16],
    &[8, 2, 8],
    &[3, 5, 7],
];

#[test]
fn complex_transforms_are_their_definition() {
    let rig = rig();
    for (case, shape) in SHAPES.into_iter().enumerate() {
        let rng = &mut random(case as u64);
        let n: usize = shape.iter().product();
        let batch = rng.random_range(1..4);
        let x = noise(rng, n * batch);
        for direction in [Direction::Forward, Direction::Inverse] {
            let wanted: Vec<C64> = x.chunks(n).flat_map(|x| dft(shape, x, direction)).collect();
            let mut plan = Plan::plan_many(shape, None, FftType::Z2Z, batch).unwrap();
            plan.set_stream(rig.lab.stream()).unwrap();
            let mut y = unwritten::<C64>(n * batch);
            let dx = on_device(&x);
            plan.exec_z2z(&dx, &mut y, direction).unwrap();
            close(&format!("{shape:?}"), &fetched(&y), &wanted, 1e-14 * 16.0);
            assert_eq!(fetched(&dx), x);
            // In place, and as pairs of numbers.
            let mut pairs = on_device(&x.iter().map(|v| [v.re, v.im]).collect::<Vec<_>>());
            plan.exec_z2z_in_place(&mut pairs, direction).unwrap();
            let pairs: Vec<C64> = fetched(&pairs).iter().map(|v| C64::new(v[0], v[1])).collect();
            assert_eq!(pairs, fetched(&y));
            let mut plan = Plan::plan_many(shape, None, FftType::C2C, batch).unwrap();
            let mut y = unwritten::<C32>(n * batch);
            plan.exec_c2c(&on_device(&narrow(&x)), &mut y, direction).unwrap();
            close(&format!("{shape:?}"), &wide(&fetched(&y)), &wanted, 4e-6);
        }
    }
    assert_eq!(rig.findings(), [""; 0]);
}

#[test]
fn real_transforms_are_half_of_the_complex_ones() {
    let rig = rig();
    for (case, shape) in SHAPES.into_iter().enumerate() {
        let rng = &mut random(50 + case as u64);
        let (n, last) = (shape.iter().product::<usize>(), shape[shape.len() - 1]);
        let (m, batch) = (last / 2 + 1, rng.random_range(1..3));
        let lines = n / last;
        let x = values(rng, n * batch);
        let complex: Vec<C64> = x.iter().map(|v| C64::new(*v, 0.0)).collect();
        let full: Vec<C64> =
            complex.chunks(n).flat_map(|x| dft(shape, x, Direction::Forward)).collect();
        let half: Vec<C64> = full.chunks(last).flat_map(|line| line[..m].to_vec()).collect();

        let mut forward = Plan::plan_many(shape, None, FftType::D2Z, batch).unwrap();
        let mut y = unwritten::<C64>(m * lines * batch);
        forward.exec_d2z(&on_device(&x), &mut y).unwrap();
        close(&format!("{shape:?}"), &fetched(&y), &half, 2e-13);

        // And back: n times the input. The transform is used up where the vendor uses it up.
        let mut inverse = Plan::plan_many(shape, None, FftType::Z2D, batch).unwrap();
        let mut back = unwritten::<f64>(n * batch);
        inverse.exec_z2d(&mut y, &mut back).unwrap();
        let scaled: Vec<C64> =
            fetched(&back).iter().map(|v| C64::new(*v / n as f64, 0.0)).collect();
        close(&format!("{shape:?}"), &scaled, &complex, 2e-14);
        assert_eq!(fetched(&y).iter().any(|v| v.re.is_nan()), shape.len() > 1);

        // In place, rows padded.
        let mut padded = vec![0.0f64; 2 * m * lines * batch];
        for (row, x) in padded.chunks_mut(2 * m).zip(x.chunks(last)) {
            row[..last].copy_from_slice(x);
        }
        let mut data = on_device(&padded);
        forward.exec_d2z_in_place(&mut data).unwrap();
        let pairs: Vec<C64> = fetched(&data).chunks(2).map(|v| C64::new(v[0], v[1])).collect();
        close(&format!("{shape:?}"), &pairs, &half, 2e-13);
        inverse.exec_z2d_in_place(&mut data).unwrap();
        let rows: Vec<C64> = fetched(&data)
            .chunks(2 * m)
            .flat_map(|row| {
                row[..last].iter().map(|v| C64::new(*v / n as f64, 0.0)).collect::<Vec<_>>()
            })
            .collect();
        close(&format!("{shape:?}"), &rows, &complex, 2e-14);

        let single: Vec<f32> = x.iter().map(|v| *v as f32).collect();
        let mut plan = Plan::plan_many(shape, None, FftType::R2C, batch).unwrap();
        let mut y = unwritten::<C32>(m * lines * batch);
        plan.exec_r2c(&on_device(&single), &mut y).unwrap();
        close(&format!("{shape:?}"), &wide(&fetched(&y)), &half, 4e-6);
        let mut plan = Plan::plan_many(shape, None, FftType::C2R, batch).unwrap();
        let mut back = unwritten::<f32>(n * batch);
        plan.exec_c2r(&mut y, &mut back).unwrap();
        let scaled: Vec<C64> =
            fetched(&back).iter().map(|v| C64::new(f64::from(*v) / n as f64, 0.0)).collect();
        close(&format!("{shape:?}"), &scaled, &complex, 4e-6);
    }
    assert_eq!(rig.findings(), [""; 0]);
}

#[test]
fn layouts_pick_their_elements_and_leave_the_others() {
    let rig = rig();
    let rng = &mut random(9);
    let (shape, batch) = ([3, 4, 5], 2);
    let input = BatchLayout { embed: vec![3, 6, 7], stride: 2, dist: 300 };
    let output = BatchLayout { embed: vec![9, 4, 5], stride: 1, dist: 64 };
    let at = |l: &BatchLayout, b: usize, i: usize| {
        let (x, y, z) = (i / 20, i / 5 % 4, i % 5);
        b * l.dist + ((x * l.embed[1] + y) * l.embed[2] + z) * l.stride
    };
    let x = noise(rng, 60 * batch);
    let mut stored = vec![C64::new(f64::NAN, 0.0); 600];
    for (i, v) in x.iter().enumerate() {
        stored[at(&input, i / 60, i % 60)] = *v;
    }
    let mut y = on_device(&vec![C64::new(7.0, 7.0); 124]);
    let mut plan =
        Plan::plan_many(&shape, Some((input, output.clone())), FftType::Z2Z, batch).unwrap();
    plan.exec_z2z(&on_device(&stored), &mut y, Direction::Forward).unwrap();
    let mut wanted = vec![C64::new(7.0, 7.0); 124];
    for (b, x) in x.chunks(60).enumerate() {
        for (i, v) in dft(&shape, x, Direction::Forward).into_iter().enumerate() {
            wanted[at(&output, b, i)] = v;
        }
    }
    close("layout", &fetched(&y), &wanted, 1e-13);
    assert_eq!(rig.findings(), [""; 0]);
}

#[test]
fn the_sizes_of_npb_ft_keep_their_identities() {
    // T1 to T4 and class S: a delta, and forward then inverse.
    let rig = rig();
    for shape in [[16, 16, 16], [8, 16, 32], [32, 16, 8], [4, 8, 16], [64, 64, 64]] {
        let rng = &mut random(3);
        let n: usize = shape.iter().product();
        let mut plan = Plan::plan_3d(shape[0], shape[1], shape[2], FftType::Z2Z).unwrap();
        let mut delta = vec![C64::new(0.0, 0.0); n];
        delta[1] = C64::new(1.0, 0.0);
        let mut data = on_device(&delta);
        plan.exec_z2z_in_place(&mut data, Direction::Forward).unwrap();
        let wave = |i: usize| C64::from_polar(1.0, -TAU * (i % shape[2]) as f64 / shape[2] as f64);
        close("delta", &fetched(&data), &(0..n).map(wave).collect::<Vec<_>>(), 1e-14);
        let x = noise(rng, n);
        let mut data = on_device(&x);
        plan.exec_z2z_in_place(&mut data, Direction::Forward).unwrap();
        let y = fetched(&data);
        // Parseval.
        let energy = |x: &[C64]| x.iter().map(|v| v.norm_sqr()).sum::<f64>();
        assert_relative_eq!(energy(&y), n as f64 * energy(&x), max_relative = 1e-12);
        plan.exec_z2z_in_place(&mut data, Direction::Inverse).unwrap();
        let back: Vec<C64> = fetched(&data).iter().map(|v| v / n as f64).collect();
        close("back", &back, &x, 1e-14);
    }
    assert_eq!(rig.findings(), [""; 0]);
}

#[test]
fn refusals_have_the_vendors_status() {
    let rig = rig();
    let mut plan = Plan::plan_1d(8, FftType::C2C, 2).unwrap();
    let small = on_device(&[C32::new(0.0, 0.0); 15]);
    let mut large = on_device(&[C32::new(0.0, 0.0); 16]);
    let mut wide = on_device(&[C64::new(0.0, 0.0); 16]);
    let layout = |embed: Vec<usize>, stride| {
        Some((
            BatchLayout { embed: embed.clone(), stride, dist: 8 },
            BatchLayout { embed, stride, dist: 8 },
        ))
    };
    let cases = [
        (
            text(Plan::plan_1d(0, FftType::C2C, 1)),
            "cufftPlan1d: CUFFT_INVALID_SIZE: a dimension is 0: expected 1 to 2147483647",
        ),
        (
            text(Plan::plan_1d(8, FftType::C2C, 0)),
            "cufftPlan1d: CUFFT_INVALID_SIZE: batch is 0: expected 1 to 2147483647",
        ),
        (
            text(Plan::plan_many(&[2, 2, 2, 2], None, FftType::C2C, 1)),
            "cufftPlanMany: CUFFT_INVALID_SIZE: expected 1 to 3 dimensions, found 4",
        ),
        (
            text(Plan::plan_many(&[4, 4], layout(vec![4, 3], 1), FftType::C2C, 1)),
            "cufftPlanMany: CUFFT_INVALID_VALUE: input: embed has 3 elements for a dimension of 4",
        ),
        (
            text(Plan::plan_many(&[8], layout(vec![8], 0), FftType::C2C, 1)),
            "cufftPlanMany: CUFFT_INVALID_VALUE: input: the stride is 0: neighbours are at least 1 \
             apart",
        ),
        (
            text(Plan::plan_many(&[8], layout(vec![8, 8], 1), FftType::C2C, 1)),
            "cufftPlanMany: CUFFT_INVALID_VALUE: input: embed has 2 sizes for 1 dimensions",
        ),
        (
            text(plan.exec_c2c(&small, &mut large, Direction::Forward)),
            "cufftExecC2C: CUFFT_INVALID_VALUE: the input has 15 elements, but 2 transforms of [8] \
             need 16",
        ),
        (
            text(plan.exec_z2z_in_place(&mut wide, Direction::Forward)),
            "cufftExecZ2Z: CUFFT_INVALID_TYPE: the plan was made for C2C, not for Z2Z",
        ),
    ];
    for (found, wanted) in &cases {
        assert_eq!(found, wanted);
    }
    let error = std::thread::spawn(|| text(Plan::plan_1d(8, FftType::C2C, 1))).join().unwrap();
    assert!(error.starts_with("cufftPlan1d: CUFFT_SETUP_FAILED: no context is current"), "{error}");
    // A never-written input is a finding.
    let mut fresh = unwritten::<C32>(16);
    rig.calls();
    plan.exec_c2c_in_place(&mut fresh, Direction::Forward).unwrap();
    let found = rig.findings();
    assert!(
        found[0].contains("[0], the input of cufftExecC2C, is read but was never written"),
        "{found:?}"
    );
    drop(plan);
    assert_eq!(rig.calls(), ["cufftExecC2C", "cufftDestroy"]);
}
