//! The written cores in outside programs: VHDL that a second parser reads, the same answers in GHDL
//! and Icarus, the parts that Yosys counts, proofs that VHDL and Verilog are the same, clock rates.
//! A test whose program is missing says so and passes, except where it is required.

use hdl::estimate::{Device, Estimate, Multipliers};
use hdl::tools::{self, have};
use hdl::write::{bench, vhdl};
use hdl::{Block, Module, Sig, bit, signed};
use ipcores::fft::{Fft, schedule_word};
use ipcores::fir::{Fir, FirCore};
use ipcores::magnitude::{PAIRS, Pair};
use lab5_fpga_ip::compiler::{FftArchitecture, FirArchitecture};
use lab5_fpga_ip::e5_1::mag16;
use lab5_fpga_ip::e5_2::delaysel;

/// Our answer, GHDL's to the VHDL (under both standards) and Icarus's to the Verilog must be the
/// same bytes.
fn same_everywhere(top: &Block, cycles: &[Vec<i64>]) {
    let (_, errors) = vhdl_syntax::parser::parse(vhdl::design(top).as_str());
    assert!(errors.is_empty(), "{}: {errors:?}", top.name());
    let ours = bench::response(top, cycles).unwrap();
    assert!(ours.lines().collect::<std::collections::BTreeSet<_>>().len() > 1, "it does nothing");
    let missing = tools::agree(top, cycles).unwrap_or_else(|e| panic!("{e}"));
    missing.into_iter().for_each(|tool| _ = have(tool));
}

/// Every filter with lab 5's coefficients and two more sets, with and without a clear.
#[test]
fn filters_answer_the_same_everywhere() {
    let random: Vec<i64> = (0..6).map(|k| signed(11).wrap(k * k * 977 - 731 * k)).collect();
    let sets = [
        Fir::lab5(),
        Fir::new(&[-1024, 1023, 0, -1, 300], 9, 11).unwrap().with_clear(),
        Fir::new(&random, 12, 11).unwrap(),
    ];
    for (fir, seed) in sets.iter().zip(5..) {
        // Three and five bits per clock do not divide a sample.
        let odd = [FirArchitecture::Distributed(3), FirArchitecture::Distributed(5)];
        for architecture in FirArchitecture::ALL.into_iter().chain(odd) {
            let core = architecture.build(fir).unwrap();
            let mut cycles = tools::random_cycles(&core.block, 120, seed);
            if fir.has_clear() {
                // Seldom, or nothing would ever come out.
                let at = core.block.inputs().iter().position(|p| p.name == "sclr").unwrap();
                cycles.iter_mut().enumerate().for_each(|(n, c)| c[at] = i64::from(n % 40 == 39));
            }
            same_everywhere(&core.block, &cycles);
        }
    }
}

/// Every transform through two frames, with the wires that its control needs.
#[test]
fn transforms_answer_the_same_everywhere() {
    let fft = Fft::new(16, 12, 16).unwrap();
    for architecture in FftArchitecture::ALL {
        let core = architecture.build(fft).unwrap();
        let mut cycles = tools::random_cycles(&core.block, 420, 7);
        let word = schedule_word(&fft.safe_schedule(core.radix));
        let ports = core.block.inputs();
        let at = |name: &str| ports.iter().position(|p| p.name == name).unwrap();
        for (n, cycle) in cycles.iter_mut().enumerate() {
            let first = i64::from(n == 0);
            cycle[at("start")] = i64::from(n % 200 == 0);
            cycle[at("unload")] = 1;
            cycle[at("fwd_inv")] = i64::from(n > 200);
            (cycle[at("fwd_inv_we")], cycle[at("scale_sch_we")]) = (first, first);
            cycle[at("scale_sch")] = word;
        }
        same_everywhere(&core.block, &cycles);
    }
}

#[test]
fn magnitude_and_delay_answer_the_same_everywhere() {
    for (pair, seed) in PAIRS.into_iter().zip(30..) {
        let block = mag16(pair).unwrap();
        same_everywhere(&block, &tools::random_cycles(&block, 200, seed));
    }
    let delay = delaysel(4).unwrap();
    let bits: Vec<Vec<i64>> = (0..80).map(|n| vec![i64::from(n * n % 7 < 3)]).collect();
    same_everywhere(&delay, &bits);
}

/// The estimate beside Yosys: multiplier blocks exact, LUTs within 30 %, flip-flops exact but for a
/// share `apart`, for which the caller has a reason.
fn counted(top: &Block, apart: f64) {
    let ours = Estimate::new(top, &Device::XC3S700A, Multipliers::Blocks).total;
    let theirs = tools::yosys(top, Multipliers::Blocks).unwrap_or_else(|e| panic!("{e}"));
    println!("{}: ours {ours:?}, yosys {:?} in {:.1} s", top.name(), theirs.count, theirs.seconds);
    let theirs = theirs.count;
    assert_eq!(ours.multipliers, theirs.multipliers, "{}", top.name());
    let off = f64::from(ours.luts) / f64::from(theirs.luts);
    assert!(
        (0.7..=1.3).contains(&off),
        "{}: {} LUTs, yosys {}",
        top.name(),
        ours.luts,
        theirs.luts
    );
    let off = f64::from(ours.ffs) / f64::from(theirs.ffs) - 1.0;
    assert!(off.abs() <= apart, "{}: {} flip-flops, yosys {}", top.name(), ours.ffs, theirs.ffs);
}

