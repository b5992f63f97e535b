//! Rows L513 to L520 of the specification: the transforms.

use std::f64::consts::TAU;

use hdl::board::Fpga;
use hdl::estimate::{Count, Device, Estimate, Multipliers, RIMLAB00};
use ipcores::fft::{
    Fft, FftCore, RADIX2_SCHEDULE, RADIX4_SCHEDULE, drive, peak, schedule_word, signal_to_noise,
};
use ipcores::magnitude::Pair;
use lab5_fpga_ip::compiler::FftArchitecture;
use lab5_fpga_ip::e5_1::PAIR;
use lab5_fpga_ip::e5_9::top;
use proptest::prelude::*;
use transforms::Precision;
use transforms::num_complex::Complex64;

fn build(architecture: FftArchitecture, fft: Fft) -> FftCore {
    architecture.build(fft).unwrap_or_else(|e| panic!("{architecture:?} of {fft:?}: {e}"))
}

fn tones(n: usize, tones: &[(f64, f64)]) -> Vec<(i64, i64)> {
    let value =
        |n: usize| -> f64 { tones.iter().map(|(a, f)| a * (TAU * f * n as f64).cos()).sum() };
    (0..n).map(|n| (value(n).trunc() as i64, 0)).collect()
}

/// The spectrum by an unrelated program.
fn exact(x: &[(i64, i64)], inverse: bool) -> Vec<(f64, f64)> {
    let mut data: Vec<Complex64> =
        x.iter().map(|&(re, im)| Complex64::new(re as f64, im as f64)).collect();
    let plans = f64::complex(data.len());
    plans[usize::from(inverse)].process(&mut data);
    data.into_iter().map(|c| (c.re, c.im)).collect()
}

/// The first bin that lies further from an exact spectrum than the cuts can explain: its number,
/// its distance and the bound. A cut takes at most 1 off each part, which the later stages of radix
/// r can enlarge by r and shift back.
fn furthest(
    bins: &[(i64, i64)],
    exact: &[(f64, f64)],
    schedule: &[u32],
    radix: u32,
) -> Option<(usize, f64, f64)> {
    let scale = f64::from(1u32 << schedule.iter().sum::<u32>());
    let mut bound = 0.0;
    for shift in schedule {
        bound = bound * 2f64.sqrt() * f64::from(radix) / f64::from(1u32 << shift) + 2f64.sqrt();
    }
    bound += 0.5;
    let off = |(&(re, im), &(er, ei)): (&(i64, i64), &(f64, f64))| {
        (re as f64 - er / scale).hypot(im as f64 - ei / scale)
    };
    let all = bins.iter().zip(exact).map(off).enumerate();
    all.map(|(k, off)| (k, off, bound))
        .find(|(_, off, bound)| off.partial_cmp(bound).is_none_or(|o| o.is_gt()))
}

/// Frame behind frame of random samples: a sample taken and a bin given in every clock, and each
/// spectrum that of rustfft.
#[test]
fn streaming_takes_a_sample_per_clock_and_gives_the_spectrum() {
    let fft = Fft::new(256, 16, 24).unwrap();
    let core = build(FftArchitecture::Streaming, fft);
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        hdl::signed(16).wrap((state >> 33) as i64)
    };
    let frames: Vec<Vec<(i64, i64)>> =
        (0..6).map(|_| (0..256).map(|_| (next(), next())).collect()).collect();
    for inverse in [false, true] {
        let schedule = fft.safe_schedule(2);
        let run = drive(&core.block, &frames, &schedule, inverse, 100_000).unwrap();
        assert_eq!(run.frames.len(), frames.len());
        for (n, (got, x)) in run.frames.iter().zip(&frames).enumerate() {
            let first = &run.frames[0];
            assert_eq!(got.loaded_from, first.loaded_from + 256 * n as u64, "frame {n}");
            assert_eq!(got.shown_from, first.shown_from + 256 * n as u64, "frame {n}");
            assert!(got.in_order && !got.overflow, "frame {n}");
            assert_eq!(furthest(&got.bins, &exact(x, inverse), &schedule, 2), None, "frame {n}");
        }
    }
}

