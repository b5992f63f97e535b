//! `LAB_TRACE`: a record of the whole run, written when the process ends.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use simt::fault::Fault;
use simt::report::LaunchReport;
use simt::source::SourceMap;
use wire::{ApiCall, TimedCall, Trace};

/// Calls, launches, and faults that are kept each.
const CAPACITY: usize = 1 << 16;

fn file() -> Option<&'static PathBuf> {
    static FILE: OnceLock<Option<PathBuf>> = OnceLock::new();
    FILE.get_or_init(|| {
        let path = std::env::var_os("LAB_TRACE").filter(|name| !name.is_empty()).map(PathBuf::from);
        if path.is_some() {
            unsafe extern "C" {
                /// Of the C library, on every system: runs a function when the process ends in
                /// order.
                fn atexit(function: extern "C" fn()) -> i32;
            }
            // SAFETY: `write` is a function of the program and lives to its end.
            unsafe { atexit(write) };
        }
        path
    })
    .as_ref()
}

fn trace() -> MutexGuard<'static, Option<Trace>> {
    static TRACE: Mutex<Option<Trace>> = Mutex::new(None);
    TRACE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether this run is recorded.
pub(crate) fn is_on() -> bool {
    file().is_some()
}

fn note(f: impl FnOnce(&mut Trace)) {
    if is_on() {
        f(trace().get_or_insert_default());
    }
}

/// A call that began at `start`.
pub(crate) fn note_call(call: &ApiCall, start: Instant) {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    let first = FIRST.get_or_init(|| start);
    note(|t| {
        if t.calls.len() == CAPACITY {
            t.dropped += 1;
            return;
        }
        t.calls.push(TimedCall {
            call: call.clone(),
            start_ms: start.saturating_duration_since(*first).as_secs_f64() * 1e3,
            ms: start.elapsed().as_secs_f64() * 1e3,
        });
    });
}

/// A launch that ended well.
pub(crate) fn note_report(report: &LaunchReport) {
    note(|t| {
        if t.launches.len() < CAPACITY {
            t.launches.push(report.clone());
        }
    });
}

/// A fault or finding.
pub(crate) fn note_fault(fault: &Fault) {
    note(|t| {
        if t.faults.len() < CAPACITY {
            t.faults.push(fault.clone());
        }
    });
}

/// Keeps the files of a program for `LAB_TRACE`.
pub fn note_sources(sources: &SourceMap) {
    note(|t| {
        let files = sources.files().iter();
        t.sources.extend(files.map(|f| (f.name.clone(), f.text.to_string())));
    });
}

/// Whose driver serves the calls: `cuda`, if it is not the emulated one.
pub fn set_backend(name: &'static str) {
    note(|t| t.backend = name.into());
}

/// The device's name; `name` is called only if a trace is kept.
pub fn set_device(name: impl FnOnce() -> String) {
    note(|t| t.device = name());
}

extern "C" fn write() {
    // A panic must not leave this function: it is called by the C library.
    let _ = std::panic::catch_unwind(|| {
        let Some(path) = file() else { return };
        let mut trace = trace().take().unwrap_or_default();
        if trace.backend.is_empty() {
            trace.backend = "emulated".into();
        }
        let written = serde_json::to_vec(&trace)
            .map_err(std::io::Error::other)
            .and_then(|bytes| std::fs::write(path, bytes));
        if let Err(error) = written {
            eprintln!("error: LAB_TRACE: {}: {error}", path.display());
        }
    });
}
