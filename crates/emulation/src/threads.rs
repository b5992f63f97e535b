//! Host threads of the program by number: contexts, last errors and the log of calls tell them
//! apart.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of this thread. They count from 0, in the order in which the threads first ask.
pub fn number() -> u64 {
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
