//! Faults and failed calls on standard error, as they happen: for programs that know nothing of the
//! emulated device and would see a number. Silent until [`start`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

static TELLS: AtomicBool = AtomicBool::new(false);

/// Tells from now on.
pub fn start() {
    TELLS.store(true, Ordering::Relaxed);
}

/// Tells that a call failed with a code, and why; a reason that was told last is not told again.
pub fn failed(call: &str, code: &str, why: &str) {
    if TELLS.load(Ordering::Relaxed) && !why.is_empty() {
        reason(why);
        eprintln!("{call}: {code}");
    }
}

/// Tells a fault or finding.
pub(crate) fn found(text: &str) {
    if TELLS.load(Ordering::Relaxed) {
        reason(text);
    }
}

fn reason(text: &str) {
    static LAST: Mutex<String> = Mutex::new(String::new());
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if *last != text {
        eprintln!("{}", text.trim_end());
        text.clone_into(&mut last);
    }
}
