//! Outside programs that are not there, and what is kept of those that are.

use std::process::{Command, Output};

use hdl::estimate::Multipliers;
use hdl::{Module, signed, tools};

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

/// Two designs, the first one twice, for what is called `yosys` on the path: the test below runs
/// this by itself.
#[test]
#[ignore = "a part of the next test"]
fn two_designs() {
    for constant in [1, 2, 1] {
        let m = Module::new("sum");
        m.output("y", m.input("x", signed(8)) + m.lit(constant, signed(8)));
        let counted = tools::yosys(&m.build().unwrap(), Multipliers::Blocks);
        println!("{:?}", counted.map(|c| c.cells).map_err(|e| e.to_string()));
    }
}

#[cfg(unix)]
#[test]
fn an_answer_is_kept_for_the_same_version_words_and_files() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    // Counts its runs, and says in its netlist what it is.
    let script = |version: &str, code: u8| {
        let netlist =
            format!(r#"{{"modules":{{"sum":{{"cells":{{"a":{{"type":"{version}"}}}}}}}}}}"#);
        let text = format!(
            "#!/bin/sh\ncase $1 in -V | --version) echo {version}; exit ;; esac\n\
             echo run >> '{}'\necho '{netlist}' > out.json\nexit {code}\n",
            at("runs").display()
        );
        fs::write(at("yosys"), text).unwrap();
        fs::set_permissions(at("yosys"), PermissionsExt::from_mode(0o755)).unwrap();
    };
    let runs = |kept: &str, says: &str| {
        let _ = fs::remove_file(at("runs"));
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["tools::two_designs", "--exact", "--ignored", "--nocapture"]);
        let path = std::env::var("PATH").unwrap();
        child.env("PATH", format!("{}:{path}", dir.path().display())).env("HDL_KEPT", kept);
        let output = child.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.matches(says).count() == 3, "{text}");
        fs::read_to_string(at("runs")).unwrap_or_default().lines().count()
    };
    let kept = at("kept").display().to_string();
    script("first", 0);
    assert_eq!([&kept, &kept, "", ""].map(|kept| runs(kept, "first")), [2, 0, 3, 3]);
    script("second", 0);
    assert_eq!([&kept, &kept].map(|kept| runs(kept, "second")), [2, 0], "another version");
    script("third", 1);
    assert_eq!([&kept, &kept].map(|kept| runs(kept, "Err")), [3, 3], "a failure");
}
