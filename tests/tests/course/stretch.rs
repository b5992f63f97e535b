//! The kernels beyond lab 2's exercises: right for random sizes, without a fault, and with the
//! counts that they promise.

#[path = "../../../crates/simt/tests/support/bench.rs"]
mod bench;

use bench::Arg::{I, P};
use bench::Bench;
use proptest::prelude::*;

const FIR: &str = include_str!("../../../tools/lab2/fir_fast.cu");
const FIR_FFT: &str = include_str!("../../../tools/lab2/fir_fft.cu");
const AAT: &str = include_str!("../../../tools/lab2/aat_fast.cu");
const TENSOR: &str = include_str!("../../../lab2-optimization/kernels/mmt_tensor.cu");

/// Filters two channels of `len` samples; the report's counters, too.
fn fir(x: &[f32], h: &[f32], len: usize) -> (Vec<f32>, simt::report::Counters) {
    let (threads, outputs, window) = (256, 16, 64);
    let bench = Bench::new(FIR);
    let yin = bench.buffer("yin", x);
    let (taps, _) = bench.instance.global("taps").expect("the kernel's coefficients");
    bench.memory.write(taps, bytemuck::cast_slice(h)).unwrap();
    let yout = bench.empty::<f32>("yout", 2 * len);
    let history = h.len().next_multiple_of(window);
    let tile = threads * outputs;
    let samples = history + tile;
    let shared = 4 * (samples + samples / outputs * 4);
    let args = [P(yout), P(yin), I(h.len() as i32 - 1), I(len as i32)];
    let grid = [len.div_ceil(tile) as u32, 2, 1];
    let report = bench
        .run3("audiofir_fast", grid, [threads as u32, 1, 1], shared as u32, &args)
        .unwrap_or_else(|fault| panic!("{fault:?}"));
    (bench.read(yout, 2 * len), report.total)
}

/// The same by overlap-save, of any number of channels.
fn fir_fft(
    x: &[f32],
    h: &[f32],
    len: usize,
    channels: usize,
) -> (Vec<f32>, simt::report::Counters) {
    let bench = Bench::new(FIR_FFT);
    let (yin, coeff) = (bench.buffer("yin", x), bench.buffer("coeff", h));
    let (yout, spectrum) =
        (bench.empty::<f32>("yout", channels * len), bench.empty::<[f32; 2]>("spectrum", 4096));
    let (n, block) = (h.len() - 1, [256, 1, 1]);
    let run = |kernel: &str, grid: [u32; 3], args: &[bench::Arg]| {
        bench.run3(kernel, grid, block, 0, args).unwrap_or_else(|fault| panic!("{fault:?}"))
    };
    run("audiofir_spectrum", [1; 3], &[P(spectrum), P(coeff), I(n as i32)]);
    let grid = [len.div_ceil(4096 - n) as u32, channels.div_ceil(2) as u32, 1];
    let sizes = [n, len, channels].map(|size| I(size as i32));
    let [n, len_arg, channels_arg] = sizes;
    let args = [P(yout), P(yin), P(spectrum), n, len_arg, channels_arg];
    let report = run("audiofir_fft", grid, &args);
    (bench.read(yout, channels * len), report.total)
}

