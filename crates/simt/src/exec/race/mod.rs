//! Data races: who touched each word last, and whether anything orders that before the access at
//! hand.
//!
//! Two accesses are ordered if one thread makes both, if a barrier of the block lies between them,
//! if both threads are in one warp and a warp operation lies between them, or if the first has been
//! fenced (`__threadfence`) before the last atomic on the second one's side: that of its block,
//! across blocks (the idiom of the last block), or its own, within a block (a lock that threads
//! take in turn). All else is a race as soon as one side writes and not both are atomic. Two stores
//! of the same value are none: whichever comes last, the word holds that value. Nor are a read and
//! a store that may come in either order without a difference ([`super::tested`]).
//!
//! Time is counted in *stamps* that grow at every barrier and warp operation, so that "before the
//! barrier" is a comparison of numbers. Shared memory keeps all that a message needs. Global memory
//! keeps only who touched a granule last, as densely as it can ([`shadow`]); when a race is
//! found there, the launch runs again with that word under watch to name the other side.

mod clock;
mod deferred;
mod global;
mod log;
mod put_off;
mod report;
mod shadow;
mod shared;
mod shared_shadow;
mod stamps;
mod tested;

use std::collections::VecDeque;

use crate::fault::ThreadAction;
use crate::source::Span;
pub(crate) use log::Log;
pub(crate) use shadow::AllocShadow;
pub(crate) use shared_shadow::SharedShadow;
pub(crate) use stamps::{GlobalClock, Stamps};

/// The other side of a race.
#[derive(Clone, Debug)]
pub(crate) struct Note {
    pub block: [u32; 3],
    pub thread: u32,
    pub span: Span,
    pub access: Access,
}

/// What a thread does to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    Atomic,
    /// A plain read whose value a compare-and-swap on the same word checks: as good as atomic
    /// ([`crate::exec::peek`]).
    Peek,
}

impl Access {
    /// A load or store.
    pub fn plain(write: bool) -> Access {
        if write { Access::Write } else { Access::Read }
    }

    pub fn writes(self) -> bool {
        matches!(self, Access::Write | Access::Atomic)
    }

    pub(super) fn is_atomic(self) -> bool {
        matches!(self, Access::Atomic | Access::Peek)
    }

    /// Two accesses to one word, in no order, are a race.
    pub fn clashes(self, other: Access) -> bool {
        (self.writes() || other.writes()) && !(self.is_atomic() && other.is_atomic())
    }

    pub(super) fn does(self) -> &'static str {
        match self {
            Access::Atomic => "atomically updates",
            Access::Write => "writes",
            Access::Read | Access::Peek => "reads",
        }
    }

    pub(super) fn has_done(self) -> &'static str {
        match self {
            Access::Atomic => "has atomically updated",
            Access::Write => "has written",
            Access::Read | Access::Peek => "has read",
        }
    }

    pub(super) fn action(self) -> ThreadAction {
        match self {
            Access::Atomic => ThreadAction::Updates,
            Access::Write => ThreadAction::Writes,
            Access::Read | Access::Peek => ThreadAction::Reads,
        }
    }
}

/// The word whose accesses are noted.
#[derive(Debug)]
pub(crate) struct Watch {
    pub addr: u64,
    pub size: u64,
    pub notes: VecDeque<Note>,
}
