//! Functions of a program that the platform calls.

use std::os::raw::{c_char, c_void};

use cl_sys::{cl_event, cl_int};

/// Called with a text about an error in a context.
pub(crate) type ContextNotify =
    Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>;
/// Called with an event and its status.
pub(crate) type EventNotify = Option<unsafe extern "C" fn(cl_event, cl_int, *mut c_void)>;
/// Called with a program that was built, or a memory object that is destroyed.
pub(crate) type Notify = Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>;