/// One output in double precision, and the bound of its rounding errors.
fn exact(x: &[f32], h: &[f32], i: usize) -> (f64, f64) {
    let products = (0..h.len().min(i + 1)).map(|k| f64::from(x[i - k]) * f64::from(h[k]));
    let (sum, size) = products.fold((0.0, 0.0), |(s, a), p| (s + p, a + p.abs()));
    let steps = (h.len() + 2) as f64 * f64::from(f32::EPSILON) / 2.0;
    (sum, size * steps / (1.0 - steps) + 1e-45)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_fast_filter_is_right(
        len in 1usize..5000,
        order in 0usize..140,
        seed in any::<u64>(),
        spoilt in any::<prop::sample::Index>(),
    ) {
        let mut rng = fastrand(seed);
        let h: Vec<f32> = (0..=order).map(|_| rng()).collect();
        let mut x: Vec<f32> = (0..2 * len).map(|_| rng()).collect();
        let at = spoilt.index(2 * len);
        x[at] = f32::NAN;
        let (y, _) = fir(&x, &h, len);
        for i in 0..2 * len {
            // A NaN spoils the n + 1 outputs of its channel that it takes part in, and no other.
            let reached = i / len == at / len && (at..=at + order).contains(&i);
            prop_assert_eq!(y[i].is_nan(), reached, "output {} of {}, NaN at {}", i, 2 * len, at);
            if !reached {
                let channel = &x[i / len * len..];
                let (want, bound) = exact(channel, &h, i % len);
                let error = (f64::from(y[i]) - want).abs();
                prop_assert!(error <= bound, "output {}: {} is not {}", i, y[i], want);
            }
        }
    }

    #[test]
    fn the_filter_by_transforms_is_right(
        len in 1usize..9000,
        order in prop_oneof![0usize..140, Just(1024), Just(4095)],
        channels in 1usize..4,
        seed in any::<u64>(),
    ) {
        // With one output a block, a long channel is many blocks.
        let len = if order == 4095 { len.min(20) } else { len };
        let mut rng = fastrand(seed);
        let h: Vec<f32> = (0..=order).map(|_| rng()).collect();
        let x: Vec<f32> = (0..channels * len).map(|_| rng()).collect();
        let (y, _) = fir_fft(&x, &h, len, channels);
        // Three transforms of 12 levels: what each rounds is a part of the norm, by which an
        // output is bounded.
        let norm = |v: &[f32]| v.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
        for (channel, y) in x.chunks(len).zip(y.chunks(len)) {
            for i in (0..len).step_by(1 + len / 97).chain([len - 1]) {
                let (want, _) = exact(channel, &h, i);
                let pair = (2 * 4096usize.min(len)) as f64;
                let bound = 36.0 * f64::from(f32::EPSILON) * norm(&h) * pair.sqrt();
                let error = (f64::from(y[i]) - want).abs();
                prop_assert!(error <= bound, "output {i}: {} is not {want} +- {bound}", y[i]);
            }
        }
    }

    #[test]
    fn the_fast_product_is_right_and_symmetric(
        m in 1usize..300, n in 1usize..40, blocks in 1u32..9, seed in any::<u64>()
    ) {
        let mut rng = fastrand(seed);
        // Small integers: every sum is exact.
        let a: Vec<f32> = (0..m * n).map(|_| (rng() * 8.0).round()).collect();
        let (c, ..) = aat(&a, m, n, blocks);
        for i in 0..m {
            for j in 0..m {
                let want: f32 = (0..n).map(|k| a[i * n + k] * a[j * n + k]).sum();
                prop_assert_eq!(c[i * m + j], want, "C[{}][{}] of {} x {}", i, j, m, n);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn the_product_by_tensor_cores_is_right_and_symmetric(
        kind in prop::sample::select(&TENSOR_KINDS[..]),
        m in 1usize..300,
        n in 0usize..70,
        whole in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut rng = fastrand(seed);
        let a: Vec<f32> =
            (0..m * n).map(|_| if whole { (rng() * 8.0).round() } else { rng() }).collect();
        let (c, _) = by_tensor_cores(kind, &a, m, n);
        for (p, found) in c.iter().enumerate() {
            let (i, j) = (p / m, p % m);
            let products = (0..n).map(|k| f64::from(a[i * n + k]) * f64::from(a[j * n + k]));
            let (want, size) = products.fold((0.0, 0.0), |(s, a), p| (s + p, a + p.abs()));
            // Both numbers of a product are rounded, and all sums; small integers are exact.
            let sums = (kind.products * n) as f64 * f64::from(f32::EPSILON) / 2.0;
            let bound = 1.01 * size * (2.0 * 0.5f64.powi(kind.bits) + sums) + 1e-45;
            let error = (f64::from(*found) - want).abs();
            prop_assert!(
                error <= if whole { 0.0 } else { bound },
                "{}: C[{i}][{j}] of {m} x {n}: {found} is not {want}", kind.name
            );
            prop_assert_eq!(*found, c[j * m + i], "{}: not symmetric", kind.name);
        }
    }
}

/// A kind of numbers that tensor cores multiply.
#[derive(Clone, Copy, Debug)]
struct TensorKind {
    name: &'static str,
    /// Columns of a fragment, numbers that stand for one, products for one.
    depth: usize,
    parts: usize,
    products: usize,
    /// Bits of a number.
    bits: i32,
}

const TENSOR_KINDS: [TensorKind; 4] = [
    TensorKind { name: "bf16", depth: 16, parts: 1, products: 1, bits: 8 },
    TensorKind { name: "tf32", depth: 8, parts: 1, products: 1, bits: 11 },
    TensorKind { name: "bf16_twice", depth: 16, parts: 2, products: 3, bits: 16 },
    TensorKind { name: "tf32_twice", depth: 8, parts: 2, products: 3, bits: 22 },
];

/// The product by tensor cores; the counters of multiplying.
fn by_tensor_cores(
    kind: TensorKind,
    a: &[f32],
    m: usize,
    n: usize,
) -> (Vec<f32>, simt::report::Counters) {
    let bench = Bench::new(TENSOR);
    let from = bench.buffer("A", if a.is_empty() { &[0.0f32] } else { a });
    let c = bench.empty::<f32>("C", m * m);
    let steps = n.div_ceil(kind.depth).max(1).next_multiple_of(4);
    let fragments = m.div_ceil(128) * 8;
    let packed = bench.empty::<[u32; 4]>("packed", fragments * steps * kind.parts * 32);
    let run = |of: &str, grid: [usize; 2], block: u32, shared: u32, args: &[bench::Arg]| {
        let [x, y] = grid.map(|blocks| blocks as u32);
        bench
            .run3(&format!("{of}_{}", kind.name), [x, y, 1], [block, 1, 1], shared, args)
            .unwrap_or_else(|fault| panic!("{fault:?}"))
            .total
    };
    let [m_arg, n_arg, steps_arg] = [m, n, steps].map(|size| I(size as i32));
    run("pack", [steps / 4, fragments], 128, 0, &[P(packed), P(from), m_arg, n_arg, steps_arg]);
    let [m_arg, steps_arg] = [m, steps].map(|size| I(size as i32));
    let args = [P(c), P(packed), m_arg, steps_arg];
    let counters = run("mmt", [m.div_ceil(128); 2], 128, 3 * (32 << 10), &args);
    (bench.read(c, m * m), counters)
}

/// The product; the counters of packing and of multiplying.
fn aat(
    a: &[f32],
    m: usize,
    n: usize,
    blocks: u32,
) -> (Vec<f32>, simt::report::Counters, simt::report::Counters) {
    let bench = Bench::new(AAT);
    let from = bench.buffer("A", a);
    let c = bench.empty::<f32>("C", m * m);
    let tiles = m.div_ceil(128);
    let packed = bench.empty::<f32>("packed", tiles * 128 * n.next_multiple_of(8));
    let partial = bench.empty::<f32>("partial", 2 * blocks as usize * 128 * 128);
    let arrived = bench.buffer("arrived", &vec![0i32; tiles * (tiles + 1) / 2]);
    let run = |kernel: &str, grid: [u32; 3], block: u32, args: &[bench::Arg]| {
        bench
            .run3(kernel, grid, [block, 1, 1], 0, args)
            .unwrap_or_else(|fault| panic!("{fault:?}"))
            .total
    };
    let (m_arg, n_arg) = (m as i32, n as i32);
    let parts = [n.div_ceil(32) as u32, tiles as u32, 1];
    let packing = run("matmultran_pack", parts, 256, &[P(packed), P(from), I(m_arg), I(n_arg)]);
    let args = [P(c), P(packed), P(partial), P(arrived), I(m_arg), I(n_arg)];
    let multiplying = run("matmultran_fast", [blocks, 1, 1], 128, &args);
    assert!(bench.read::<i32>(arrived, tiles * (tiles + 1) / 2).iter().all(|&slabs| slabs == 0));
    (bench.read(c, m * m), packing, multiplying)
}

/// Numbers from -1 to 1.
fn fastrand(seed: u64) -> impl FnMut() -> f32 {
    use rand::{RngExt, SeedableRng};
    let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(seed);
    move || rng.random_range(-1.0..1.0)
}

#[test]
fn shared_memory_feeds_many_multiplications_and_has_no_conflicts() {
    let len = 4096;
    let h = vec![0.5f32; 1025];
    let (_, c) = fir(&vec![1.0; 2 * len], &h, len);
    // fir5 needs one load of shared memory per multiplication; here one 16-byte load feeds 64.
    assert!(32 * c.shld_req * 50 < c.flop / 2, "{} loads for {} operations", c.shld_req, c.flop);
    // A 16-byte request of a warp is four wavefronts; one that takes outputs to where they are
    // stored from crosses the padding: eight.
    let outputs = (2 * len / 4 / 32) as u64;
    assert_eq!(c.shld_wf, 4 * (c.shld_req + outputs));

    // By transforms, two channels at once, 90 operations an output in place of 2050.
    let (_, c) = fir_fft(&vec![1.0; 2 * 3072], &h, 3072, 2);
    assert!(c.flop < 90 * 2 * 3072, "{} operations", c.flop);
    assert_eq!((c.shst_wf, c.shld_wf), (c.shst_req, c.shld_req));

    // By tensor cores: 16 bytes a lane from global memory; eight fragments for 32 products, each of
    // which is 16 x 8 x 16 multiplications (half as deep for tf32). A fragment is four matrices of
    // 8 rows, each one wavefront.
    let (m, n) = (256, 128);
    let (_, c) = by_tensor_cores(TENSOR_KINDS[0], &vec![1.0; m * n], m, n);
    assert_eq!((c.shld_wf, c.gld_sec), (c.shld_req, 16 * c.gld_req));
    let products = 3 * 128 * 128 * n as u64 / (16 * 8 * 16);
    assert_eq!(c.shld_req * 32, products * 8 * 4, "{} loads", c.shld_req);

    let (m, n) = (256, 64);
    let (_, packing, c) = aat(&vec![1.0; m * n], m, n, 3);
    assert_eq!((packing.shst_wf, packing.shld_wf), (packing.shst_req, packing.shld_req));
    assert_eq!((packing.gld_sec, packing.gst_sec), (packing.gld_req * 4, packing.gst_req * 4));
    // Three tiles of four are computed; a thread spends five operations on finding its tile, and
    // copies its sums by adding zero.
    let products = 3 * 128 * 128 * n as u64;
    assert_eq!(c.flop, 2 * products + 3 * 128 * (5 + 128));
    assert_eq!((c.gld_sec, c.gst_sec), (c.gld_req * 16, c.gst_req * 16), "16 bytes a lane");
    assert_eq!(c.shst_wf, 4 * c.shst_req, "slabs come as they are");
    assert_eq!(c.shld_wf, 2 * c.shld_req, "half a warp of 16-byte loads in one wavefront");
    // Six loads feed 128 multiplications; the first four are made twice.
    assert_eq!(32 * (c.shld_req - 3 * 4 * 4) * 128, products * 6);
}
