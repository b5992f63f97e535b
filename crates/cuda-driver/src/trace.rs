//! The trace of driver calls, kept for both back ends: a ring of the latest calls and a count of those that fell out.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::wire::ApiCall;
use crate::{code, profile};

/// Calls that are kept.
const CAPACITY: usize = 1 << 16;

/// Handles of the driver are addresses; people and checks want small numbers and names that stay the same.
#[derive(Default)]
struct Trace {
    calls: VecDeque<ApiCall>,
    dropped: u64,
    streams: HashMap<usize, u64>,
    events: HashMap<usize, u64>,
    kernels: HashMap<usize, String>,
    stream_count: u64,
    event_count: u64,
}

static TRACE: Mutex<Option<Trace>> = Mutex::new(None);

fn with<R>(f: impl FnOnce(&mut Trace) -> R) -> R {
    let mut guard: MutexGuard<'_, Option<Trace>> =
        TRACE.lock().unwrap_or_else(PoisonError::into_inner);
    f(guard.get_or_insert_default())
}

fn thread_number() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static NUMBER: Cell<Option<u64>> = const { Cell::new(None) };
    }
    NUMBER.get().unwrap_or_else(|| {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        NUMBER.set(Some(number));
        number
    })
}

/// Adds a call that began at `start`. `detail` fills in what only this function knows.
pub(crate) fn record(symbol: &str, start: Instant, result: u32, detail: impl FnOnce(&mut ApiCall)) {
    // Asked for while messages are written: no part of what the program does.
    if symbol.starts_with("cuGetError") {
        return;
    }
    let mut call = ApiCall {
        name: plain_name(symbol).to_owned(),
        result,
        result_name: code::result_name(result).to_owned(),
        ..ApiCall::default()
    };
    detail(&mut call);
    keep(call, start);
}

/// Adds a call that is described already, but for the thread.
pub(crate) fn keep(mut call: ApiCall, start: Instant) {
    call.thread = thread_number();
    profile::note_call(&call, start);
    with(|t| {
        if t.calls.len() == CAPACITY {
            t.calls.pop_front();
            t.dropped += 1;
        }
        t.calls.push_back(call);
    });
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

/// Takes the calls since the last time, and how many more there were that are not kept.
pub(crate) fn take() -> (Vec<ApiCall>, u64) {
    with(|t| (std::mem::take(&mut t.calls).into(), std::mem::take(&mut t.dropped)))
}
