//! The desk of the labs as a program.

use hdl::desk::{Design, command};

const DESIGNS: [Design; 1] =
    [Design { name: "fpgatop", what: "the example", build: crate::fpgatop::fpgatop }];

fn said(arguments: &[&str]) -> Result<(u8, String), (u8, String)> {
    let arguments: Vec<String> = arguments.iter().map(|a| a.to_string()).collect();
    let mut text = String::new();
    match command(&DESIGNS, &arguments, &mut text) {
        Ok(code) => Ok((code, text)),
        Err(refusal) => Err((refusal.code, refusal.message)),
    }
}

#[test]
fn help_is_no_error() {
    for arguments in [&["--help"][..], &["-h"], &["run", "--help"], &["build", "fpgatop", "-h"]] {
        let (code, text) = said(arguments).unwrap();
        assert!(code == 0 && text.starts_with("usage: "), "{arguments:?}: {text}");
    }
    let (code, text) = said(&["walk"]).unwrap_err();
    assert!(code == 2 && text.starts_with("run, build or list is expected\nusage: "), "{text}");
}

#[test]
fn a_value_that_does_not_fit_is_told_what_would() {
    for (option, value, expected) in [
        ("--tone", "100", "an amplitude and a frequency, such as 1000,0.1"),
        ("--axis", "low,high", "two limits, such as -1000,1000"),
        ("--set", "SW0", "a port and a number, such as SW0=1"),
        ("--show", "-3", "a whole number"),
        ("--signal", "noise", "sine, pulses or step"),
    ] {
        let (code, text) = said(&["run", "fpgatop", option, value]).unwrap_err();
        let first = format!("{option} {value}: expected {expected}\n");
        assert!(code == 2 && text.starts_with(&first), "{text}");
    }
}

#[test]
fn a_run_tells_its_amplitudes() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    for (signal, amplitudes) in [("step", "0 to 16383"), ("sine", "-15000 to 15000")] {
        let (code, text) = said(&["run", "fpgatop", "--signal", signal, "--out", out]).unwrap();
        let line = format!("Amplitudes:       {amplitudes}\n");
        assert!(code == 0 && text.contains(&line), "{text}");
    }
}