/// Yosys narrows the registers of products with a constant as we do, but not all sums behind them,
/// and finds more equal bits among sums of tables.
const SUMS: f64 = 0.04;

/// Every filter, with other coefficients as well: what fits one set of words in a table must fit
/// others.
#[test]
fn yosys_counts_what_we_count_in_filters() {
    if !have("yosys") {
        return;
    }
    let other = Fir::new(&[-811, 1923, 77, -2048, 1200, 333], 12, 12).unwrap();
    for architecture in FirArchitecture::ALL {
        counted(&architecture.build(&Fir::lab5()).unwrap().block, SUMS);
    }
    for architecture in [FirArchitecture::Distributed(1), FirArchitecture::Distributed(4)] {
        counted(&architecture.build(&other).unwrap().block, SUMS);
    }
}

#[test]
fn yosys_counts_what_we_count_in_magnitudes() {
    if have("yosys") {
        PAIRS.into_iter().for_each(|pair| counted(&mag16(pair).unwrap(), 0.0));
    }
}

/// Small transforms: the arithmetic is that of the large ones.
#[test]
fn yosys_counts_what_we_count_in_transforms() {
    if have("yosys") {
        let fft = Fft::new(64, 12, 16).unwrap();
        for architecture in
            [FftArchitecture::Radix4, FftArchitecture::Radix2, FftArchitecture::Lite]
        {
            counted(&architecture.build(fft).unwrap().block, 0.0);
        }
    }
}

/// Those of the lab: 1024 points, data in block RAM, phase factors in LUTs.
#[test]
#[ignore = "long: Yosys takes a minute"]
fn yosys_counts_what_we_count_in_the_transforms_of_the_lab() {
    if have("yosys") {
        for architecture in FftArchitecture::ALL {
            counted(&architecture.build(Fft::lab5()).unwrap().block, 0.0);
        }
    }
}

/// Yosys proves the VHDL (synthesised by GHDL) and the Verilog the same, where there is no
/// multiplier.
#[test]
fn vhdl_and_verilog_are_proven_the_same() {
    if !have("ghdl") || !have("yosys") {
        return;
    }
    let fir = Fir::new(&[-5, 11, 3], 6, 5).unwrap();
    let filters = [FirArchitecture::Distributed(1), FirArchitecture::Distributed(2)];
    let filters = filters.map(|a| a.build(&fir).unwrap().block);
    let others = [mag16(PAIRS[3]).unwrap(), mag16(PAIRS[0]).unwrap(), delaysel(8).unwrap()];
    for block in filters.iter().chain(&others) {
        tools::equivalent(block).unwrap_or_else(|e| panic!("{}: {e}", block.name()));
    }
}

/// A filter that is always offered samples, its result held back so that it comes `late` clocks
/// after its sample.
fn in_step(core: &FirCore, late: u32) -> Block {
    let m = Module::new("in_step");
    let u = m.instance("u_fir", &core.block);
    u.connect("din", m.input("x", core.block.inputs()[0].ty)).connect("nd", m.lit(1, bit()));
    let y = m.shift_register("late", u.out("dout"), (late - core.latency) as usize);
    m.output("y", y.last().copied().unwrap_or(u.out("dout")));
    m.build().unwrap()
}

/// The filter from its definition, all at once, with as many registers behind it.
fn defined(fir: &Fir, late: u32) -> Block {
    let m = Module::new("defined");
    let x = m.shift_register("x", m.input("x", signed(fir.data_bits())), fir.coefficients().len());
    let mut sum = m.lit(0, signed(fir.width()));
    for (x, &h) in x.iter().zip(fir.coefficients()) {
        sum = sum + (*x * m.lit(h, signed(fir.coefficient_bits()))).extend(fir.width());
    }
    let y = m.shift_register("late", sum, late as usize - 1);
    m.output("y", y[y.len() - 1]);
    m.build().unwrap()
}

/// Yosys proves filters of different architectures, and the definition, to be the same for every
/// input.
#[test]
fn architectures_are_proven_the_same() {
    if !have("yosys") {
        return;
    }
    let fir = Fir::new(&[3, -5, 7], 4, 4).unwrap();
    let all =
        [FirArchitecture::Systolic, FirArchitecture::Transposed, FirArchitecture::Distributed(4)];
    let cores = all.map(|architecture| architecture.build(&fir).unwrap());
    let late = cores.iter().map(|core| core.latency).max().unwrap();
    for core in &cores {
        tools::same_function(&in_step(core, late), &defined(&fir, late), 12)
            .unwrap_or_else(|e| panic!("{}: {e}", core.block.name()));
    }
    let other = Fir::new(&[3, -5, 6], 4, 4).unwrap();
    let refused = tools::same_function(&in_step(&cores[1], late), &defined(&other, late), 12)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("proof did fail"), "{refused}");
}

