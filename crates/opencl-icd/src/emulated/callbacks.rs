//! Functions of the program that are called when something has happened: on a thread of their own,
//! as real platforms do, so that the program may hold its locks while it calls us.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

use emulation::judge;

/// A function to be called, with what it wants to be called with.
pub(crate) type Call = Box<dyn FnOnce() + Send>;

thread_local! {
    static DEFERRED: Cell<bool> = const { Cell::new(false) };
}

/// A judge's device: true in a call that the program may get when it likes, not at once.
pub(crate) fn deferred() -> bool {
    DEFERRED.get()
}

/// Calls `call` soon, after those that were handed over before. A judge's device only notes that it
/// is to be called.
pub(crate) fn later(call: Call) {
    if judge::is_one() {
        DEFERRED.set(true);
        call();
        DEFERRED.set(false);
        return;
    }
    static THREAD: OnceLock<Option<Sender<Call>>> = OnceLock::new();
    let thread = THREAD.get_or_init(|| {
        let (sender, calls) = channel::<Call>();
        let run = move || calls.into_iter().for_each(|call| call());
        let thread = std::thread::Builder::new().name("opencl-callbacks".into()).spawn(run);
        thread.ok().map(|_| sender)
    });
    if let Some(sender) = thread {
        // The thread ends with the process only.
        let _ = sender.send(call);
    }
}
