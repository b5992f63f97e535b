//! Outside programs that are not there.

use std::process::{Command, Output};

/// A test of this file's program that needs Yosys, run where no program can be found.
fn without_programs(required: bool) -> Output {
    let mut run = Command::new(std::env::current_exe().unwrap());
    run.args(["proofs::structures_are_proven_to_be_the_operators", "--exact", "--nocapture"]);
    run.env("PATH", "").env_remove("CI").env_remove("HDL_TOOLS");
    if required {
        run.env("HDL_TOOLS", "required");
    }
    run.output().unwrap()
}

#[test]
fn a_missing_program_is_named_and_is_an_error_where_it_is_required() {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let at_home = without_programs(false);
    assert!(at_home.status.success(), "{}", text(at_home.stderr));
    assert!(text(at_home.stdout).contains("skipped: yosys is not installed"));
    let required = without_programs(true);
    assert!(!required.status.success());
    assert!(text(required.stderr).contains("yosys is missing"));
}