/// The magnitude is proven to be its formula, for all pairs of 16-bit words (with the two pairs of
/// factors that need no difference; with one the proof takes minutes); a row of eight flip-flops to
/// be two rows of four.
#[test]
fn magnitude_and_delay_are_proven_to_be_their_formulas() {
    if !have("yosys") {
        return;
    }
    let formula = |pair: Pair, limit: i64| {
        let m = Module::new("formula");
        let size = |name: &str| {
            let x = m.input(name, signed(16)).extend(22);
            x.max(-x)
        };
        // A row for each 1 of the factor, where the magnitude takes a difference.
        fn times<'m>(x: Sig<'m>, factor: u32) -> Sig<'m> {
            let rows = (0..6).filter(|k| factor >> k & 1 == 1).map(|k| x << k);
            rows.reduce(|sum, row| sum + row).unwrap_or(x)
        }
        let (i, q) = (size("in_i"), size("in_q"));
        let sum = times(i.max(q), pair.alpha) + times(i.min(q), pair.beta);
        let y = (sum >> pair.shift).min(m.lit(limit, signed(22))).truncate(16);
        m.output("mag_out", m.shift_register("late", y, 4)[3]);
        m.build().unwrap()
    };
    for pair in [PAIRS[0], PAIRS[1]] {
        tools::same_function(&mag16(pair).unwrap(), &formula(pair, 32767), 6)
            .unwrap_or_else(|e| panic!("{}: {e}", pair.name));
    }
    let refused = tools::same_function(&mag16(PAIRS[1]).unwrap(), &formula(PAIRS[1], 32766), 6)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("proof did fail"), "{refused}");

    let m = Module::new("two_rows");
    let half = delaysel(4).unwrap();
    let (first, second) = (m.instance("u_first", &half), m.instance("u_second", &half));
    first.connect("din", m.input("din", bit()));
    second.connect("din", first.out("dout"));
    m.output("dout", second.out("dout"));
    let rows = m.build().unwrap();
    tools::same_function(&delaysel(8).unwrap(), &rows, 10).unwrap_or_else(|e| panic!("{e}"));
}

/// Clock rate in MHz on an HX8K, from nextpnr and by the estimate; both above the board's clock.
/// The estimate may promise up to twice too much, and 2.5 times too little: it lets the carry
/// chains of a constant multiplication follow each other, which in truth overlap.
fn routed(block: &Block) -> (f64, f64) {
    let routed = tools::nextpnr(block).unwrap_or_else(|e| panic!("{}: {e}", block.name()));
    println!("{}: {routed}", block.name());
    let (mhz, ours) = (routed.mhz.unwrap(), routed.estimate_mhz);
    assert!(mhz > 50.0 && (0.4..2.0).contains(&(ours / mhz)), "{}: {routed}", block.name());
    (mhz, ours)
}

/// Clock rates on an HX8K (no multiplier blocks). All bits at once, with a register at each level
/// of the tree, are faster than the accumulator of one bit at a time, which goes round through a
/// table, two sums and a choice.
#[test]
fn clock_rates_stand_in_the_order_of_the_theory() {
    if !have("yosys") || !have("nextpnr-ice40") {
        return;
    }
    let fir = Fir::new(&[1638, -1433, 1229, -1024, 819, 614, 409, 205], 8, 12).unwrap();
    let rate = |architecture: FirArchitecture| routed(&architecture.build(&fir).unwrap().block);
    let (parallel, serial) =
        (rate(FirArchitecture::Distributed(8)), rate(FirArchitecture::Distributed(1)));
    rate(FirArchitecture::Transposed);
    assert!(parallel.0 > serial.0 && parallel.1 > serial.1);
}

/// Cores that an HX8K holds, which has no multiplier blocks. The transforms of the lab it does not
/// hold: those with one butterfly for the time that the program takes, the larger ones for want of
/// LUTs.
#[test]
fn small_cores_reach_the_clock_of_the_board() {
    let fft = Fft::new(16, 8, 8).unwrap();
    let transform = |a: FftArchitecture, fft: Fft| a.build(fft).unwrap().block;
    for large in [FftArchitecture::Radix4, FftArchitecture::Streaming] {
        let luts = |b| Estimate::new(b, &Device::HX8K, Multipliers::Logic).total.luts;
        assert!(luts(&transform(large, Fft::lab5())) > Device::HX8K.luts, "{}", large.name());
    }
    if !have("yosys") || !have("nextpnr-ice40") {
        return;
    }
    for block in [
        delaysel(8).unwrap(),
        mag16(PAIRS[3]).unwrap(),
        transform(FftArchitecture::Lite, fft),
        transform(FftArchitecture::Radix2, fft),
    ] {
        routed(&block);
    }
}
