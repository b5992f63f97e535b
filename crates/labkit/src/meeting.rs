//! How many threads run a function at the same time: what a check asks of a parallel loop. No time
//! is taken: threads wait for each other.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{ThreadId, current};
use std::time::Duration;

/// How long a thread waits for the others. Only who has too few threads waits so long, once.
const PATIENCE: Duration = Duration::from_secs(10);

/// Each thread waits at the begin of the function until so many are in it as there should be.
pub struct Meeting {
    expected: usize,
    now: Mutex<Now>,
    changed: Condvar,
}

#[derive(Default)]
struct Now {
    waiting: usize,
    /// All have met, or one has waited in vain: from now on nobody waits.
    over: bool,
    seen: HashSet<ThreadId>,
    most: usize,
}

/// What a [`Meeting`] has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Met {
    /// Threads that were in the function at the same time.
    pub together: usize,
    /// Threads that were in it at all.
    pub seen: usize,
}

impl Meeting {
    /// A meeting of `expected` threads.
    pub fn of(expected: usize) -> Meeting {
        Meeting { expected, now: Mutex::default(), changed: Condvar::new() }
    }

    /// Notes the calling thread, and waits for the others. To be called where the function begins.
    pub fn enter(&self) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.seen.insert(current().id());
        now.waiting += 1;
        now.most = now.most.max(now.waiting);
        now.over |= now.waiting >= self.expected;
        self.changed.notify_all();
        let waited = self.changed.wait_timeout_while(now, PATIENCE, |now| !now.over);
        let (mut now, _) = waited.unwrap_or_else(PoisonError::into_inner);
        now.over = true;
        self.changed.notify_all();
        now.waiting -= 1;
    }

    /// What was seen.
    pub fn met(self) -> Met {
        let now = self.now.into_inner().unwrap_or_else(PoisonError::into_inner);
        Met { together: now.most, seen: now.seen.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_meet_are_counted() {
        let meeting = Meeting::of(3);
        std::thread::scope(|s| {
            (0..3).for_each(|_| {
                s.spawn(|| meeting.enter());
            });
        });
        // Over: a later call does not wait.
        meeting.enter();
        assert_eq!(meeting.met(), Met { together: 3, seen: 4 });
    }
}
