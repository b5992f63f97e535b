//! `LAB_TRACE`: a record of the whole run, written when the process ends.

use std::os::raw::c_char;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use simt::fault::Fault;
use simt::report::LaunchReport;
use simt::source::SourceMap;

use crate::backend::{Chosen, backend, chosen};
use crate::code;
use crate::wire::{ApiCall, TimedCall, Trace};

/// Calls, launches, and faults that are kept each.
const CAPACITY: usize = 1 << 16;

fn file() -> Option<&'static PathBuf> {
    static FILE: OnceLock<Option<PathBuf>> = OnceLock::new();
    FILE.get_or_init(|| {
        let path = std::env::var_os("LAB_TRACE").filter(|name| !name.is_empty()).map(PathBuf::from);
        if path.is_some() {
            unsafe extern "C" {
                /// Of the C library, on every system: runs a function when the process ends in order.
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

fn note(f: impl FnOnce(&mut Trace)) {
    if file().is_some() {
        f(trace().get_or_insert_default());
    }
}

/// A call that began at `start`.
pub(crate) fn note_call(call: &ApiCall, start: Instant) {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    let first = FIRST.get_or_init(|| start);
    note(|t| {
        if t.device.is_empty() && call.name == "cuInit" && call.ok() {
            t.device = device_name();
        }
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

fn device_name() -> String {
    let Chosen::Real(library) = chosen() else {
        return crate::device_model().map_or_else(|_| String::new(), |d| d.name.to_owned());
    };
    type Name = unsafe extern "C" fn(*mut c_char, i32, i32) -> u32;
    let mut name = [0u8; 256];
    // SAFETY: the driver's function of this name has this signature.
    let Ok(get) = (unsafe { library.get::<Name>(c"cuDeviceGetName") }) else {
        return String::new();
    };
    // SAFETY: room for 256 characters.
    if unsafe { get(name.as_mut_ptr().cast(), name.len() as i32, 0) } != code::SUCCESS {
        return String::new();
    }
    let end = name.iter().position(|c| *c == 0).unwrap_or(0);
    String::from_utf8_lossy(&name[..end]).into_owned()
}

extern "C" fn write() {
    // A panic must not leave this function: it is called by the C library.
    let _ = std::panic::catch_unwind(|| {
        let Some(path) = file() else { return };
        let mut trace = trace().take().unwrap_or_default();
        trace.backend = backend().name().into();
        let written = serde_json::to_vec(&trace)
            .map_err(std::io::Error::other)
            .and_then(|bytes| std::fs::write(path, bytes));
        if let Err(error) = written {
            eprintln!("error: LAB_TRACE: {}: {error}", path.display());
        }
    });
}
