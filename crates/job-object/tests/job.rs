//! What a job holds. The programs in it are this test program again, which a variable tells what to
//! do. Run under wine by `tools/windows/run.sh`; wine keeps no limits on memory and processes.
#![cfg(windows)]

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use job_object::{Job, Limits};
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleA, GetProcAddress};

const ROLE: &str = "JOB_OBJECT_TEST_ROLE";
const GENEROUS: Limits = Limits { memory: 4 << 30, processes: 64, time: Duration::from_secs(600) };

/// This program, in a role.
fn own(role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "role", "--nocapture"]).env(ROLE, role);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// Not a test: what the programs in the jobs do.
#[test]
fn role() {
    match std::env::var(ROLE).as_deref() {
        Ok("sleep") => std::thread::sleep(Duration::from_secs(600)),
        Ok("leave") => {
            // Left behind, with the same output.
            own("sleep").spawn().unwrap();
            println!("left");
        }
        Ok("allocate") => {
            let room = vec![1u8; 512 << 20];
            println!("has {}", room.iter().map(|b| u64::from(*b)).sum::<u64>());
        }
        Ok("start") => {
            let mut child = own("none").spawn().unwrap();
            child.wait().unwrap();
            println!("has started");
        }
        _ => {}
    }
}

/// All output until the last program that has it is gone; `None` after a minute.
fn output(child: &mut Child) -> Option<String> {
    let mut out = child.stdout.take().unwrap();
    let (tell, told) = channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let _ = out.read_to_string(&mut text);
        let _ = tell.send(text);
    });
    told.recv_timeout(Duration::from_secs(60)).ok()
}

fn under_wine() -> bool {
    // SAFETY: names that end in NUL; a library that every program has.
    unsafe {
        let system = GetModuleHandleA(c"ntdll.dll".as_ptr().cast());
        GetProcAddress(system, c"wine_get_version".as_ptr().cast()).is_some()
    }
}

#[test]
fn what_a_program_leaves_behind_ends_with_the_job() {
    for by_hand in [true, false] {
        let job = Job::new(&GENEROUS).unwrap();
        let mut child = job.spawn(own("leave").stdout(Stdio::piped())).unwrap();
        assert!(child.wait().unwrap().success());
        if by_hand {
            job.end()
        } else {
            drop(job)
        }
        let said = output(&mut child).expect("the grandchild is still there");
        assert!(said.contains("left"), "{said}");
    }
}

#[test]
fn a_program_that_runs_is_ended() {
    let job = Job::new(&GENEROUS).unwrap();
    let mut child = job.spawn(own("sleep").stdout(Stdio::null())).unwrap();
    assert!(child.try_wait().unwrap().is_none());
    job.end();
    assert!(!child.wait().unwrap().success());
}

#[test]
fn memory_and_processes_have_limits() {
    let said = |role, limits: Limits| {
        let job = Job::new(&limits).unwrap();
        let mut child = job.spawn(own(role).stdout(Stdio::piped())).unwrap();
        output(&mut child).expect("it does not end")
    };
    assert!(said("allocate", GENEROUS).contains("has 536870912"));
    assert!(said("start", GENEROUS).contains("has started"));
    if under_wine() {
        println!("skipped: wine does not keep a job's limits on memory and processes");
        return;
    }
    let small = Limits { memory: 256 << 20, ..GENEROUS };
    assert!(!said("allocate", small).contains("has 536870912"));
    let alone = Limits { processes: 1, ..GENEROUS };
    assert!(!said("start", alone).contains("has started"));
}
