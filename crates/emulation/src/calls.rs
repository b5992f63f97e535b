//! The log of API calls, kept for real and emulated devices: the latest calls, and a count of those
//! that fell out.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use wire::ApiCall;
use wire::channel::{self, Frame, Kind};

use crate::{threads, trace};

/// Calls that are kept.
const CAPACITY: usize = 1 << 16;

/// The calls and how many older ones are no longer there.
static LOG: Mutex<(VecDeque<ApiCall>, u64)> = Mutex::new((VecDeque::new(), 0));

/// Whether somebody may ask for the calls.
static KEPT: AtomicBool = AtomicBool::new(true);

/// From now on no calls are logged, unless this run is recorded: for programs that never ask for
/// them, and make so many that writing them down takes as long as the device's work.
pub fn keep_none() {
    KEPT.store(false, Ordering::Relaxed);
}

/// Whether calls are logged.
pub fn are_kept() -> bool {
    KEPT.load(Ordering::Relaxed) || trace::is_on()
}

/// Adds a call that began at `start`. The thread's number is filled in here.
pub fn add(mut call: ApiCall, start: Instant) {
    call.thread = threads::number();
    trace::note_call(&call, start);
    let mut log = LOG.lock().unwrap_or_else(PoisonError::into_inner);
    if log.0.len() == CAPACITY {
        log.0.pop_front();
        log.1 += 1;
    }
    log.0.push_back(call);
}

/// Takes the calls since the last time this was asked, oldest first, and how many more there were
/// that are not kept.
///
/// With a judge's device they are its.
pub fn take() -> (Vec<ApiCall>, u64) {
    if let Some(json) = taken("calls") {
        return serde_json::from_slice(&json).unwrap_or_default();
    }
    let (calls, dropped) = std::mem::take(&mut *LOG.lock().unwrap_or_else(PoisonError::into_inner));
    (calls.into(), dropped)
}

/// What the judge's device says it saw, if there is one.
pub(crate) fn taken(what: &str) -> Option<Vec<u8>> {
    let client = channel::client()?;
    let answer = client.ask::<Vec<u8>>(&Frame::new(Kind::Take, what)).ok();
    Some(answer.and_then(|mut frame| frame.blobs.pop()).unwrap_or_default())
}
