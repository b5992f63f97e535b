//! The written VHDL in GHDL and the written Verilog in Icarus must answer bit for bit as our simulator does. A test
//! whose tool is missing says so and passes, except where the environment variable CI is `true`.

use hdl::write::{verilog, vhdl};
use hdl::{Block, bit, tools};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::{designs, random};

/// True if the tool can be run.
pub fn have(tool: &str) -> bool {
    let found = tools::found(tool);
    assert!(
        found || !tools::required(),
        "{tool} is missing, and CI=true or HDL_TOOLS=required needs it"
    );
    if !found {
        println!("skipped: {tool} is not installed");
    }
    found
}

fn same_everywhere(top: &Block, n: usize, seed: u64) {
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
