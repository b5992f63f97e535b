//! The same tests in a program that a judge has started: the platform is the judge's.
#![cfg(unix)]

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use wire::channel::VARIABLE;

/// Makes this process a judge's device.
const DEVICE: &str = "OPENCL_TEST_DEVICE";

fn this_test(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--nocapture"]);
    command
}

#[test]
fn device() {
    if std::env::var_os(DEVICE).is_none() {
        return;
    }
    let socket = File::from(std::io::stdin().as_fd().try_clone_to_owned().unwrap());
    let out = File::create("/dev/null").unwrap();
    emulation::judge::with_driver(
        opencl_icd::judge::PREFIX,
        opencl_icd::judge::answer,
        opencl_icd::judge::renew,
    );
    let calls = [wire::Call::new("t.all", &Default::default())];
    emulation::judge::serve_socket(&calls, vec!["/".into()], &socket, &out).unwrap();
}

/// Starts the judge's device, and `program` at the other end of its channel.
fn judged(program: &mut Command) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut device = this_test("judge::device")
        .env(DEVICE, "1")
        .env("LAB_DEVICE", "emulated")
        .stdin(OwnedFd::from(ours))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    program.stdin(OwnedFd::from(theirs)).env(VARIABLE, "1").env("LAB_DEVICE", "emulated");
    let output = program.output().unwrap();
    // Else the device waits for the program's end here.
    program.stdin(Stdio::null());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("test result: ok. ") && !said.contains(" 0 passed"), "{said}");
    assert!(device.wait().unwrap().success(), "the judge's device");
}

#[test]
fn all_of_it_on_a_judges_device() {
    if std::env::var_os(VARIABLE).is_some() || std::env::var_os(DEVICE).is_some() {
        return;
    }
    let mut tests = Command::new(std::env::current_exe().unwrap());
    // What the environment says is the judge's affair, and the machine's platforms are not there.
    tests.env_remove("CI");
    judged(tests.args(["--skip", "judge::", "--skip", "platforms::the_environment_decides"]));
}
