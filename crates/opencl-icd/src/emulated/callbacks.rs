//! Functions of the program that are called when something has happened: on a thread of their own,
//! as real platforms do, so that the program may hold its locks while it calls us.

use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

/// A function to be called, with what it wants to be called with.
pub(super) type Call = Box<dyn FnOnce() + Send>;

/// Calls `call` soon, after those that were handed over before.
pub(super) fn later(call: Call) {
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
