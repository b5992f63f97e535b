//! What an allocation held before the launch, for a launch that is run again.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::memory::{Allocation, PAGE_WORDS, SavedPage};

/// Old content of the pages that a launch has written.
#[derive(Default)]
pub(super) struct Undo {
    /// By page: 1 if it was saved.
    saved: OnceLock<Vec<AtomicU8>>,
    /// Pages with what they held; `None`: nothing had ever been written there.
    log: Mutex<Vec<(usize, Option<SavedPage>)>>,
}

impl Undo {
    /// Saves a page that is about to be written, the first time.
    pub fn keep(&self, allocation: &Allocation, page: usize) {
        let saved = self.saved.get_or_init(|| {
            let pages = allocation.words().div_ceil(PAGE_WORDS);
            bytemuck::allocation::zeroed_vec(pages)
        });
        if saved[page].load(Ordering::Acquire) == 1 {
            return;
        }
        let mut log = self.log.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if saved[page].load(Ordering::Acquire) == 0 {
            log.push((page, allocation.save_page(page)));
            saved[page].store(1, Ordering::Release);
        }
    }

    /// Puts all saved pages back.
    pub fn restore(self, allocation: &Allocation) {
        let log = self.log.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        for (page, saved) in log {
            allocation.restore_page(page, saved.as_ref());
        }
    }
}
