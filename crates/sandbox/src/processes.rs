//! Processes as `/proc` shows them. Where there is none, none is seen.

use std::fs;
use std::time::Duration;

/// What is seen of processes at a moment.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Their processor time since they began.
    pub worked: Duration,
    /// One of them runs or is ready to run.
    pub awake: bool,
}

/// All processes that can be seen.
pub fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten();
    entries.filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok())
}

/// A line `stat` of `/proc`.
pub struct Stat {
    pub id: u32,
    /// `R`: it runs or is ready to run.
    state: char,
    parent: u32,
    pub group: u32,
    pub threads: u64,
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

/// What is said of each.
pub fn stats() -> impl Iterator<Item = Stat> {
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

/// Bytes of a process that are not of a file.
pub fn memory_of(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let kib = |name: &str| {
        let line = status.lines().find_map(|l| l.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    (kib("RssAnon:").unwrap_or(0) + kib("RssShmem:").unwrap_or(0)) << 10
}
