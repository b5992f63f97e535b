//! The designs of the hardware labs against outside tools, and what the checklists ask of them.
//! Each test that needs a program says "skipped: NAME" without it, and fails where CI=true or
//! HDL_TOOLS=required.

use hdl::estimate::{Device, Estimate, Multipliers, RIMLAB00};
use hdl::tools::{self, have};
use hdl::{Block, Module, Simulator, bit, signed, unsigned};
use lab4_fpga::designs::{DESIGNS, LAB4, LAB5};
use lab4_fpga::mult::{ImplStyle, mult};
use proptest::prelude::*;

fn agree(top: &Block, seed: u64) {
    let missing = tools::agree(top, &tools::random_cycles(top, 120, seed));
    missing.unwrap_or_else(|e| panic!("{e}")).into_iter().for_each(|tool| _ = have(tool));
}

#[test]
fn every_design_of_lab_4_is_the_same_in_all_simulators() {
    for (design, seed) in DESIGNS.iter().zip(1..) {
        agree(&(design.build)().unwrap(), seed);
    }
}

#[test]
fn random_coefficients_are_the_same_in_all_simulators() {
    let sets = [
        [-32768, 32767, 1, -1, 0, 255, -256, 12345],
        [7, -19, 311, -4096, 16384, -32768, 2, 0],
        [32767; 8],
    ];
    for (b, seed) in sets.iter().zip(50..) {
        agree(&lab4_fpga::e4_1::fir1(b, 17).unwrap(), seed);
        for style in [ImplStyle::Block, ImplStyle::PipeLut] {
            agree(&lab4_fpga::e4_3::fir1(b, 16, style).unwrap(), seed + 10);
        }
    }
}

/// The estimate beside Yosys: multiplier blocks exact, LUTs within 30 %.
fn counted(name: &str) {
    if !have("yosys") {
        return;
    }
    let design = DESIGNS.iter().find(|d| d.name == name).unwrap();
    let block = (design.build)().unwrap();
    let ours = Estimate::new(&block, &Device::XC3S700A, Multipliers::Blocks).total;
    let theirs = tools::yosys(&block, Multipliers::Blocks).unwrap().count;
    println!("{name}: ours {ours:?}, yosys {theirs:?}");
    assert_eq!(ours.multipliers, theirs.multipliers, "{name}: multiplier blocks");
    let ratio = f64::from(ours.luts) / f64::from(theirs.luts.max(1));
    assert!((0.7..=1.3).contains(&ratio), "{name}: {} LUTs, yosys {}", ours.luts, theirs.luts);
    // Exact, but: Yosys sees that the two highest bits of a product of two signed words are nearly
    // always the same, and does not see that the lowest bit of the last product cannot reach the
    // result.
    let apart = i64::from(ours.ffs) - i64::from(theirs.ffs);
    let allowed = if name.contains("_lut") { -4..=24 } else { 0..=0 };
    assert!(allowed.contains(&apart), "{name}: {} flip-flops, yosys {}", ours.ffs, theirs.ffs);
}

#[test]
fn yosys_counts_what_the_estimate_says() {
    ["fpgatop", "fir1", "fir1_lut"].iter().for_each(|name| counted(name));
}

#[test]
#[ignore = "long: Yosys takes a minute"]
fn yosys_counts_what_the_estimate_says_of_the_large_designs() {
    ["fir1_fast", "fir1_lut_lab5", "fir1_var_lut", "fir1_var_block"]
        .iter()
        .for_each(|n| counted(n));
}

fn luts(name: &str) -> u32 {
    let design = DESIGNS.iter().find(|d| d.name == name).unwrap();
    let block = (design.build)().unwrap();
    Estimate::new(&block, &Device::XC3S700A, Multipliers::Blocks).total.luts
}

