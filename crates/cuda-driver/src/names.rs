//! Names for the log of calls: handles of the driver are addresses; people and checks want small
//! numbers and names that stay the same.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use emulation::calls;
use wire::ApiCall;

use crate::code;

#[derive(Default)]
struct Names {
    streams: HashMap<usize, u64>,
    events: HashMap<usize, u64>,
    kernels: HashMap<usize, String>,
    stream_count: u64,
    event_count: u64,
}

static NAMES: Mutex<Option<Names>> = Mutex::new(None);

fn with<R>(f: impl FnOnce(&mut Names) -> R) -> R {
    let mut guard: MutexGuard<'_, Option<Names>> =
        NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    f(guard.get_or_insert_default())
}

/// Adds a call that began at `start`. `detail` fills in what only this function knows.
pub(crate) fn record(symbol: &str, start: Instant, result: u32, detail: impl FnOnce(&mut ApiCall)) {
    // Asked for while messages are written: no part of what the program does.
    if symbol.starts_with("cuGetError") || !calls::are_kept() {
        return;
    }
    let mut call = ApiCall {
        name: plain_name(symbol).to_owned(),
        result,
        result_name: code::result_name(result).to_owned(),
        ..ApiCall::default()
    };
    detail(&mut call);
    calls::add(call, start);
}

/// The name in the manual: `cuMemAlloc` for the symbol `cuMemAlloc_v2`.
pub(crate) fn plain_name(symbol: &str) -> &str {
    symbol.strip_suffix("_v2").unwrap_or(symbol)
}

/// Gives a new stream its number. Address 0, 1 and 2 mean default streams.
pub(crate) fn add_stream(handle: usize) {
    with(|t| {
        t.stream_count += 1;
        let number = t.stream_count;
        t.streams.insert(handle, number);
    });
}

/// Number of a stream; 0 is the default stream. `None` for a handle that never was one.
pub(crate) fn stream_number(handle: usize) -> Option<u64> {
    if handle <= 2 { Some(0) } else { with(|t| t.streams.get(&handle).copied()) }
}

/// Gives a new event its number.
pub(crate) fn add_event(handle: usize) {
    with(|t| {
        t.event_count += 1;
        let number = t.event_count;
        t.events.insert(handle, number);
    });
}

/// Number of an event.
pub(crate) fn event_number(handle: usize) -> Option<u64> {
    with(|t| t.events.get(&handle).copied())
}

/// Forgets an event; programs may make millions of them.
pub(crate) fn remove_event(handle: usize) {
    with(|t| t.events.remove(&handle));
}

/// Remembers the name of a function handle.
pub(crate) fn add_kernel(handle: usize, name: String) {
    with(|t| t.kernels.insert(handle, name));
}

/// Name under which a function handle was asked for.
pub(crate) fn kernel_name(handle: usize) -> String {
    with(|t| t.kernels.get(&handle).cloned()).unwrap_or_default()
}
