//! The written cores in outside programs: VHDL that a second parser reads, the same answers in GHDL and Icarus, the parts that Yosys counts, proofs that VHDL and
//! Verilog are the same, clock rates. A test whose program is missing says so and passes, except where it is required.

use hdl::estimate::{Device, Estimate, Multipliers};
use hdl::tools::{self, have};
use hdl::write::{bench, vhdl};
use hdl::{Block, signed};
use ipcores::fft::{Fft, schedule_word};
use ipcores::fir::Fir;
use ipcores::magnitude::PAIRS;
use lab5_fpga_ip::compiler::{FftArchitecture, FirArchitecture};
use lab5_fpga_ip::e5_1::mag16;
use lab5_fpga_ip::e5_2::delaysel;

/// Our answer, GHDL's to the VHDL (under both standards) and Icarus's to the Verilog must be the same bytes.
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
        for architecture in FirArchitecture::ALL {
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

/// The estimate beside Yosys: multiplier blocks exact, LUTs within 30 %, flip-flops exact but for copies.
fn counted(top: &Block) {
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
    let off = f64::from(ours.ffs) / f64::from(theirs.ffs);
    assert!((0.9..=1.05).contains(&off), "{}: {} FFs, yosys {}", top.name(), ours.ffs, theirs.ffs);
}

/// Every filter, with other coefficients as well: what fits one set of words in a table must fit others.
#[test]
fn yosys_counts_what_we_count_in_filters() {
    if !have("yosys") {
        return;
    }
    let other = Fir::new(&[-811, 1923, 77, -2048, 1200, 333], 12, 12).unwrap();
    for architecture in FirArchitecture::ALL {
        counted(&architecture.build(&Fir::lab5()).unwrap().block);
    }
    for architecture in [FirArchitecture::Distributed(1), FirArchitecture::Distributed(4)] {
        counted(&architecture.build(&other).unwrap().block);
    }
}

#[test]
fn yosys_counts_what_we_count_in_magnitudes() {
    if have("yosys") {
        PAIRS.into_iter().for_each(|pair| counted(&mag16(pair).unwrap()));
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
            counted(&architecture.build(fft).unwrap().block);
        }
    }
}

/// Yosys proves the VHDL (synthesised by GHDL) and the Verilog the same, where there is no multiplier.
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

/// Clock rates on an HX8K (no multiplier blocks). All bits at once, with a register at each level of the tree, are faster than the
/// accumulator of one bit at a time, which goes round through a table, two sums and a choice.
#[test]
fn clock_rates_stand_in_the_order_of_the_theory() {
    if !have("yosys") || !have("nextpnr-ice40") {
        return;
    }
    let fir = Fir::new(&[1638, -1433, 1229, -1024, 819, 614, 409, 205], 8, 12).unwrap();
    let rate = |architecture: FirArchitecture| {
        let block = architecture.build(&fir).unwrap().block;
        let routed = tools::nextpnr(&block).unwrap_or_else(|e| panic!("{e}"));
        let estimate = Estimate::new(&block, &Device::HX8K, Multipliers::Logic).mhz;
        println!(
            "{}: {:.0} MHz, {} cells in {:.1} s; estimate {estimate:.0} MHz",
            block.name(),
            routed.mhz.unwrap(),
            routed.cells,
            routed.seconds
        );
        (routed.mhz.unwrap(), estimate)
    };
    let (parallel, serial) =
        (rate(FirArchitecture::Distributed(8)), rate(FirArchitecture::Distributed(1)));
    rate(FirArchitecture::Transposed);
    assert!(parallel.0 > serial.0 && parallel.1 > serial.1);
}
