//! The same tests in a program that a judge has started: the platform is the judge's.
#![cfg(unix)]

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use ocl::Buffer;
use wire::channel::{self, Frame, Kind, VARIABLE};
use wire::{Outcome, Reply};

use crate::support::{emulated, pro_que};

/// Makes this process a judge's device: the file for what the judge is told.
const DEVICE: &str = "OPENCL_TEST_DEVICE";

fn this_test(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--nocapture"]);
    command
}

#[test]
fn device() {
    let Some(told) = std::env::var_os(DEVICE) else { return };
    let socket = File::from(std::io::stdin().as_fd().try_clone_to_owned().unwrap());
    let out = File::create(told).unwrap();
    emulation::judge::with_driver(
        opencl_icd::judge::PREFIX,
        opencl_icd::judge::answer,
        opencl_icd::judge::renew,
    );
    let calls = [wire::Call::new("t.all", &Default::default())];
    emulation::judge::serve_socket(&calls, vec!["/".into()], &socket, &out).unwrap();
}

/// Starts the judge's device, and `program` at the other end of its channel; what the judge is
/// told.
fn judged(program: &mut Command) -> Vec<Reply> {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let told = tempfile::NamedTempFile::new().unwrap();
    let mut device = this_test("judge::device")
        .env(DEVICE, told.path())
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
    let mut told = File::open(told.path()).unwrap();
    let frames = std::iter::from_fn(|| Frame::read(&mut told, |_| u64::MAX).unwrap());
    frames.map(|frame| serde_json::from_slice(&frame.blobs[0]).unwrap()).collect()
}

#[test]
fn all_of_it_on_a_judges_device() {
    if std::env::var_os(VARIABLE).is_some() || std::env::var_os(DEVICE).is_some() {
        return;
    }
    let mut tests = Command::new(std::env::current_exe().unwrap());
    // What the environment says is the judge's affair, and the machine's platforms are not there.
    tests.env_remove("CI");
    let elsewhere = ["judge::", "platforms::the_environment_decides", "images::"];
    judged(tests.args(elsewhere.iter().flat_map(|name| ["--skip", name])));
}

const COPY: &str = "__kernel void copy(__global const int *from, __global int *to) {
    int i = get_global_id(0);
    to[i] = from[i];
}";

/// Brings numbers to the device before its call begins, and a kernel copies them in the call.
#[test]
fn program_that_prepares() {
    let Some(judge) = channel::client() else { return };
    let ask = |frame: Frame| judge.ask(&frame).unwrap();
    let numbers: Vec<i32> = (0..100).map(|k| 1000 + k * k).collect();
    let pq = pro_que(emulated(), COPY, 100);
    let buffer = || Buffer::<i32>::builder().queue(pq.queue().clone()).len(100);
    let (from, to) =
        (buffer().copy_host_slice(&numbers).build().unwrap(), buffer().build().unwrap());
    ask(Frame::new(Kind::Next, ""));
    let kernel = pq.kernel_builder("copy").arg(&from).arg(&to).build().unwrap();
    // SAFETY: the arguments are those of the kernel.
    unsafe { kernel.enq().unwrap() };
    let mut found = vec![0; 100];
    to.read(&mut found).enq().unwrap();
    assert_eq!(found, numbers);
    let mut ended = Frame::new(Kind::Ended, "");
    ended.blobs.push(serde_json::to_vec(&Outcome::Ok(found.into())).unwrap());
    ask(ended);
}

#[test]
fn what_was_there_before_the_call_counts_as_given() {
    if std::env::var_os(VARIABLE).is_some() || std::env::var_os(DEVICE).is_some() {
        return;
    }
    let told = judged(&mut this_test("judge::program_that_prepares"));
    let origin = told[0].origin.unwrap();
    assert_eq!((origin.numbers, origin.strange), (100, 0), "a kernel wrote them");
    assert!(origin.foreign > 90, "{origin:?}");
}
