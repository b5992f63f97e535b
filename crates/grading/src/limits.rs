//! How long a process may take, and how much memory.

use std::process::ExitStatus;
use std::time::{Duration, Instant};

use sandbox::{FAR, Meter};

/// Limits of one child.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time of it, of all that it starts and of its device, by a [`Meter`].
    pub time: Duration,
    /// Address space in bytes; on Windows memory, of which it has at most 8 GiB.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { time: Duration::from_secs(60), memory: 16 << 30 }
    }
}

/// Shortest and longest pause between two looks whether a process has ended.
const PAUSES: [Duration; 2] = [Duration::from_micros(200), Duration::from_millis(20)];

/// Waits for a process; `None` if its time is over first, by a [`Meter`] of it and those `beside`
/// it, or by far on the wall's clock.
pub(crate) fn ended(
    child: &mut std::process::Child,
    beside: &[u32],
    time: Duration,
) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut meter = Meter::of([&[child.id()], beside].concat());
    let (look, mut looked) = (Meter::pause(time), start);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let now = Instant::now();
        if now >= looked + look {
            looked = now;
            if meter.look(look) >= time || now > start + time * FAR {
                return Ok(None);
            }
        }
        // Whoever waits is late by a thirtieth of the time that was waited for.
        std::thread::sleep(((now - start) / 30).clamp(PAUSES[0], PAUSES[1]));
    }
}

/// The environment in which the C library of Linux keeps freed memory of tens of megabytes for the
/// next check: to have the kernel clear the same pages again is a sixth of a judge's time.
pub(crate) const KEEP_PAGES: [(&str, &str); 2] =
    [("MALLOC_MMAP_THRESHOLD_", "33554432"), ("MALLOC_TRIM_THRESHOLD_", "67108864")];

/// A Rust program that ended with these words on stderr got no more memory.
pub(crate) fn ran_out_of_memory(words: &str) -> bool {
    words.contains("memory allocation of")
}
