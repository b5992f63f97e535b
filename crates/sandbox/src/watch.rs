//! What the stage sees of the processes that it started, in `/proc`.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::{Pid, getuid};

use crate::message::Ended;
use crate::meter::Seen;
use crate::rules::{Sandbox, Walls};

/// Folders within folders that are followed; deeper ones are an excess.
const DEPTH: usize = 64;

/// All processes that can be seen.
fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten();
    entries.filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok())
}

/// A line `stat` of `/proc`.
struct Stat {
    id: u32,
    /// `R`: it runs or is ready to run.
    state: char,
    parent: u32,
    group: u32,
    threads: u64,
    /// Processor time, with that of children that were waited for.
    worked: Duration,
}

impl Stat {
    /// Of a process, `7`, or of a thread, `7/task/8`.
    fn of(id: u32, folder: &str) -> Option<Stat> {
        let stat = fs::read_to_string(format!("/proc/{folder}/stat")).ok()?;
        // The name may hold anything, so fields are counted from its end.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |k: usize| fields.get(k)?.parse::<u64>().ok();
        // Own, the system's for it, and both of its children, in hundredths of a second.
        let ticks = number(11)? + number(12)? + number(13)? + number(14)?;
        Some(Stat {
            id,
            state: fields.first()?.chars().next()?,
            parent: number(1)? as u32,
            group: number(2)? as u32,
            threads: number(17)?,
            worked: Duration::from_millis(10 * ticks),
        })
    }

    /// True if one of its threads runs or is ready to run.
    fn is_awake(&self) -> bool {
        if self.threads == 1 || self.state == 'R' {
            return self.state == 'R';
        }
        let entries = fs::read_dir(format!("/proc/{}/task", self.id)).into_iter().flatten();
        let names = entries.filter_map(|e| e.ok()?.file_name().into_string().ok());
        let mut threads =
            names.filter_map(|name| Stat::of(self.id, &format!("{}/task/{name}", self.id)));
        threads.any(|thread| thread.state == 'R')
    }
}

/// All processes that can be seen.
fn stats() -> impl Iterator<Item = Stat> {
    processes().filter_map(|id| Stat::of(id, &id.to_string()))
}

/// What is seen of these processes and of all that they have started; `None` if the system does not
/// tell.
pub fn seen(roots: &[u32]) -> Option<Seen> {
    let all: Vec<Stat> = stats().collect();
    // Not even this process.
    if all.is_empty() {
        return None;
    }
    let mut seen = Seen { worked: Duration::ZERO, awake: false };
    let mut next: Vec<&Stat> = all.iter().filter(|s| roots.contains(&s.id)).collect();
    while let Some(one) = next.pop() {
        seen.worked += one.worked;
        seen.awake |= one.is_awake();
        next.extend(all.iter().filter(|s| s.parent == one.id && !roots.contains(&s.id)));
    }
    Some(seen)
}

/// Processes and threads in the group that `program` leads; in a namespace of their own, all
/// others.
fn started(walls: Walls, program: u32) -> Vec<(u32, u64)> {
    let me = std::process::id();
    let ours = |s: &Stat| s.id != me && (walls == Walls::Namespaces || s.group == program);
    stats().filter(ours).map(|s| (s.id, s.threads)).collect()
}

/// Bytes of a process that are not of a file.
pub fn memory_of(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let kib = |name: &str| {
        let line = status.lines().find_map(|l| l.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    (kib("RssAnon:").unwrap_or(0) + kib("RssShmem:").unwrap_or(0)) << 10
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
            let over = disk_over(&sandbox.write, limits.disk);
            self.looked_at_disk = Instant::now();
            return over.then_some(Ended::Disk);
        }
        None
    }
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
