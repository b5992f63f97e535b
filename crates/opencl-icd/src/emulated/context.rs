//! Contexts, and how they are told about errors.

use std::ffi::CString;
use std::os::raw::c_void;

use cl_sys::{
    CL_CONTEXT_DEVICES, CL_CONTEXT_INTEROP_USER_SYNC, CL_CONTEXT_NUM_DEVICES, CL_CONTEXT_PLATFORM,
    CL_CONTEXT_PROPERTIES, CL_CONTEXT_REFERENCE_COUNT, CL_DEVICE_NOT_FOUND, CL_INVALID_DEVICE,
    CL_INVALID_PLATFORM, CL_INVALID_PROPERTY, cl_context, cl_context_info, cl_context_properties,
    cl_device_id, cl_device_type, cl_uint,
};

use super::callbacks::later;
use super::held;
use super::info::{self, Room};
use super::platform::is_of_type;
use super::state::{Context, DEVICE, Object, PLATFORM, State, context_of, emulated};
use crate::failure::{Done, Failure};
use crate::notify::ContextNotify;

/// The pairs of a list of properties; empty for null.
///
/// # Safety
/// `properties` is null or a list of pairs that ends in 0.
pub(crate) unsafe fn pairs(properties: *const cl_context_properties) -> Vec<(isize, isize)> {
    if properties.is_null() {
        return Vec::new();
    }
    let mut pairs = Vec::new();
    for i in 0.. {
        // SAFETY: before the end of the list.
        let key = unsafe { properties.add(2 * i).read_unaligned() };
        if key == 0 {
            break;
        }
        // SAFETY: a pair.
        pairs.push((key, unsafe { properties.add(2 * i + 1).read_unaligned() }));
    }
    pairs
}

/// # Safety
/// As [`pairs`].
unsafe fn create(
    properties: *const cl_context_properties,
    notify: ContextNotify,
    data: *mut c_void,
) -> Done<*mut c_void> {
    // SAFETY: the caller's list.
    let pairs = unsafe { pairs(properties) };
    for (key, value) in &pairs {
        if *key == CL_CONTEXT_PLATFORM as isize {
            if *value as usize != PLATFORM {
                let line = "the context's platform is another one than its device's";
                return Err(Failure::new(CL_INVALID_PLATFORM, line));
            }
        } else if *key != CL_CONTEXT_INTEROP_USER_SYNC as isize {
            let line = format!("contexts of the emulated platform have no property {key:#x}");
            return Err(Failure::new(CL_INVALID_PROPERTY, line));
        }
    }
    if notify.is_none() && !data.is_null() {
        return Err(Failure::value("data for a callback, but no callback"));
    }
    let mut list: Vec<isize> = pairs.iter().flat_map(|(key, value)| [*key, *value]).collect();
    if !properties.is_null() {
        list.push(0);
    }
    let context = Context { properties: list, notify, data: data as usize, fault: None };
    Ok(emulated()?.lock().add(Object::Context(context)) as *mut c_void)
}

pub(crate) unsafe fn clCreateContext(
    properties: *const cl_context_properties,
    num_devices: cl_uint,
    devices: *const cl_device_id,
    notify: ContextNotify,
    data: *mut c_void,
) -> Done<*mut c_void> {
    // SAFETY: the caller's list.
    let list = unsafe { info::list("devices", devices, num_devices) }?;
    if list.is_empty() {
        return Err(Failure::value("a context needs at least one device"));
    }
    if list.iter().any(|device| *device as usize != DEVICE) {
        let line = "the emulated platform has one device, and a context of it no others";
        return Err(Failure::new(CL_INVALID_DEVICE, line));
    }
    // SAFETY: the caller's list.
    unsafe { create(properties, notify, data) }
}

pub(crate) unsafe fn clCreateContextFromType(
    properties: *const cl_context_properties,
    device_type: cl_device_type,
    notify: ContextNotify,
    data: *mut c_void,
) -> Done<*mut c_void> {
    if !is_of_type(device_type)? {
        return Err(Failure::new(CL_DEVICE_NOT_FOUND, "the emulated device is a GPU"));
    }
    // SAFETY: the caller's list.
    unsafe { create(properties, notify, data) }
}

pub(crate) unsafe fn clRetainContext(context: cl_context) -> Done {
    held::retain(context, State::context)
}

pub(crate) unsafe fn clReleaseContext(context: cl_context) -> Done {
    held::release(context, State::context)
}

pub(crate) unsafe fn clGetContextInfo(
    context: cl_context,
    question: cl_context_info,
    size: usize,
    at: *mut c_void,
    size_ret: *mut usize,
) -> Done {
    let room = Room { size, at, size_ret };
    let state = emulated()?.lock();
    let found = state.context(context as usize)?;
    // SAFETY: the caller's room.
    unsafe {
        match question {
            CL_CONTEXT_REFERENCE_COUNT => room.give(state.count(context as usize)),
            CL_CONTEXT_NUM_DEVICES => room.give(1u32),
            CL_CONTEXT_DEVICES => room.give(DEVICE),
            CL_CONTEXT_PROPERTIES => room.give(found.properties.as_slice()),
            _ => Err(Failure::value(format!("contexts have no information {question:#x}"))),
        }
    }
}

/// A callback of a context with what it is told.
fn telling(
    context: &Context,
    name: &str,
    failure: &Failure,
) -> Option<impl FnOnce() + Send + use<>> {
    let notify = context.notify?;
    let data = context.data;
    let code = crate::code::status_name(failure.code);
    let text = format!("{name}: {code}: {}", failure.text()).replace('\0', " ");
    let text = CString::new(text).ok()?;
    // SAFETY: the program's function, called as the manual says, with the data that it gave for
    // that.
    Some(move || unsafe { notify(text.as_ptr(), std::ptr::null(), 0, data as *mut c_void) })
}

/// Tells the context of an object why a call on it failed.
pub(crate) fn notify(object: *mut c_void, name: &str, failure: &Failure) {
    if failure.text().is_empty() || !super::ours(object) {
        return;
    }
    let Ok(emulated) = emulated() else { return };
    let call = context_of(&emulated.lock(), object as usize)
        .and_then(|context| telling(context, name, failure));
    // The lock is released: the callback may call us.
    if let Some(call) = call {
        call();
    }
}

/// Tells a context about a command that failed when nobody was looking.
pub(super) fn tell_later(state: &State, context: usize, name: &str, failure: Failure) {
    let call = state.context(context).ok().and_then(|c| telling(c, name, &failure));
    if let Some(call) = call {
        later(Box::new(call));
    }
}
