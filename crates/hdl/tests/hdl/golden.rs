//! The text of two small designs, kept under `tests/golden`. `BLESS=1 cargo test -p hdl` rewrites
//! the files; look at the difference before it goes in.

use std::path::PathBuf;

use hdl::write::{verilog, vhdl};

use crate::designs;

fn same_as(file: &str, text: &str) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "golden", file].iter().collect();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == text, "{file} has changed; now it is:\n{text}");
}

#[test]
fn a_state_machine_reads_well() {
    let top = crate::fpgatop::fpgatop().unwrap();
    same_as("fpgatop.vhd", &vhdl::design(&top));
    same_as("fpgatop.v", &verilog::design(&top));
}

#[test]
fn memories_and_instances_read_well() {
    let top = designs::mixer().unwrap();
    same_as("mixer.vhd", &vhdl::design(&top));
    same_as("mixer.v", &verilog::design(&top));
}
