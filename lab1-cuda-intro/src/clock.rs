//! The host's clock, in a form that a test can replace.
//!
//! Programs that measure time call [`now`] before and after; the difference is the elapsed time.

use std::cell::RefCell;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

type Source = Box<dyn FnMut() -> Duration>;

thread_local! {
    static REPLACEMENT: RefCell<Option<Source>> = const { RefCell::new(None) };
}

/// Time since an arbitrary fixed moment; never runs backwards.
pub fn now() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    REPLACEMENT.with_borrow_mut(|source| match source {
        Some(source) => source(),
        None => START.get_or_init(Instant::now).elapsed(),
    })
}

/// Replaces the clock of this thread by `source` while `f` runs.
pub fn with<R>(source: impl FnMut() -> Duration + 'static, f: impl FnOnce() -> R) -> R {
    struct Restore;
    impl Drop for Restore {
        fn drop(&mut self) {
            REPLACEMENT.set(None);
        }
    }
    REPLACEMENT.set(Some(Box::new(source)));
    let _restore = Restore;
    f()
}
