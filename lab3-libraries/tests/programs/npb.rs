//! The program npb: what it runs on the CPU and on the emulated device, and what it refuses.

use std::process::{Command, Output};

fn npb(args: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_npb"))
        .args(args.split_whitespace())
        .env("LAB_DEVICE", "emulated")
        .output()
        .expect("the program runs")
}

#[test]
fn what_cannot_be_run_is_refused_with_code_2_and_one_line() {
    let cases = [
        ("ep --class F", "error: --class: EP has no class `F`, choose one of T12, T, S, W, A"),
        ("ft --class T", "error: --class: FT has no class `T`, choose one of T1, T2, T3, T4, S"),
        ("ft --class S --version better", "error: --version better: ft has no such version"),
        ("ft --class T1 --version shared", "error: --version shared: ft has no such version"),
        ("ep --class T --version library", "error: --version library: ep has no such version"),
        ("ep --class T --mk 17", "error: 2^16 pairs in batches of 2^17"),
        ("ep --class A --backend cuda", "error: class A is too large for the emulated device"),
        ("--study --class T", "error: --class: FT has no class `T`, choose one of T1"),
        ("ft --class E", "error: FT needs 512.00 GiB of memory"),
    ];
    for (args, text) in cases {
        let output = npb(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args}: {said}");
        assert!(said.starts_with(text) && said.lines().count() == 1, "{args}: {said}");
        assert!(output.stdout.is_empty(), "{args}");
    }
}

#[test]
fn given_versions_are_verified_on_the_cpu_and_on_the_emulated_device() {
    let cases = [
        "ep --class S",
        #[cfg(feature = "solutions")]
        "ep --class T --version plain --mk 8",
        "ep --class T --backend cuda",
        "ft --class W --threads 3",
        #[cfg(feature = "solutions")]
        "ft --class T4 --version plain",
        "ft --class T2 --backend cuda",
        "ft --class T3 --backend cuda --version library",
    ];
    for args in cases {
        let output = npb(args);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{args}: {said}");
        assert!(said.contains(" Verification    =               SUCCESSFUL"), "{args}: {said}");
        let class = args.split_whitespace().nth(2).expect("a class");
        assert!(said.contains(&format!(" Class           = {class:>24}")), "{args}: {said}");
        // What is predicted says so.
        assert_eq!(said.contains("predicted"), args.contains("cuda"), "{args}: {said}");
    }
}

/// The sequential programs are the student's own, who may not have got so far.
#[test]
fn sequential_programs_are_right_or_say_which_exercise_is_missing() {
    for (args, missing) in [("ep --class T", "3.3.2"), ("ft --class T4", "3.4.")] {
        let output = npb(&format!("{args} --version plain"));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            assert!(said.starts_with("error: the sequential program is"), "{args}: {said}");
            assert!(said.contains(missing) && said.lines().count() == 1, "{args}: {said}");
        }
    }
}

#[cfg(feature = "solutions")]
#[test]
fn a_study_compares_every_version_with_the_sequential_one() {
    let output = npb("ft --study --class T4,S --runs 2");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}");
    let rows: Vec<Vec<&str>> = said.lines().map(|l| l.split_whitespace().collect()).collect();
    // After a line with the benchmark's name: class, version, ...
    let of_t4 = rows.iter().filter(|r| r.first() == Some(&"T4"));
    let versions: Vec<&str> = of_t4.map(|r| r[1]).collect();
    assert_eq!(versions[..2], ["sequential", "parallel"], "{said}");
    assert!(
        versions.contains(&"ours") && said.contains("left out: FT S ours: too large"),
        "{said}"
    );
    assert!(
        rows.iter().filter(|r| r.get(1) == Some(&"sequential")).all(|r| r[r.len() - 2] == "1.00")
    );
}
