//! Counts by hand, relations between architectures, and Yosys as the judge.

use hdl::estimate::{Count, Device, Estimate, Multipliers, RIMLAB00};
use hdl::tools::{self, have};
use hdl::{Block, Module, bit, signed, unsigned};

use crate::designs;

fn count(top: &Block) -> Count {
    Estimate::new(top, &Device::XC3S700A, Multipliers::Blocks).total
}

#[test]
fn small_parts_cost_what_the_rules_say() {
    let m = Module::new("parts");
    let (a, b) = (m.input("a", signed(8)), m.input("b", signed(8)));
    let c = m.input("c", bit());
    m.output("sum", a + b);
    m.output("chosen", c.mux(a, b));
    m.output("same", a.eq(b));
    m.output("less", a.lt(5));
    m.output("double", a << 1);
    m.output("product", a * b);
    m.output("times8", a * m.lit(8, signed(8)));
    m.output("kept", a.reg_if("kept_a", c));
    let got = count(&m.build().unwrap());
    // The comparison with 5 takes an inverter where 5 has a zero bit, and nothing where it has a
    // one.
    assert_eq!(got, Count { luts: 8 + 8 + 5 + 6, ffs: 8, multipliers: 1, ram_bits: 0 });
}

#[test]
fn wide_products_take_several_blocks() {
    for (a, b, blocks) in [(18, 18, 1), (19, 18, 2), (24, 16, 2), (35, 18, 2), (32, 32, 4)] {
        let m = Module::new("product");
        let p = m.input("a", signed(a)) * m.input("b", signed(b));
        m.output("y", p);
        assert_eq!(count(&m.build().unwrap()).multipliers, blocks, "{a} x {b}");
    }
}

#[test]
fn memories_go_where_they_belong() {
    let m = Module::new("memories");
    let (we, at, x) = (m.input("we", bit()), m.input("at", unsigned(10)), m.input("x", signed(16)));
    let ram = m.ram("store", 1024, signed(16));
    ram.write(we, at, x);
    m.output("y", ram.read_sync("q", at));
    let got = count(&m.build().unwrap());
    // The register that it is read into is part of the block.
    assert_eq!(got, Count { luts: 0, ffs: 0, multipliers: 0, ram_bits: 16384 });
}

/// A table or a memory that is read into a register.
fn stored(rom: bool, distributed: bool, words: usize, width: u32) -> Block {
    let m = Module::new("stored");
    let address = |name: &str| m.input(name, unsigned(words.ilog2()));
    let at = address("at");
    if rom {
        // No two columns and no two words are alike.
        let word = |i: usize| {
            unsigned(width).wrap((i as i64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) >> 7)
        };
        let all: Vec<i64> = (0..words).map(word).collect();
        let read = if distributed {
            m.distributed_rom("words", unsigned(width), &all, at)
        } else {
            m.rom("words", unsigned(width), &all, at)
        };
        m.output("y", read.reg("q"));
    } else {
        let ram = m.ram("store", words, unsigned(width));
        ram.write(m.input("we", bit()), address("to_word"), m.input("x", unsigned(width)));
        m.output("y", ram.read_sync("q", at));
    }
    m.build().unwrap()
}

/// Where Yosys puts memories of various shapes, on both sides of every limit.
#[test]
fn memories_lie_where_yosys_puts_them() {
    if !have("yosys") {
        return;
    }
    let roms =
        [(16, 33), (32, 32), (64, 32), (64, 40), (128, 16), (128, 20), (1024, 2), (1024, 24)];
    let roms = roms.map(|(words, width)| (true, false, words, width));
    let rams = [(2, 33), (4, 33), (8, 16), (16, 16), (16, 30), (32, 16), (64, 33), (1024, 32)];
    let rams = rams.map(|(words, width)| (false, false, words, width));
    for (rom, distributed, words, width) in
        roms.into_iter().chain(rams).chain([(true, true, 256, 24)])
    {
        let top = stored(rom, distributed, words, width);
        let (ours, theirs) = (count(&top), tools::yosys(&top, Multipliers::Blocks).unwrap());
        let what = format!(
            "{} of {words} words of {width} bits: {ours:?}, {:?}",
            if rom { "ROM" } else { "RAM" },
            theirs.cells
        );
        let blocks = theirs.cells.keys().any(|kind| kind.starts_with("RAMB"));
        assert_eq!(ours.ram_bits > 0, blocks, "{what}");
        assert_eq!(ours.ffs, theirs.count.ffs, "{what}");
        let (ours, theirs) = (f64::from(ours.luts), f64::from(theirs.count.luts));
        // What a table of regular words comes to is a matter of logic, which the tests of the labs'
        // designs compare.
        assert!(rom || (ours - theirs).abs() <= 0.3 * theirs, "{what}");
    }
}