/// L513: signal and noise, peaks and exactness of the fixed-point model.
#[test]
fn the_model_is_as_good_as_the_specification_says() {
    let fft = Fft::lab5();
    let other: [u32; 10] = [2, 1, 1, 1, 1, 1, 1, 1, 1, 0];
    // Amplitude, frequency, radix, schedule, and what is expected: peak magnitude, bin, least SNR
    // in dB.
    let (r4, r2) = (&RADIX4_SCHEDULE[..], &RADIX2_SCHEDULE[..]);
    let rows = [
        (8000.0, 0.26, 4, r4, 14535.0, 266, 45.0),
        (8000.0, 0.26, 2, r2, 1816.0, 266, 32.0),
        (8000.0, 0.26, 2, &other[..], 3633.0, 266, 34.0),
        (32767.0, 0.25, 2, r2, 8191.0, 256, 70.0),
        (8000.0, 0.25, 4, r4, 16000.0, 256, 200.0),
    ];
    for (a, f, radix, schedule, amplitude, bin, least) in rows {
        let x = tones(1024, &[(a, f)]);
        let got = fft.model(radix, schedule, &x, false);
        let scale = f64::from(1u32 << schedule.iter().sum::<u32>());
        let snr = signal_to_noise(&got.bins, &exact(&x, false), scale);
        let (k, magnitude) = peak(&got.bins);
        println!(
            "A {a} F {f} radix {radix} sum {scale}: peak {magnitude:.0} at {k}, SNR {snr:.1} dB"
        );
        assert!(!got.overflow && k == bin && snr >= least, "{k} {snr}");
        assert!((magnitude - amplitude).abs() <= 4.0, "{magnitude}");
        let rounded = fft.rounding().model(radix, schedule, &x, false);
        assert!(signal_to_noise(&rounded.bins, &exact(&x, false), scale) >= snr);
    }
}

