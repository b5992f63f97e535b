//! The most memory that the judge's processes take, whatever is handed in.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::{JUDGE, place};

/// Most memory in KiB by what a process is.
pub type Peaks = BTreeMap<&'static str, u64>;

/// Does something, and looks at the judge's processes meanwhile. What is read of each is the most
/// that it had so far, so nothing is lost between two looks but a process's last moment.
pub fn measured<T>(work: impl FnOnce() -> T) -> (T, Peaks) {
    let peaks = Mutex::new(Peaks::new());
    let (stop, stopped) = channel::<()>();
    let done = std::thread::scope(|scope| {
        let peaks = &peaks;
        scope.spawn(move || {
            while stopped.recv_timeout(Duration::from_millis(50)) == Err(RecvTimeoutError::Timeout)
            {
                look(&mut peaks.lock().unwrap());
            }
        });
        let done = work();
        drop(stop);
        done
    });
    (done, peaks.into_inner().unwrap())
}

/// The supervisor takes less than 200 MB, a worker and a device less than 1000 MiB.
pub fn assert_small(peaks: &Peaks) {
    eprintln!("most memory in KiB: {peaks:?}");
    for (what, kib) in peaks {
        let most = if *what == "supervisor" { 200 << 10 } else { 1000 << 10 };
        assert!(*kib < most, "{what}: {kib} KiB");
    }
}

fn look(peaks: &mut Peaks) {
    for entry in fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok) {
        let read = |name: &str| fs::read_to_string(entry.path().join(name)).unwrap_or_default();
        let line = read("cmdline");
        let mut words = line.split('\0');
        let Some(program) = words.next().filter(|p| Path::new(p).starts_with(place().target))
        else {
            continue;
        };
        let what = match words.next() {
            Some("--grade-worker") => "worker",
            Some("--judge-device") => "device",
            Some(word) if program == JUDGE && word.starts_with('/') => "supervisor",
            _ => continue,
        };
        let status = read("status");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = peak.and_then(|p| p.split_whitespace().next()?.parse().ok()).unwrap_or(0);
        let most = peaks.entry(what).or_default();
        *most = kib.max(*most);
    }
}
