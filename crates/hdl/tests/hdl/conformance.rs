//! The written VHDL in GHDL and the written Verilog in Icarus must answer bit for bit as our
//! simulator does. A test whose tool is missing says so and passes, except where the environment
//! variable CI is `true`.

use hdl::tools::{self, have};
use hdl::write::{verilog, vhdl};
use hdl::{Block, bit};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::{designs, random};

/// A second reader of VHDL beside GHDL, which needs no tool.
fn parses(text: &str) -> Result<(), String> {
    let (_, errors) = vhdl_syntax::parser::parse(text);
    let found = vhdl_syntax::parser::error::display_errors(&errors);
    if errors.is_empty() { Ok(()) } else { Err(found) }
}

#[test]
fn the_parser_finds_what_is_wrong() {
    let good = vhdl::design(&designs::mixer().unwrap());
    parses(&good).unwrap();
    for (what, wrong) in [("end process;", "end;"), (" <= ", " < = "), ("port (", "port ")] {
        assert!(good.contains(what) && parses(&good.replacen(what, wrong, 1)).is_err(), "{what}");
    }
}

fn same_everywhere(top: &Block, n: usize, seed: u64) {
    let text = vhdl::design(top);
    parses(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let missing = tools::agree(top, &tools::random_cycles(top, n, seed));
    let missing =
        missing.unwrap_or_else(|e| panic!("{e}\n{}\n{}", vhdl::design(top), verilog::design(top)));
    missing.into_iter().for_each(|tool| _ = have(tool));
}

#[test]
fn filters_agree() {
    same_everywhere(&designs::fir_transposed(&designs::LAB5).unwrap(), 300, 1);
    same_everywhere(&designs::fir_systolic(&[-32768, 32767, 1, -1, 0, 5]).unwrap(), 300, 2);
    same_everywhere(&designs::fir_da_serial(&designs::LAB5).unwrap(), 1000, 3);
    same_everywhere(&designs::fir_da_serial(&[-32768, 77, -1]).unwrap(), 500, 4);
}

#[test]
fn state_machines_memories_and_instances_agree() {
    same_everywhere(&crate::fpgatop::fpgatop().unwrap(), 600, 5);
    same_everywhere(&designs::mixer().unwrap(), 600, 6);
}

#[test]
fn a_module_without_a_clock_agrees() {
    let m = hdl::Module::new("plain");
    let a = m.input("a", hdl::signed(9));
    let c = m.input("c", bit());
    m.output("larger", a.max(-a));
    m.output("z", (c & a.lt(5) | !a.eq(-256)) ^ a.msb());
    m.output("k", m.lit(-256, hdl::signed(9)));
    same_everywhere(&m.build().unwrap(), 100, 7);
}

#[test]
fn random_expressions_agree() {
    let mut runner = TestRunner::deterministic();
    for seed in 0..25 {
        let recipe = random::recipe().new_tree(&mut runner).unwrap().current();
        same_everywhere(&random::build(&recipe).block, 30, seed + 100);
    }
}
