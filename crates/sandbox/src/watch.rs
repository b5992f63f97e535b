//! What the stage sees of the processes that it started.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::{Pid, getuid};

use crate::message::Ended;
use crate::processes::{Stat, memory_of, processes, stats};
use crate::rules::{Sandbox, Walls};

/// Folders within folders that are followed; deeper ones are an excess.
const DEPTH: usize = 64;

/// Processes and threads in the group that `program` leads; in a namespace of their own, all
/// others.
fn started(walls: Walls, program: u32) -> Vec<(u32, u64)> {
    let me = std::process::id();
    let ours = |s: &Stat| s.id != me && (walls == Walls::Namespaces || s.group == program);
    stats().filter(ours).map(|s| (s.id, s.threads)).collect()
}

/// Processes and threads that this process's user has now.
pub fn of_this_user() -> u64 {
    let me = getuid().as_raw();
    let one = |id: u32| {
        let folder = format!("/proc/{id}");
        let mine = fs::metadata(&folder).is_ok_and(|data| data.uid() == me);
        let threads = fs::read_dir(folder + "/task").ok()?.count();
        mine.then_some(threads as u64)
    };
    processes().filter_map(one).sum()
}

/// Looks at the limits that the kernel does not keep.
pub struct Watch {
    looked_at_disk: Instant,
}

impl Watch {
    pub fn new() -> Watch {
        Watch { looked_at_disk: Instant::now() }
    }

    /// What was exceeded, if something was.
    pub fn excess(&mut self, sandbox: &Sandbox, program: u32) -> Option<Ended> {
        let limits = &sandbox.limits;
        let all = started(sandbox.walls, program);
        if all.iter().map(|(_, threads)| threads.max(&1)).sum::<u64>() > limits.processes {
            return Some(Ended::Processes);
        }
        if all.iter().map(|(id, _)| memory_of(*id)).sum::<u64>() > limits.memory {
            return Some(Ended::Memory);
        }
        if self.looked_at_disk.elapsed() > Duration::from_millis(250) {
            let mut seen = BTreeSet::new();
            let nameless: u64 = all.iter().map(|(id, _)| nameless(*id, sandbox, &mut seen)).sum();
            let left = limits.disk.checked_sub(nameless);
            let over = left.is_none_or(|left| disk_over(&sandbox.write, left));
            self.looked_at_disk = Instant::now();
            return over.then_some(Ended::Disk);
        }
        None
    }
}

/// Bytes of files without a name that a process holds: they take their place on the disk until it
/// lets them go. Of those that it only has in its memory nobody says how large they are: as large
/// as they may be. `seen` are the numbers of those that count already.
fn nameless(id: u32, sandbox: &Sandbox, seen: &mut BTreeSet<u64>) -> u64 {
    let mut sum = 0;
    let open = fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten();
    for data in open.filter_map(|entry| fs::metadata(entry.ok()?.path()).ok()) {
        if data.is_file() && data.nlink() == 0 && seen.insert(data.ino()) {
            sum += data.blocks() * 512;
        }
    }
    let maps = fs::read_to_string(format!("/proc/{id}/maps")).unwrap_or_default();
    for line in maps.lines().filter_map(|line| line.strip_suffix(" (deleted)")) {
        // Addresses, rights, place in the file, device, number, name.
        let mut fields = line.split_whitespace();
        let (number, name) = (fields.nth(4).and_then(|n| n.parse().ok()), fields.next());
        let in_box =
            name.is_some_and(|name| sandbox.write.iter().any(|f| Path::new(name).starts_with(f)));
        if in_box && number.is_some_and(|number| seen.insert(number)) {
            sum += sandbox.limits.file_size;
        }
    }
    sum
}

/// True if the folders hold more than `limit` bytes. Each name counts as a block at least.
pub fn disk_over(folders: &[PathBuf], limit: u64) -> bool {
    let mut sum = 0;
    let mut next: Vec<(PathBuf, usize)> = folders.iter().map(|f| (f.clone(), 0)).collect();
    while let Some((dir, depth)) = next.pop() {
        let Ok(entries) = fs::read_dir(&dir) else { continue };
        for entry in entries.filter_map(Result::ok) {
            let Ok(data) = entry.metadata() else { continue };
            sum += (data.blocks() * 512).max(4096);
            if data.is_dir() {
                next.push((entry.path(), depth + 1));
            }
            if sum > limit || depth > DEPTH {
                return true;
            }
        }
    }
    false
}

/// Ends all that `program` started. In a namespace of its own the kernel does that when this
/// process ends; else no process can leave the program's group, because the filter knows no call
/// that would.
pub fn kill_all(walls: Walls, program: u32) {
    if walls == Walls::Namespaces {
        return;
    }
    let group = Pid::from_raw(program.cast_signed());
    while killpg(group, Signal::SIGKILL).is_ok() {
        // Those that are dead are in the group until they are asked for.
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(status) if status.pid().is_some() => {}
            Ok(_) => std::thread::sleep(Duration::from_millis(1)),
            Err(_) => break,
        }
    }
}