#[test]
fn the_costs_stand_in_the_relations_of_the_lab() {
    // Constants of powers of two are cheap, other constants are not, variable ones are dear, and
    // blocks save them.
    assert!(luts("fir1_lut") < luts("fir1_lut_lab5"));
    assert!(luts("fir1_var_lut") > 5 * luts("fir1_lut"));
    assert!(5 * luts("fir1_var_block") < luts("fir1_var_lut"));
    let fits = |name: &str| {
        let block = (DESIGNS.iter().find(|d| d.name == name).unwrap().build)().unwrap();
        let total = Estimate::new(&block, &Device::XC3S700A, Multipliers::Blocks).total;
        total.fits(&Device::XC3S700A, RIMLAB00)
    };
    assert_eq!(fits("fir1_fast"), (2, "multiplier blocks"));
    assert_eq!(fits("fir1_var_block"), (2, "multiplier blocks"));
    assert_eq!(fits("fir1_var_lut"), (1, "LUTs"));
}

#[test]
fn yosys_proves_vhdl_and_verilog_the_same_without_multipliers() {
    if have("ghdl") && have("yosys") {
        let top = lab4_fpga::fpgatop::fpgatop().unwrap();
        tools::equivalent(&top).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// The given multiplier in its two styles, the first one waiting for the second: proven the same
/// for words of five bits.
#[test]
fn both_styles_of_the_multiplier_are_proven_the_same() {
    if !have("yosys") {
        return;
    }
    let late = |style: ImplStyle, b: i64| {
        let m = Module::new("late");
        let given = mult("mult", 5, true, style).unwrap();
        let u = m.instance("u_mult", &given);
        let a = m.input("a", signed(5));
        // Once with a constant, which reaches into the logic and not into the block.
        let b = if b == 0 { m.input("b", signed(5)) } else { m.lit(b, signed(5)) };
        let p = u.connect("a", a).connect("b", b).out("p");
        let wait = ImplStyle::PipeLut.latency() - style.latency();
        m.output("p", m.shift_register("wait", p, wait as usize).last().copied().unwrap_or(p));
        m.build().unwrap()
    };
    for b in [0, -11] {
        tools::same_function(&late(ImplStyle::Block, b), &late(ImplStyle::PipeLut, b), 8)
            .unwrap_or_else(|e| panic!("{e}"));
    }
    let refused = tools::same_function(&late(ImplStyle::Block, 7), &late(ImplStyle::PipeLut, 6), 8)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("proof did fail"), "{refused}");
}

#[test]
fn a_register_behind_a_product_raises_the_clock() {
    if !have("yosys") || !have("nextpnr-ice40") {
        return;
    }
    let part = |registered: bool| {
        let m = Module::new("part");
        let (a, b) = (m.input("a", signed(8)).reg("ra"), m.input("b", signed(8)).reg("rb"));
        let product = a * b;
        let product = if registered { product.reg("rp") } else { product };
        m.output("y", (product + product.slice(15, 8).extend(16)).reg("ry"));
        let block = m.build().unwrap();
        let estimate = Estimate::new(&block, &Device::HX8K, Multipliers::Logic).mhz;
        (tools::nextpnr(&block).unwrap().mhz.unwrap(), estimate)
    };
    let ((plain, plain_estimate), (registered, estimate)) = (part(false), part(true));
    println!(
        "nextpnr {plain:.0} and {registered:.0} MHz, estimates {plain_estimate:.0} and \
         {estimate:.0}"
    );
    assert!(registered > plain && estimate > plain_estimate);
}

/// The parts of lab 4 that an HX8K holds, which has no multiplier blocks: adders, a memory, the
/// example. A sum of more bits is slower; all are faster than the laboratory's board.
#[test]
fn the_parts_of_lab_4_reach_the_clock_of_the_board() {
    if !have("yosys") || !have("nextpnr-ice40") {
        return;
    }
    let adder = |bits: u32| {
        let m = Module::new("adder");
        let (a, b) = (m.input("a", signed(bits)).reg("ra"), m.input("b", signed(bits)).reg("rb"));
        m.output("y", (a + b).reg("sum"));
        m.build().unwrap()
    };
    let memory = {
        let m = Module::new("memory");
        let (we, at) = (m.input("we", bit()), m.input("at", unsigned(10)).reg("at_q"));
        let store = m.ram("store", 1024, signed(16));
        store.write(we, at, m.input("x", signed(16)));
        m.output("y", store.read_sync("word", at));
        m.build().unwrap()
    };
    let rate = |top: &Block| {
        let routed = tools::nextpnr(top).unwrap_or_else(|e| panic!("{}: {e}", top.name()));
        println!("{}: {routed}", top.name());
        let mhz = routed.mhz.unwrap();
        let ratio = routed.estimate_mhz / mhz;
        assert!(mhz > 50.0 && (0.5..2.0).contains(&ratio), "{}: {routed}", top.name());
        mhz
    };
    assert!(rate(&adder(16)) > rate(&adder(48)));
    rate(&memory);
    rate(&lab4_fpga::fpgatop::fpgatop().unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// The given multiplier: any width, signed or not, in both styles, with the latency that it
    /// declares.
    #[test]
    fn the_given_multiplier_multiplies(
        width in 2u32..=18, is_signed in any::<bool>(), lut in any::<bool>(),
        words in prop::collection::vec((any::<i64>(), any::<i64>()), 20),
    ) {
        let style = if lut { ImplStyle::PipeLut } else { ImplStyle::Block };
        let block = mult("mult", width, is_signed, style).unwrap();
        let ty = block.inputs()[0].ty;
        let mut sim = Simulator::new(&block);
        let late = style.latency() as usize;
        let words: Vec<(i64, i64)> =
            words.into_iter().map(|(a, b)| (ty.wrap(a), ty.wrap(b))).collect();
        for n in 0..words.len() + late {
            if n >= late {
                let (a, b) = words[n - late];
                prop_assert_eq!(sim.get("p").unwrap(), a * b);
            }
            let (a, b) = words.get(n).copied().unwrap_or((0, 0));
            sim.set("a", a).unwrap();
            sim.set("b", b).unwrap();
            sim.step();
        }
        let estimate = Estimate::new(&block, &Device::XC3S700A, Multipliers::Blocks);
        prop_assert_eq!(estimate.total.multipliers >= 1, style == ImplStyle::Block);
    }
}

#[test]
fn the_coefficients_are_those_of_the_lab() {
    assert_eq!((LAB4.iter().sum::<i64>(), LAB5.iter().sum::<i64>()), (32640, 73720));
}

#[test]
fn the_experiment_table_of_lab_4_is_complete() {
    let lab = course_tests::LABS.iter().find(|lab| lab.id == "lab4").unwrap();
    let host = grading::Host::ready(crate::PROGRAM);
    let work = course_tests::place().solution_work(lab, host);
    let exercise = lab.exercise("4.1").unwrap();
    let study = lab4_checks::TABLES.iter().find(|s| s.name == "lab4").unwrap();
    // Yosys takes a minute for all rows; its columns are tested above.
    let tables =
        lab4_checks::experiments(&grading::Trial::new(lab, exercise, "study", &work, 1), false);
    let tables = tables.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((study.lab, study.exercise), ("lab4", "4.1"));
    let csv = &tables.files.iter().find(|(name, _)| name == "lab4.csv").unwrap().1;
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 1 + 8, "{csv}");
    assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{csv}");
    let column = |name: &str| lines[0].iter().position(|c| *c == name).unwrap();
    let cell = |row: &str, name: &str| lines.iter().find(|l| l[0] == row).unwrap()[column(name)];
    assert_eq!((cell("4.1", "cycles"), cell("4.3", "cycles")), ("3073", "1027"));
    assert_eq!((cell("4.1", "impulse"), cell("4.1", "step")), ("1023", "2039"));
    assert_eq!((cell("4.2", "impulse"), cell("4.2", "step")), ("16383", "32639"));
    assert_eq!((cell("4.5", "impulse"), cell("4.6", "step")), ("16383", "32639"));
    assert_eq!((cell("4.5", "fit"), cell("4.6", "fit")), ("1", "2"));
    // Three pictures to each row: input and output, timing, block diagram.
    assert_eq!(tables.files.len(), 1 + 3 * 8);
    for (name, svg) in &tables.files[1..] {
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && svg.len() > 2000, "{name}");
    }
}

