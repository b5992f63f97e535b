//! Buffers, parts of buffers, and what all memory objects have in common.

use std::os::raw::c_void;

use cl_sys::*;
use emulation::evidence;
use simt::MemoryError;

use super::held;
use super::host::Given;
use super::info::Room;
use super::platform::ALIGNMENT;
use super::state::{Buffer, Object, State, emulated};
use crate::failure::{Done, Failure};
use crate::notify::Notify;

const KERNEL_ACCESS: u64 = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
const HOST_ACCESS: u64 = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
const HOST_POINTER: u64 = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

/// A failure of device memory as OpenCL reports it.
pub(super) fn memory_failure(error: &MemoryError) -> Failure {
    let code = match error {
        MemoryError::OutOfMemory { .. } => CL_MEM_OBJECT_ALLOCATION_FAILURE,
        MemoryError::ZeroSize => CL_INVALID_BUFFER_SIZE,
        _ => CL_INVALID_VALUE,
    };
    Failure::new(code, error.to_string())
}

pub(super) fn check_flags(flags: u64) -> Done {
    let unknown = flags & !(KERNEL_ACCESS | HOST_ACCESS | HOST_POINTER);
    if unknown != 0 {
        return Err(Failure::value(format!("unknown flags of a buffer: {unknown:#x}")));
    }
    let several = |mask: u64| (flags & mask).count_ones() > 1;
    if several(KERNEL_ACCESS) || several(HOST_ACCESS) {
        return Err(Failure::value("flags of a buffer that exclude one another"));
    }
    if flags & CL_MEM_USE_HOST_PTR != 0
        && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0
    {
        return Err(Failure::value("CL_MEM_USE_HOST_PTR goes with neither of its sisters"));
    }
    Ok(())
}

/// Whether host memory is given, as the flags say.
pub(super) fn check_host(flags: u64, host: *mut c_void) -> Done<bool> {
    let from_host = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    if from_host != host.is_null() {
        return Ok(from_host);
    }
    let line = match from_host {
        true => "the flags speak of host memory, but its pointer is null",
        false => {
            "a pointer to host memory, but neither CL_MEM_USE_HOST_PTR nor CL_MEM_COPY_HOST_PTR"
        }
    };
    Err(Failure::new(CL_INVALID_HOST_PTR, line))
}

/// A memory object with memory of its own.
pub(super) fn new_buffer(
    context: cl_context,
    flags: u64,
    size: u64,
    base: u64,
    host: *mut c_void,
) -> Buffer {
    Buffer {
        context: context as usize,
        flags: if flags & KERNEL_ACCESS == 0 { flags | CL_MEM_READ_WRITE } else { flags },
        size,
        base,
        parent: None,
        origin: 0,
        host: if flags & CL_MEM_USE_HOST_PTR != 0 { host as usize } else { 0 },
        maps: Vec::new(),
        destructors: Vec::new(),
        element: None,
        image: None,
    }
}

pub(crate) unsafe fn clCreateBuffer(
    context: cl_context,
    flags: cl_mem_flags,
    size: usize,
    host: *mut c_void,
) -> Done<*mut c_void> {
    let emulated = emulated()?;
    let mut state = emulated.lock();
    state.context(context as usize)?;
    check_flags(flags)?;
    let from_host = check_host(flags, host)?;
    if size == 0 || size as u64 > emulated.memory.capacity() {
        let line = match size {
            0 => "a buffer of 0 bytes".to_owned(),
            _ => format!(
                "a buffer of {size} bytes is larger than the device's memory of {} \
                 (LAB_DEVICE_MEMORY)",
                emulated.memory.capacity()
            ),
        };
        return Err(Failure::new(CL_INVALID_BUFFER_SIZE, line));
    }
    // SAFETY: the caller's memory of `size` bytes.
    let given = from_host.then(|| unsafe { Given::at(host as usize, size as u64) }).transpose()?;
    let name = state.new_buffer_name();
    let base = emulated.memory.alloc(size as u64, &name).map_err(|e| memory_failure(&e))?;
    if let Some(given) = given {
        let bytes = given.part(0, size as u64);
        emulated.memory.write(base, bytes).map_err(|e| memory_failure(&e))?;
        evidence::uploaded(&emulated.memory, base, size as u64);
    }
    let buffer = new_buffer(context, flags, size as u64, base, host);
    Ok(state.add(Object::Buffer(buffer)) as *mut c_void)
}

