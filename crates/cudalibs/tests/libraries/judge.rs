//! The same tests in a program that a judge has started: its libraries are the judge's.
#![cfg(unix)]

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use wire::channel::VARIABLE;
use wire::device::{ASKED, Order};

/// Starts the judge's device, with a call to make, and `program` at the other end of its channel;
/// what the device told.
fn judged(program: &mut Command) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let order = dir.path().join("order.json");
    let calls = vec![wire::Call::new("t.all", &serde_json::Value::Null)];
    let told = Order { calls, roots: Vec::new(), memory: 3 << 30 };
    std::fs::write(&order, serde_json::to_vec(&told).unwrap()).unwrap();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let device = Command::new(env!("CARGO_BIN_EXE_cudalibs-device"))
        .arg(ASKED)
        .arg(&order)
        .env("LAB_DEVICE", "emulated")
        .env("LAB_GPU", "h200")
        .stdin(OwnedFd::from(ours))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    program.stdin(OwnedFd::from(theirs)).env(VARIABLE, "1");
    let output = program.output().unwrap();
    // Else the device waits for the program's end here.
    program.stdin(Stdio::null());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("test result: ok. ") && !said.contains(" 0 passed"), "{said}");
    let done = device.wait_with_output().unwrap();
    assert!(done.status.success(), "the judge's device: {}", done.status);
    done.stdout
}

#[test]
fn all_of_it_on_a_judges_device() {
    if std::env::var_os(VARIABLE).is_some() {
        return;
    }
    let mut tests = Command::new(std::env::current_exe().unwrap());
    judged(tests.args(["--skip", "judge::"]));
}