#[test]
fn the_experiment_tables_of_lab_5_are_complete() {
    let lab = course_tests::LABS.iter().find(|lab| lab.id == "lab5").unwrap();
    let host = grading::Host::ready(crate::PROGRAM);
    let work = course_tests::place().solution_work(lab, host);
    let exercise = lab.exercise("5.10").unwrap();
    // Without Yosys, whose columns are tested in the cores' own tests.
    let tables =
        lab5_checks::experiments(&grading::Trial::new(lab, exercise, "study", &work, 1), false);
    let tables = tables.unwrap_or_else(|e| panic!("{e}"));
    let file = |name: &str| &tables.files.iter().find(|(n, _)| n == name).unwrap().1;
    for (name, rows, columns) in [
        (
            "lab5_fir.csv",
            8,
            &["cycles/sample", "start-up", "impulse", "MULT", "Msamples/s", "tool s"][..],
        ),
        ("lab5_fft.csv", 4, &["schedule", "peak", "SNR dB", "cycles/bin", "RAM bits", "tool s"]),
        ("lab5_mag.csv", 4, &["largest error dB", "mean error %", "LUT", "latency", "tool s"]),
    ] {
        let lines: Vec<&str> = file(name).lines().collect();
        assert_eq!(lines.len(), 1 + rows, "{name}");
        let head: Vec<&str> = lines[0].split(',').collect();
        assert!(columns.iter().all(|c| head.contains(c)), "{name}: {}", lines[0]);
        // Nothing is empty but the columns of Yosys; a pair of factors has a comma.
        for line in &lines[1..] {
            let cells = line.split('"').next_back().unwrap().split(',').filter(|c| !c.is_empty());
            assert!(cells.count() + 6 >= head.len(), "{name}: {line}");
        }
    }
    // The handout's errors of the magnitude are those that the study finds.
    let handout = course_tests::place().root.join("lab5-fpga-ip/README.md");
    let handout = std::fs::read_to_string(handout).unwrap();
    for line in file("lab5_mag.csv").lines().skip(1) {
        let (pair, rest) = line[1..].split_once('"').unwrap();
        let cells: Vec<&str> = rest.split(',').collect();
        let row = format!("| {pair} | {} .. {} dB |", cells[1], cells[2]);
        assert!(handout.contains(&row), "{row}");
    }
    for p in [2, 4, 8, 16] {
        assert!(tables.text.contains(&format!(" da{p} ")), "growth of da{p}: {}", tables.text);
    }
    // Input and output, timing, blocks for each filter; a spectrum for each transform; the
    // magnitude, area against time.
    let pictures: Vec<_> = tables.files.iter().filter(|(name, _)| name.ends_with(".svg")).collect();
    assert_eq!(pictures.len(), 3 * 8 + 4 + 2);
    for (name, svg) in pictures {
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && svg.len() > 1000, "{name}");
    }
}