pub(crate) unsafe fn clCreateSubBuffer(
    buffer: cl_mem,
    flags: cl_mem_flags,
    kind: cl_buffer_create_type,
    region: *const c_void,
) -> Done<*mut c_void> {
    let mut state = emulated()?.lock();
    let handle = buffer as usize;
    let parent = state.buffer(handle)?;
    if parent.image.is_some() {
        return Err(Failure::new(CL_INVALID_MEM_OBJECT, "images have no parts"));
    }
    if parent.parent.is_some() {
        let line = "a part of a part: make it from the whole buffer";
        return Err(Failure::new(CL_INVALID_MEM_OBJECT, line));
    }
    check_flags(flags)?;
    if flags & HOST_POINTER != 0 {
        return Err(Failure::value("a part of a buffer has no host pointer of its own"));
    }
    if kind != CL_BUFFER_CREATE_TYPE_REGION || region.is_null() {
        return Err(Failure::value("a part of a buffer is described by a region"));
    }
    // SAFETY: the caller's description: origin and size.
    let [origin, size] = unsafe { region.cast::<[usize; 2]>().read_unaligned() }.map(|n| n as u64);
    if size == 0 {
        return Err(Failure::new(CL_INVALID_BUFFER_SIZE, "a part of 0 bytes"));
    }
    if origin.checked_add(size).is_none_or(|end| end > parent.size) {
        return Err(Failure::value(format!(
            "a part of {size} bytes at {origin} of a buffer of {} bytes",
            parent.size
        )));
    }
    if origin % ALIGNMENT != 0 {
        let line = format!("a part begins at a multiple of {ALIGNMENT} bytes, not at {origin}");
        return Err(Failure::new(CL_MISALIGNED_SUB_BUFFER_OFFSET, line));
    }
    // What the flags do not say is inherited.
    let inherit = |mask: u64| if flags & mask == 0 { parent.flags & mask } else { flags & mask };
    let flags = inherit(KERNEL_ACCESS) | inherit(HOST_ACCESS) | parent.flags & HOST_POINTER;
    let part = Buffer {
        context: parent.context,
        flags,
        size,
        base: parent.base + origin,
        parent: Some(handle),
        origin,
        host: if parent.host == 0 { 0 } else { parent.host + origin as usize },
        maps: Vec::new(),
        destructors: Vec::new(),
        element: None,
        image: None,
    };
    Ok(state.add(Object::Buffer(part)) as *mut c_void)
}

pub(crate) unsafe fn clRetainMemObject(buffer: cl_mem) -> Done {
    held::retain(buffer, State::buffer)
}

pub(crate) unsafe fn clReleaseMemObject(buffer: cl_mem) -> Done {
    held::release(buffer, State::buffer)
}

pub(crate) unsafe fn clGetMemObjectInfo(
    buffer: cl_mem,
    question: cl_mem_info,
    size: usize,
    at: *mut c_void,
    size_ret: *mut usize,
) -> Done {
    let room = Room { size, at, size_ret };
    let state = emulated()?.lock();
    let found = state.buffer(buffer as usize)?;
    // SAFETY: the caller's room.
    unsafe {
        match question {
            CL_MEM_TYPE => {
                room.give(found.image.as_ref().map_or(CL_MEM_OBJECT_BUFFER, |image| image.kind))
            }
            CL_MEM_FLAGS => room.give(found.flags),
            CL_MEM_SIZE => room.give(found.size as usize),
            CL_MEM_HOST_PTR => room.give(found.host),
            CL_MEM_MAP_COUNT => room.give(found.maps.len() as u32),
            CL_MEM_REFERENCE_COUNT => room.give(state.count(buffer as usize)),
            CL_MEM_CONTEXT => room.give(found.context),
            CL_MEM_ASSOCIATED_MEMOBJECT => room.give(found.parent.unwrap_or(0)),
            CL_MEM_OFFSET => room.give(found.origin as usize),
            _ => Err(Failure::value(format!("buffers have no information {question:#x}"))),
        }
    }
}

pub(crate) unsafe fn clSetMemObjectDestructorCallback(
    buffer: cl_mem,
    notify: Notify,
    data: *mut c_void,
) -> Done {
    let mut state = emulated()?.lock();
    let handle = buffer as usize;
    let found = state.buffer_mut(handle)?;
    let Some(notify) = notify else { return Err(Failure::value("no callback")) };
    let data = data as usize;
    // SAFETY: the program's function, called as the manual says, with the data that it gave for
    // that.
    let call = move || unsafe { notify(handle as cl_mem, data as *mut c_void) };
    found.destructors.push(Box::new(call));
    Ok(())
}