/// Random complex samples of a width, and the worst cases: full scale, all of one sign or
/// alternating.
fn samples(n: usize, bits: u32) -> impl Strategy<Value = Vec<(i64, i64)>> {
    let ty = hdl::signed(bits);
    let any = prop::collection::vec((ty.min()..=ty.max(), ty.min()..=ty.max()), n);
    let alternating = move |i| match i % 2 {
        0 => (ty.max(), ty.min()),
        _ => (ty.min(), ty.max()),
    };
    prop_oneof![
        4 => any,
        1 => Just(vec![(ty.min(), ty.min()); n]),
        1 => Just((0..n).map(alternating).collect()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// L513: the model's spectrum is that of an exact transform within the bound of its cuts,
    /// forward and inverse.
    #[test]
    fn the_model_agrees_with_an_exact_transform(
        (log2, bits) in (2u32..=5, 10u32..=18).prop_map(|(l, b)| (2 * l, b)),
        seed in any::<u64>(),
        inverse in any::<bool>(),
    ) {
        let fft = Fft::new(1 << log2, bits, 24).unwrap();
        let n = fft.points() as usize;
        let ty = hdl::signed(bits);
        let mut state = seed | 1;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            ty.wrap((state >> 33) as i64)
        };
        let x: Vec<(i64, i64)> = (0..n).map(|_| (next(), next())).collect();
        let want = exact(&x, inverse);
        for radix in [2, 4] {
            let schedule = fft.safe_schedule(radix);
            let got = fft.model(radix, &schedule, &x, inverse);
            prop_assert!(!got.overflow);
            prop_assert_eq!(furthest(&got.bins, &want, &schedule, radix), None);
        }
    }

    /// L514 .. L517, L518: every bit of every core, in its declared clocks, whatever parameters,
    /// schedule and direction.
    #[test]
    fn every_architecture_is_exact(
        x in samples(64, 12),
        y in samples(64, 12),
        shifts in prop::collection::vec(0u32..=3, 6),
        (inverse, rounding) in (any::<bool>(), any::<bool>()),
    ) {
        let fft = Fft::new(64, 12, 18).unwrap();
        let fft = if rounding { fft.rounding() } else { fft };
        for architecture in FftArchitecture::ALL {
            let core = build(architecture, fft);
            let stages = fft.stages(core.radix).unwrap() as usize;
            let schedule = &shifts[..stages];
            check(&core, &[x.clone(), y.clone(), x.clone()], schedule, inverse);
        }
    }

    /// L518: the safe schedules never overflow.
    #[test]
    fn safe_schedules_never_overflow(x in samples(256, 16)) {
        let fft = Fft::new(256, 16, 24).unwrap();
        for radix in [2, 4] {
            prop_assert!(!fft.model(radix, &fft.safe_schedule(radix), &x, false).overflow);
        }
    }
}

/// Runs frames through a core and compares all with the model and the declaration.
fn check(core: &FftCore, frames: &[Vec<(i64, i64)>], schedule: &[u32], inverse: bool) {
    let name = core.block.name();
    let n = u64::from(core.fft.points());
    let run = drive(&core.block, frames, schedule, inverse, 1_000_000).unwrap();
    assert_eq!(run.frames.len(), frames.len(), "{name}");
    for (got, x) in run.frames.iter().zip(frames) {
        let want = core.fft.model(core.radix, schedule, x, inverse);
        assert_eq!(got.bins, want.bins, "{name}");
        assert_eq!(got.overflow, want.overflow, "{name}: ovflo");
        assert!(got.in_order, "{name}: order of the bins");
    }
    assert_eq!(run.done.len(), frames.len(), "{name}: done");
    assert!(run.edone.iter().zip(&run.done).all(|(e, d)| e + 1 == *d), "{name}: edone");
    let streaming = u64::from(core.period) == n;
    for pair in run.frames.windows(2) {
        let apart = pair[1].loaded_from - pair[0].loaded_from;
        assert_eq!(apart, u64::from(core.period), "{name}: from frame to frame");
        assert_eq!(pair[1].shown_from - pair[0].shown_from, apart, "{name}");
    }
    let compute = u64::from(core.compute_cycles());
    for (frame, done) in run.frames.iter().zip(&run.done) {
        // Streaming: from the first sample to the first bin; else from the last sample to `done`.
        if streaming {
            assert_eq!(frame.shown_from - frame.loaded_from, compute, "{name}: latency");
        } else {
            assert_eq!(done - (frame.loaded_from + n - 1), compute + 1, "{name}: computing");
        }
    }
    if !streaming {
        assert_eq!(run.busy, compute * frames.len() as u64, "{name}: busy");
    }
}

/// L513: the inverse of a spectrum is the input again.
#[test]
fn inverse_of_forward_restores_the_input() {
    let fft = Fft::lab5();
    // Small enough to be transformed without scaling; the way back divides by N.
    let x: Vec<(i64, i64)> =
        (0..1024).map(|n| (n * n * 31 % 301 - 150, n * n * 17 % 301 - 150)).collect();
    for (radix, back) in [(2, vec![1; 10]), (4, vec![2; 5])] {
        let forward = fft.model(radix, &[], &x, false);
        let back = fft.model(radix, &back, &forward.bins, true);
        assert!(!forward.overflow && !back.overflow);
        let worst = back.bins.iter().zip(&x).map(|(b, x)| (b.0 - x.0).abs().max((b.1 - x.1).abs()));
        // What is cut off has a mean of half a unit, which adds up in x(0) over the stages.
        let worst = worst.max().unwrap_or(0);
        println!("radix {radix}: off by {worst} at most");
        assert!(worst <= 12, "{worst}");
    }
}

/// L514 .. L517 at full size, with the clocks of the specification.
#[test]
fn lab5_transforms_have_their_clocks() {
    let fft = Fft::lab5();
    let x = tones(1024, &[(8000.0, 0.26), (3000.0, 0.1)]);
    for (architecture, engine, schedule) in [
        (FftArchitecture::Streaming, 1024, &RADIX2_SCHEDULE[..]),
        (FftArchitecture::Radix4, 1280, &RADIX4_SCHEDULE[..]),
        (FftArchitecture::Radix2, 5120, &RADIX2_SCHEDULE[..]),
        (FftArchitecture::Lite, 10240, &RADIX2_SCHEDULE[..]),
    ] {
        let core = build(architecture, fft);
        assert_eq!(core.engine, engine, "{architecture:?}");
        check(&core, &[x.clone(), tones(1024, &[(20.0, 0.4)])], schedule, false);
        println!("{architecture:?}: {engine} + {} clocks, period {}", core.flush, core.period);
    }
}

/// L518: 16000 fits, 17000 does not.
#[test]
fn overflow_is_flagged_where_it_is() {
    let core = build(FftArchitecture::Radix4, Fft::lab5());
    for (a, overflow) in [(16000.0, false), (17000.0, true)] {
        let x = tones(1024, &[(a, 0.25)]);
        let run = drive(&core.block, &[x], &RADIX4_SCHEDULE, false, 10_000).unwrap();
        assert_eq!(run.frames[0].overflow, overflow, "{a}");
        if !overflow {
            assert_eq!(run.frames[0].bins[256], (32000, 0));
        }
    }
}

fn magnitudes(pair: Pair, bins: &[(i64, i64)]) -> Vec<i16> {
    bins.iter().map(|&(re, im)| pair.reference(re as i16, im as i16) as i16).collect()
}

/// L519: transform, magnitude and delay on the board.
#[test]
fn the_top_gives_the_magnitudes_of_the_spectrum() {
    let fft = Fft::lab5();
    let core = build(FftArchitecture::Radix4, fft);
    let design = top(&core, schedule_word(&RADIX4_SCHEDULE)).unwrap();
    let mut fpga = Fpga::new(&design).unwrap().accept_late_writes();
    for list in [
        &[(8000.0, 0.26)][..],
        &[(4000.0, 0.1), (4000.0, 0.2)],
        &[(3000.0, 0.05), (2500.0, 0.2), (2000.0, 0.41)],
    ] {
        let x = tones(1024, list);
        let reals: Vec<f64> = x.iter().map(|v| v.0 as f64).collect();
        let run = fpga.run(&reals).unwrap();
        let model = fft.model(4, &RADIX4_SCHEDULE, &x, false);
        assert_eq!(run.y, magnitudes(PAIR, &model.bins));
        assert_eq!((run.words, run.dropped, run.finished), (1024, 0, true));
        assert_eq!(run.cycles, u64::from(core.compute_cycles()) + 1);
        // The largest words of the lower half lie where the tones are.
        let mut order: Vec<usize> =
            (2..510).filter(|&k| run.y[k] >= run.y[k - 1] && run.y[k] > run.y[k + 1]).collect();
        order.sort_by_key(|&k| std::cmp::Reverse(run.y[k]));
        let mut found: Vec<usize> = order[..list.len()].to_vec();
        found.sort_unstable();
        let want: Vec<usize> = list.iter().map(|(_, f)| (f * 1024.0).round() as usize).collect();
        assert_eq!(found, want);
    }
    let e = Estimate::new(&design, &Device::XC3S700A, Multipliers::Blocks);
    println!("{e}");
    assert_eq!(e.total.fits(&Device::XC3S700A, RIMLAB00).0, 1, "it must fit once");
}

/// L515 .. L517, L520: resources and clocks in their order.
#[test]
fn resources_stand_in_the_order_of_the_specification() {
    let cores = FftArchitecture::ALL.map(|a| build(a, Fft::lab5()));
    let counts: Vec<Count> = (cores.iter())
        .map(|c| Estimate::new(&c.block, &Device::XC3S700A, Multipliers::Blocks).total)
        .collect();
    for (core, count) in cores.iter().zip(&counts) {
        let e = Estimate::new(&core.block, &Device::XC3S700A, Multipliers::Blocks);
        println!(
            "{}: {count:?}, {} + {}, {:.0} MHz",
            core.block.name(),
            core.engine,
            core.flush,
            e.mhz
        );
    }
    let [streaming, radix4, radix2, lite] = counts[..] else { panic!() };
    assert_eq!((radix4.multipliers, radix2.multipliers, lite.multipliers), (18, 6, 4));
    assert!(cores.windows(2).all(|w| w[0].period < w[1].period));
    assert!(counts.windows(2).all(|w| w[0].multipliers > w[1].multipliers));
    assert!(lite.luts < radix2.luts && radix2.luts < radix4.luts && radix4.luts < streaming.luts);
    assert_eq!(streaming.fits(&Device::XC3S700A, RIMLAB00).0, 0);
}