#[test]
fn the_tables_of_a_lab_5_that_is_done_in_part_say_what_is_missing() {
    let lab = course_tests::LABS.iter().find(|lab| lab.id == "lab5").unwrap();
    let lazy = course_tests::lazy(lab).unwrap();
    let touched = lazy.iter().find(|one| one.exercise == "5.3" && one.id == "touched").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let work = course_tests::idle(lab, touched, dir.path(), crate::PROGRAM.into()).unwrap();
    let trial = grading::Trial::new(lab, lab.exercise("5.10").unwrap(), "study", &work, 1);
    let tables = lab5_checks::experiments(&trial, false).unwrap_or_else(|e| panic!("{e}"));
    let csv = &tables.files.iter().find(|(name, _)| name == "lab5_fir.csv").unwrap().1;
    let missing: Vec<&str> = csv.lines().filter(|line| line.contains(",not yet,")).collect();
    assert_eq!(missing.len(), 2, "{csv}");
    assert!(missing[0].starts_with("systolic,") && missing[1].starts_with("transposed,"), "{csv}");
    assert!(tables.text.contains("not yet: `cargo lab run 5.3` says why"), "{}", tables.text);
    assert!(tables.files.iter().any(|(name, _)| name == "fir-da4.svg"));
    assert!(!tables.files.iter().any(|(name, _)| name == "fir-systolic.svg"));
}