#[test]
fn bits_that_are_always_equal_are_counted_once() {
    let m = Module::new("equal");
    let (a, b) = (m.input("a", signed(8)), m.input("b", signed(8)));
    let at = m.input("at", unsigned(4));
    // Copies of a sign, and an operation written twice.
    m.output("wide", a.extend(16).reg("wide_a") + b.extend(16).reg("wide_b"));
    m.output("again", (a & b).reg("first").concat((b & a).reg("second")));
    // 0, 5, 0, 5, ..: every column is constant or the lowest address bit.
    let words: Vec<i64> = (0..16).map(|i| i % 2 * 5).collect();
    m.output("word", m.rom("simple", unsigned(4), &words, at));
    // Three columns of four inputs, of which two are the same.
    let words: Vec<i64> = (0..16).map(|i| i64::from(i == 9) * 3 + i64::from(i == 4) * 4).collect();
    m.output("row", m.rom("columns", unsigned(3), &words, at));
    // What no output needs.
    _ = (a * b).reg("idle");
    let got = count(&m.build().unwrap());
    assert_eq!(got, Count { luts: 8 + 8 + 2, ffs: 16 + 8, multipliers: 0, ram_bits: 0 });
}

#[test]
fn architectures_stand_in_the_known_order() {
    let transposed = count(&designs::fir_transposed(&designs::LAB5).unwrap());
    let systolic = count(&designs::fir_systolic(&designs::LAB5).unwrap());
    let serial = count(&designs::fir_da_serial(&designs::LAB5).unwrap());
    assert_eq!((transposed.multipliers, systolic.multipliers, serial.multipliers), (8, 8, 0));
    assert!(systolic.ffs > transposed.ffs && serial.ffs < transposed.ffs);
    let logic = |h: &[i64]| {
        let top = designs::fir_transposed(h).unwrap();
        Estimate::new(&top, &Device::XC3S700A, Multipliers::Logic).total.luts
    };
    let powers: Vec<i64> = (0..8).map(|i| 128 << i).collect();
    assert!(logic(&powers) < logic(&designs::LAB5));
    assert_eq!(transposed.fits(&Device::XC3S700A, RIMLAB00), (2, "multiplier blocks"));
    let slow = Estimate::new(
        &designs::fir_transposed(&designs::LAB5).unwrap(),
        &Device::XC3S700A,
        Multipliers::Blocks,
    );
    let fast = Estimate::new(
        &designs::fir_systolic(&designs::LAB5).unwrap(),
        &Device::XC3S700A,
        Multipliers::Blocks,
    );
    assert!(fast.mhz > slow.mhz && fast.depth < slow.depth);
}

#[test]
fn modules_are_counted_with_all_their_instances() {
    let e = Estimate::new(&designs::mixer().unwrap(), &Device::XC3S700A, Multipliers::Blocks);
    assert_eq!(
        (e.modules[0].module.as_str(), e.modules[0].instances, e.modules[0].own.multipliers),
        ("scale", 2, 2)
    );
    // The words of the table of gains fit five bits.
    assert_eq!((e.total.multipliers, e.total.ffs), (2, 2 * 14 + 4 + 8 + 5));
    assert!(e.to_string().contains("XC3S700A"));
    assert!(serde_json::to_string(&e).unwrap().contains("\"ffs\":45"));
}

#[test]
fn yosys_agrees() {
    if !have("yosys") {
        return;
    }
    for top in [
        crate::fpgatop::fpgatop().unwrap(),
        designs::fir_transposed(&designs::LAB5).unwrap(),
        designs::fir_systolic(&designs::LAB5).unwrap(),
        designs::fir_da_serial(&designs::LAB5).unwrap(),
    ] {
        let (theirs, ours) = (tools::yosys(&top, Multipliers::Blocks).unwrap(), count(&top));
        println!("{}: yosys {:?}, ours {ours:?}", top.name(), theirs.count);
        let Count { luts, ffs, multipliers, .. } = theirs.count;
        assert_eq!(ours.multipliers, multipliers, "{}", top.name());
        let off = f64::from(ours.luts) / f64::from(luts);
        assert!((0.7..1.3).contains(&off), "{}: {} LUTs, yosys {luts}", top.name(), ours.luts);
        // Of the sums behind products with a constant we know better how wide they are.
        let off = f64::from(ours.ffs) / f64::from(ffs);
        assert!((0.96..1.04).contains(&off), "{}: {} FFs, yosys {ffs}", top.name(), ours.ffs);
    }
}
