//! The judge's side: what stands there for functions of the program. They note that the program's
//! are to be called.

use std::cell::RefCell;
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};

use cl_sys::{cl_event, cl_int};

use crate::emulated;
use crate::notify::{ContextNotify, EventNotify, Notify};

/// The function's number, whether it may wait, an object, a status; a text.
pub type Told = ([u64; 4], Vec<u8>);

thread_local! {
    /// In the order in which they are to be called.
    static TOLD: RefCell<Vec<Told>> = const { RefCell::new(Vec::new()) };
}

/// What was noted since this was asked last.
pub fn take() -> Vec<Told> {
    TOLD.take()
}

fn tell(data: *mut c_void, object: *mut c_void, status: cl_int, text: &[u8]) {
    let words = [data as u64, emulated::deferred().into(), object as u64, status as u64];
    TOLD.with_borrow_mut(|told| told.push((words, text.to_vec())));
}

unsafe extern "C" fn tell_context(
    text: *const c_char,
    _: *const c_void,
    _: usize,
    data: *mut c_void,
) {
    // SAFETY: the platform's text, which ends in NUL.
    tell(data, std::ptr::null_mut(), 0, unsafe { CStr::from_ptr(text) }.to_bytes());
}

unsafe extern "C" fn tell_event(event: cl_event, status: cl_int, data: *mut c_void) {
    tell(data, event, status, &[]);
}

unsafe extern "C" fn tell_object(object: *mut c_void, data: *mut c_void) {
    tell(data, object, 0, &[]);
}

/// What stands here for functions of the program.
pub const TELL_CONTEXT: ContextNotify = Some(tell_context);
/// The same, for events.
pub const TELL_EVENT: EventNotify = Some(tell_event);
/// The same, for programs and memory.
pub const TELL_OBJECT: Notify = Some(tell_object);
