//! Rows L501 to L510 of the specification: the filters.

use hdl::Simulator;
use hdl::board::Fpga;
use hdl::estimate::{Count, Device, Estimate, Multipliers};
use ipcores::fir::{Fir, FirCore, drive, explain, top};
use lab5_fpga_ip::compiler::FirArchitecture;
use proptest::prelude::*;

fn build(architecture: FirArchitecture, fir: &Fir) -> FirCore {
    architecture.build(fir).unwrap_or_else(|e| panic!("{architecture:?} of {fir:?}: {e}"))
}

fn count(core: &FirCore, style: Multipliers) -> Count {
    Estimate::new(&core.block, &Device::XC3S700A, style).total
}

/// Coefficients and samples within their widths, the extremes among them.
fn numbers(bits: u32, length: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<i64>> {
    let ty = hdl::signed(bits);
    let one = prop_oneof![
        6 => ty.min()..=ty.max(),
        1 => Just(ty.min()),
        1 => Just(ty.max()),
        1 => Just(0i64),
    ];
    prop::collection::vec(one, length)
}

fn filters() -> impl Strategy<Value = (Fir, Vec<i64>)> {
    (2u32..=18, 2u32..=18).prop_flat_map(|(data, coefficient)| {
        let taps =
            prop_oneof![4 => numbers(coefficient, 2..=17), 1 => numbers(coefficient, 18..=64)];
        (taps, numbers(data, 1..=40))
            .prop_map(move |(h, x)| (Fir::new(&h, data, coefficient).unwrap(), x))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// L501, L502, L503 .. L507: any parameters, any gaps: every bit, one result per sample, in the
    /// declared clock.
    #[test]
    fn every_architecture_is_exact_under_any_gaps((fir, x) in filters(), gaps in any::<u64>()) {
        let want = fir.reference(&x);
        for architecture in FirArchitecture::ALL {
            let core = build(architecture, &fir);
            prop_assert_eq!(core.block.signal_type("dout"), Some(hdl::signed(fir.width())));
            let ports = core.block.inputs().into_iter().chain(core.block.outputs());
            let ports: Vec<String> = ports.map(|p| p.name).collect();
            prop_assert_eq!(ports, ["din", "nd", "rfd", "rdy", "dout"]);
            let (mut pattern, patience) = (gaps | 1, u64::from(core.latency + core.period));
            // The gap pattern of all ones is no gap at all.
            let gapless = gaps.is_multiple_of(3);
            let run = drive(&core.block, &x, patience, || {
                pattern = pattern.rotate_left(1);
                gapless || pattern & 1 == 1
            }).unwrap();
            prop_assert_eq!(&run.y, &want, "{:?}", architecture);
            let late: Vec<u64> = run.ready.iter().zip(&run.taken).map(|(r, t)| r - t).collect();
            let latency = u64::from(core.latency);
            prop_assert!(late.iter().all(|&l| l == latency), "{:?}: {:?}", architecture, late);
            if gapless && x.len() > 1 {
                prop_assert_eq!(run.period(), Some(u64::from(core.period)));
            }
        }
    }
}

/// Bits per clock that do not divide the bits of a sample, and are no power of two: the last group
/// is filled with copies of the sign.
#[test]
fn any_number_of_bits_per_clock_is_exact() {
    for (data, p, period) in [
        (16, 3, 6),
        (16, 5, 4),
        (16, 6, 3),
        (16, 11, 2),
        (9, 2, 5),
        (13, 4, 4),
        (7, 8, 1),
        (18, 7, 3),
    ] {
        let fir = Fir::new(&[-1024, 1023, 0, -1, 300, 77, -512], data, 11).unwrap();
        let ty = hdl::signed(data);
        let mut x: Vec<i64> = (0..60).map(|n: i64| ty.wrap(n * n * 977 - 731 * n)).collect();
        x.extend([ty.min(), ty.max(), ty.min(), ty.min(), 0, -1]);
        let core = build(FirArchitecture::Distributed(p), &fir);
        assert_eq!(core.period, period, "{p} of {data} bits");
        let run = drive(&core.block, &x, u64::from(core.latency + core.period), || true).unwrap();
        assert_eq!(run.y, fir.reference(&x), "{p} of {data} bits");
        assert_eq!(run.period(), Some(u64::from(period)), "{p} of {data} bits");
        let late = run.ready.iter().zip(&run.taken).map(|(r, t)| r - t);
        assert!(late.into_iter().all(|l| l == u64::from(core.latency)), "{p} of {data} bits");
    }
}

#[test]
fn parameters_out_of_range_are_refused_with_the_limits() {
    for (h, data, coefficient, says) in [
        (&[1][..], 8, 8, "taps: 1"),
        (&[1; 65], 8, 8, "2 to 64"),
        (&[1, 2], 1, 8, "sample"),
        (&[1, 2], 19, 8, "18"),
        (&[1, 2], 8, 19, "coefficient"),
        (&[1, 200], 8, 8, "coefficient 1 is 200"),
    ] {
        let error = Fir::new(h, data, coefficient).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn lab5_filters_have_their_clocks_and_parts() {
    let fir = Fir::lab5();
    assert_eq!(fir.width(), 35);
    let cores: Vec<(String, FirCore)> =
        FirArchitecture::ALL.map(|a| (a.name(), build(a, &fir))).into();
    let get = |name: &str| &cores.iter().find(|(n, _)| n == name).unwrap().1;
    let parts = |name: &str| count(get(name), Multipliers::Blocks);
    for (name, period, multipliers) in [
        ("systolic", 1, 8),
        ("transposed", 1, 8),
        ("da1", 16, 0),
        ("da2", 8, 0),
        ("da4", 4, 0),
        ("da8", 2, 0),
        ("da16", 1, 0),
        ("mac", 8, 1),
    ] {
        assert_eq!(get(name).period, period, "{name}");
        assert_eq!(parts(name).multipliers, multipliers, "{name}");
    }
    assert!(parts("systolic").ffs > parts("transposed").ffs);
    assert!(get("transposed").latency <= get("systolic").latency);
    let in_logic = count(get("systolic"), Multipliers::Logic).luts;
    assert!(2 * parts("da1").luts < in_logic, "{} of {in_logic}", parts("da1").luts);
    let (serial, parallel) = (parts("da1"), parts("da16"));
    println!(
        "parallel over serial: LUT {:.1}, FF {:.1}",
        f64::from(parallel.luts) / f64::from(serial.luts),
        f64::from(parallel.ffs) / f64::from(serial.ffs)
    );
    assert!(parallel.luts + parallel.ffs > serial.luts + serial.ffs);
}

/// Samples of the report: a step of 13 samples, and single ones.
fn stimulus() -> Vec<f64> {
    let step = 24..=36;
    (1..=1024)
        .map(|n| if step.contains(&n) || n >= 32 && n % 16 == 0 { 32767.0 } else { 0.0 })
        .collect()
}

/// L508: the top is the same for all, only the core changes.
#[test]
fn the_top_runs_every_core_unchanged() {
    let fir = Fir::lab5();
    let x = stimulus();
    let words: Vec<i64> = x.iter().map(|&v| v as i64).collect();
    let want: Vec<i16> = fir.reference(&words).iter().map(|y| (y >> 17) as i16).collect();
    assert_eq!(want[47..55], [4095, 3583, 3071, 2559, 2047, 1535, 1023, 511]);
    assert_eq!(want.iter().max(), Some(&18429));
    for architecture in FirArchitecture::ALL {
        let core = build(architecture, &fir);
        let mut fpga = Fpga::new(&top(&core.block, 17).unwrap()).unwrap();
        let run = fpga.run(&x).unwrap();
        assert_eq!(run.y, want, "{architecture:?}");
        assert_eq!((run.words, run.dropped, run.finished), (1024, 0, true), "{architecture:?}");
        assert_eq!(run.cycles, core.run_cycles(1024), "{architecture:?}");
    }
}

/// L509: samples of the last run stay in the core.
#[test]
fn a_second_run_continues_the_first() {
    let fir = Fir::lab5();
    let ramp = |from: i64| -> Vec<i64> { (0..1024).map(|n| (from + n * 37) % 30000).collect() };
    let (a, b) = (ramp(500), ramp(-9000));
    let cut = |y: &[i64]| -> Vec<i16> { y.iter().map(|v| (v >> 17) as i16).collect() };
    let joined: Vec<i64> = a.iter().chain(&b).copied().collect();
    let alone = cut(&fir.reference(&b));
    let continued = cut(&fir.reference(&joined))[1024..].to_vec();
    assert!(alone[..7].iter().zip(&continued).all(|(a, c)| a != c) && alone[7..] == continued[7..]);
    let floats = |x: &[i64]| -> Vec<f64> { x.iter().map(|&v| v as f64).collect() };
    for architecture in FirArchitecture::ALL {
        let core = build(architecture, &fir);
        let mut fpga = Fpga::new(&top(&core.block, 17).unwrap()).unwrap();
        fpga.run(&floats(&a)).unwrap();
        assert_eq!(fpga.run(&floats(&b)).unwrap().y, continued, "{architecture:?}");
        fpga.power_cycle();
        assert_eq!(fpga.run(&floats(&b)).unwrap().y, alone, "{architecture:?}");
    }
    // With a clear every run begins as the first one does.
    let fir = fir.with_clear();
    for architecture in FirArchitecture::ALL {
        let core = build(architecture, &fir);
        let mut fpga = Fpga::new(&top(&core.block, 17).unwrap()).unwrap();
        fpga.run(&floats(&a)).unwrap();
        let second = fpga.run(&floats(&b)).unwrap();
        assert_eq!(second.y, alone, "{architecture:?}");
        assert_eq!(second.cycles, core.run_cycles(1024), "{architecture:?}");
    }
}

/// A clear in the middle of anything: what comes after it is what comes first at power-up.
#[test]
fn a_cleared_core_is_a_new_one() {
    let fir = Fir::new(&[5, -77, 128, 19, -128], 8, 9).unwrap().with_clear();
    for architecture in FirArchitecture::ALL {
        let core = build(architecture, &fir);
        for at in 1..40 {
            let (mut used, mut fresh) = (Simulator::new(&core.block), Simulator::new(&core.block));
            for n in 0..at {
                used.set("din", n * 37 % 128).unwrap();
                used.set("nd", i64::from(n % 5 != 3)).unwrap();
                used.step();
            }
            used.set("sclr", 1).unwrap();
            used.step();
            used.set("sclr", 0).unwrap();
            for n in 0..60 {
                for sim in [&mut used, &mut fresh] {
                    sim.set("din", n * 91 % 251 - 125).unwrap();
                    sim.set("nd", i64::from(n % 7 != 2)).unwrap();
                }
                for port in ["rfd", "rdy"] {
                    assert_eq!(used.get(port), fresh.get(port), "{architecture:?} {port} {at} {n}");
                }
                if fresh.get("rdy") == Ok(1) {
                    assert_eq!(used.get("dout"), fresh.get("dout"), "{architecture:?} {at} {n}");
                }
                [&mut used, &mut fresh].into_iter().for_each(Simulator::step);
            }
        }
    }
}

/// L510: the printed response is that of the hardware's own impulse response.
#[test]
fn the_explanation_shows_the_response_latency_and_resources() {
    let fir = Fir::lab5();
    let core = build(FirArchitecture::Systolic, &fir);
    let text = explain(&fir, &core, &Device::XC3S700A);
    let mut impulse = vec![0; 8];
    impulse[0] = 1;
    let h = drive(&core.block, &impulse, 20, || true).unwrap().y;
    assert_eq!(h, fir.coefficients());
    let total: f64 = h.iter().map(|&v| v as f64).sum();
    let mut lines = 0;
    for line in text.lines().skip(3).take(17) {
        let numbers: Vec<f64> =
            line.split_whitespace().take(2).map(|w| w.parse().unwrap()).collect();
        let w = std::f64::consts::TAU * numbers[0];
        let sum = |f: fn(f64) -> f64| -> f64 {
            h.iter().enumerate().map(|(k, &v)| v as f64 * f(w * k as f64)).sum()
        };
        let db = 20.0 * (sum(f64::cos).hypot(sum(f64::sin)) / total).log10();
        assert!((db - numbers[1]).abs() < 0.1, "{line}: {db}");
        lines += 1;
    }
    assert_eq!(lines, 17);
    for word in ["8 taps", "35 bits", "10 clocks after", "MULT", "fir_systolic"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}
