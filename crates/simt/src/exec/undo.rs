//! What an allocation held before the launch, for a launch that is run again.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};

use crate::memory::{Allocation, PAGE_WORDS, SavedPage};

/// Room for pages that launches have left, for those that follow: to get it from the system anew
/// takes longer than to fill it.
static SPARE: Mutex<Vec<Vec<u32>>> = Mutex::new(Vec::new());
/// Pages that are kept there: 8 MB.
const MOST_SPARE: usize = 1 << 11;

fn spare() -> MutexGuard<'static, Vec<Vec<u32>>> {
    SPARE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

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
            let room = || spare().pop().unwrap_or_default();
            log.push((page, allocation.save_page(page, room)));
            saved[page].store(1, Ordering::Release);
        }
    }

    /// Puts all saved pages back.
    pub fn restore(mut self, allocation: &Allocation) {
        for (page, saved) in self.log.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner()) {
            allocation.restore_page(*page, saved.as_ref());
        }
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        let log = self.log.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
        if log.is_empty() {
            return;
        }
        let mut spare = spare();
        let left = MOST_SPARE.saturating_sub(spare.len());
        spare.extend(log.drain(..).filter_map(|(_, saved)| Some(saved?.words)).take(left));
    }
}
