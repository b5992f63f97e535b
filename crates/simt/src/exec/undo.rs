//! What memory held before the launch, for a launch that is run again.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};

use crate::memory::{Allocation, PAGE_WORDS, SavedPage};

/// Room for pages that launches have left, for those that follow: to get it from the system anew
/// takes longer than to fill it.
static SPARE: Mutex<Vec<Vec<u32>>> = Mutex::new(Vec::new());
/// Pages that are kept there: 8 MB.
const MOST_SPARE: usize = 1 << 11;
/// Pages for which a worker takes room at a time, and that it hands over at a time.
const TOGETHER: usize = 32;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A page that was saved.
struct Saved {
    /// Number of its allocation.
    alloc: usize,
    page: usize,
    /// `None`: nothing had ever been written there.
    content: Option<SavedPage>,
}

/// Old content of the pages that a launch has written.
#[derive(Default)]
pub(super) struct Undo(Mutex<Vec<Vec<Saved>>>);

impl Undo {
    fn pages(&mut self) -> &mut Vec<Vec<Saved>> {
        self.0.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Puts all pages back; no worker is left.
    pub fn restore(&mut self, allocations: &[impl AsRef<Allocation>]) {
        for Saved { alloc, page, content } in self.pages().iter().flatten() {
            allocations[*alloc].as_ref().restore_page(*page, content.as_ref());
        }
        self.clear();
    }

    fn clear(&mut self) {
        let pages = self.pages().drain(..).flatten();
        give_back(pages.filter_map(|saved| Some(saved.content?.words)));
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Leaves room for later launches.
fn give_back(rooms: impl Iterator<Item = Vec<u32>>) {
    let mut spare = locked(&SPARE);
    let left = MOST_SPARE.saturating_sub(spare.len());
    spare.extend(rooms.take(left));
}

/// Which pages of an allocation are saved.
#[derive(Default)]
pub(super) struct Pages {
    /// By page. A word for each: cores that are at work on pages some way apart do not change one
    /// line of their caches.
    states: OnceLock<Vec<AtomicU32>>,
}

/// A page may be written only when it is [`SAVED`].
const FRESH: u32 = 0;
const BUSY: u32 = 1;
const SAVED: u32 = 2;

impl Pages {
    #[inline(always)]
    fn state(&self, allocation: &Allocation, page: usize) -> &AtomicU32 {
        let count = || allocation.words().div_ceil(PAGE_WORDS);
        &self.states.get_or_init(|| bytemuck::allocation::zeroed_vec(count()))[page]
    }
}

/// Saves pages for a worker: the last ones are still here, and go to the launch's [`Undo`] when the
/// worker ends.
pub(super) struct Saver<'w> {
    undo: &'w Undo,
    pages: Vec<Saved>,
    rooms: Vec<Vec<u32>>,
}

impl<'w> Saver<'w> {
    pub fn new(undo: &'w Undo) -> Saver<'w> {
        Saver { undo, pages: Vec::new(), rooms: Vec::new() }
    }

    /// Saves a page of allocation number `alloc` that is about to be written, the first time.
    #[inline(always)]
    pub fn keep(&mut self, pages: &Pages, alloc: usize, allocation: &Allocation, page: usize) {
        let state = pages.state(allocation, page);
        if state.load(Ordering::Acquire) != SAVED {
            self.save(state, alloc, allocation, page);
        }
    }

    #[cold]
    fn save(&mut self, state: &AtomicU32, alloc: usize, allocation: &Allocation, page: usize) {
        while state.compare_exchange(FRESH, BUSY, Ordering::Acquire, Ordering::Acquire).is_err() {
            if state.load(Ordering::Acquire) == SAVED {
                return;
            }
            // Another worker is at it: that takes less time than to sleep.
            std::thread::yield_now();
        }
        if self.pages.len() == self.pages.capacity() {
            self.hand_over();
            self.pages.reserve_exact(TOGETHER);
            let mut spare = locked(&SPARE);
            let rest = spare.len().saturating_sub(TOGETHER - self.rooms.len());
            self.rooms.extend(spare.drain(rest..));
        }
        let content = allocation.save_page(page, || self.rooms.pop().unwrap_or_default());
        self.pages.push(Saved { alloc, page, content });
        state.store(SAVED, Ordering::Release);
    }

    fn hand_over(&mut self) {
        locked(&self.undo.0).push(std::mem::take(&mut self.pages));
    }
}

impl Drop for Saver<'_> {
    fn drop(&mut self) {
        self.hand_over();
        give_back(self.rooms.drain(..));
    }
}
