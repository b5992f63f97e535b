//! The written VHDL in GHDL and the written Verilog in Icarus must answer bit for bit as our simulator does. A test
//! whose tool is missing says so and passes, except where the environment variable CI is `true`.

use std::path::Path;
use std::process::Command;

use hdl::write::{bench, verilog, vhdl};
use hdl::{Block, Type, bit};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::{designs, random};

/// True if the tool can be run.
pub fn have(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok()
        || Command::new(tool).arg("-V").output().is_ok();
    if !found {
        assert!(
            std::env::var("CI").as_deref() != Ok("true"),
            "{tool} is missing, and CI=true requires it"
        );
        println!("skipped: {tool} is not installed");
    }
    found
}

pub fn run(folder: &Path, tool: &str, arguments: &[&str]) -> String {
    let output = Command::new(tool).args(arguments).current_dir(folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    let kept = || folder.read_dir().map(|d| d.count()).unwrap_or(0);
    assert!(output.status.success(), "{tool} {arguments:?} ({} files):\n{text}", kept());
    text.into_owned()
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// Random cycles; the reset, if there is one, is active in the first cycle and now and then.
fn cycles(top: &Block, n: usize, seed: u64) -> Vec<Vec<i64>> {
    let mut state = seed | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) as i64
    };
    let types: Vec<Type> = top.inputs().iter().map(|p| p.ty).collect();
    (0..n)
        .map(|i| {
            let reset = top.reset().map(|_| i64::from(i == 0 || next() % 50 == 0));
            let mut value = |ty: &Type| match next() % 8 {
                0 => ty.max(),
                1 => ty.min(),
                _ => ty.wrap(next()),
            };
            reset.into_iter().chain(types.iter().map(&mut value)).collect()
        })
        .collect()
}

fn same_everywhere(top: &Block, n: usize, seed: u64) {
    let cycles = cycles(top, n, seed);
    let ours = bench::response(top, &cycles).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    write(f, "stimulus.txt", &bench::stimulus(top, &cycles));
    write(f, "design.vhd", &vhdl::design(top));
    write(f, "bench.vhd", &bench::vhdl(top));
    write(f, "design.v", &verilog::design(top));
    write(f, "bench.v", &bench::verilog(top, n));
    let answer = |tool: &str| {
        let theirs = std::fs::read_to_string(f.join("response.txt")).unwrap();
        let line = ours.lines().zip(theirs.lines()).position(|(a, b)| a != b);
        if let Some(i) = line {
            let (a, b) = (ours.lines().nth(i), theirs.lines().nth(i));
            let text = if tool == "ghdl" { vhdl::design(top) } else { verilog::design(top) };
            panic!(
                "{}: cycle {i}: we say {a:?}, {tool} says {b:?}, inputs {:?}\n{text}",
                top.name(),
                cycles[i]
            );
        }
        assert_eq!(ours.lines().count(), theirs.lines().count(), "{}: {tool}: length", top.name());
        std::fs::remove_file(f.join("response.txt")).unwrap();
    };
    if have("ghdl") {
        for standard in ["--std=93c", "--std=08"] {
            let analysed = Command::new("ghdl")
                .args(["-a", standard, "design.vhd", "bench.vhd"])
                .current_dir(f)
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&analysed.stderr);
            assert!(analysed.status.success(), "{said}\n{}", vhdl::design(top));
            run(f, "ghdl", &["-r", standard, bench::BENCH, "--ieee-asserts=disable"]);
            answer("ghdl");
        }
    }
    if have("iverilog") {
        run(f, "iverilog", &["-g2001", "-Wall", "-o", "run.vvp", "design.v", "bench.v"]);
        run(f, "vvp", &["run.vvp"]);
        answer("iverilog");
    }
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
