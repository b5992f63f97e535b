//! What the judge waits for, told to whoever shows it: as a logger there is one observer in a
//! process, or none.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// What goes on.
#[derive(Clone, Copy, Debug)]
pub enum Doing<'a> {
    /// Cargo builds a host program: what it said last.
    Building {
        /// The program.
        bin: &'a str,
        /// Since when; no other build has begun at this moment.
        since: Instant,
        /// What was heard of cargo.
        event: &'a building::Event,
    },
    /// The build ended, well or not.
    Built,
    /// A host program runs for a check; several may run at a time.
    Running {
        /// The check, such as `1.1.3 multi`.
        check: &'a str,
        /// Since when.
        since: Instant,
        /// After so long, without what others keep it waiting, it is ended.
        limit: Duration,
    },
    /// Another judge marks submissions of the lab in the same target folder: this one waits.
    Queued {
        /// The lab, such as `lab1`.
        lab: &'a str,
        /// Since when.
        since: Instant,
    },
    /// The other judge has ended.
    Alone,
    /// The host program that ran since then for the check ended.
    Ran {
        /// The check.
        check: &'a str,
        /// Since when.
        since: Instant,
    },
}

type Observer = Box<dyn Fn(&Doing) + Send + Sync>;

static OBSERVER: OnceLock<Observer> = OnceLock::new();

/// Lets `observer` hear of all that follows. The first observer stays.
pub fn observe(observer: impl Fn(&Doing) + Send + Sync + 'static) {
    let _ = OBSERVER.set(Box::new(observer));
}

pub(crate) fn tell(doing: &Doing) {
    if let Some(observer) = OBSERVER.get() {
        observer(doing);
    }
}
