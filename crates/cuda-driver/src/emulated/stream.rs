//! Streams, and host functions in them.

use std::os::raw::c_void;

use super::context::GREATEST_PRIORITY;
use super::state::{Engine, NON_BLOCKING, Stream, driver, give};
use crate::abi::{Handle, HostFn};
use crate::code;
use crate::failure::{Done, Failure};

pub(crate) unsafe fn cuStreamCreate(stream: *mut Handle, flags: u32) -> Done {
    // SAFETY: the caller's out-pointer.
    unsafe { cuStreamCreateWithPriority(stream, flags, 0) }
}

pub(crate) unsafe fn cuStreamCreateWithPriority(
    stream: *mut Handle,
    flags: u32,
    priority: i32,
) -> Done {
    let mut state = driver()?.lock();
    let context = state.context()?;
    if flags & !NON_BLOCKING != 0 {
        return Err(Failure::invalid(format!("cuStreamCreate: unknown flags {flags:#x}")));
    }
    let handle = state.new_handle();
    // SAFETY: the caller's out-pointer.
    unsafe { give(stream, handle as Handle) }?;
    let priority = priority.clamp(GREATEST_PRIORITY, 0);
    state.streams.insert(handle, Stream { context, flags, priority, ..Stream::default() });
    Ok(())
}

pub(crate) unsafe fn cuStreamDestroy_v2(stream: Handle) -> Done {
    let mut state = driver()?.lock();
    state.current_handle()?;
    let handle = state.stream_handle(stream)?;
    if handle == 0 {
        return Err(Failure::new(code::INVALID_HANDLE, "the default stream cannot be destroyed"));
    }
    // Its work goes on; the default stream must still wait for it.
    if let Some(gone) = state.streams.remove(&handle)
        && gone.flags & NON_BLOCKING == 0
    {
        let default = state.streams.entry(0).or_default();
        default.order.join(&gone.order);
        default.ready_ms = default.ready_ms.max(gone.ready_ms);
    }
    Ok(())
}

pub(crate) unsafe fn cuStreamGetFlags(stream: Handle, flags: *mut u32) -> Done {
    let state = driver()?.lock();
    state.context()?;
    let handle = state.stream_handle(stream)?;
    let found = state.streams.get(&handle).map_or(0, |s| s.flags);
    // SAFETY: the caller's out-pointer.
    unsafe { give(flags, found) }
}

pub(crate) unsafe fn cuStreamGetPriority(stream: Handle, priority: *mut i32) -> Done {
    let state = driver()?.lock();
    state.context()?;
    let handle = state.stream_handle(stream)?;
    let found = state.streams.get(&handle).map_or(0, |s| s.priority);
    // SAFETY: the caller's out-pointer.
    unsafe { give(priority, found) }
}

/// The first question after new work is answered with "not ready", as a real device mostly would;
/// the next with "ready", so that a program that asks until then gets on.
pub(crate) unsafe fn cuStreamQuery(stream: Handle) -> Done {
    let mut state = driver()?.lock();
    state.context()?;
    let handle = state.stream_handle(stream)?;
    let Some(s) = state.streams.get(&handle) else { return Ok(()) };
    if s.last == 0 || state.waited.has(handle, s.last) {
        return Ok(());
    }
    if !s.asked {
        if let Some(s) = state.streams.get_mut(&handle) {
            s.asked = true;
        }
        return Err(Failure::code(code::NOT_READY));
    }
    state.wait_for_stream(handle);
    Ok(())
}

pub(crate) unsafe fn cuStreamSynchronize(stream: Handle) -> Done {
    let mut state = driver()?.lock();
    state.context()?;
    let handle = state.stream_handle(stream)?;
    state.wait_for_stream(handle);
    Ok(())
}

pub(crate) unsafe fn cuStreamWaitEvent(stream: Handle, event: Handle, flags: u32) -> Done {
    let mut state = driver()?.lock();
    state.context()?;
    if flags > 1 {
        return Err(Failure::invalid(format!("cuStreamWaitEvent: unknown flags {flags:#x}")));
    }
    let handle = state.stream_handle(stream)?;
    // An event that was never recorded is no reason to wait.
    let Some(record) = state.event_mut(event)?.record.clone() else { return Ok(()) };
    let s = state.streams.entry(handle).or_default();
    s.order.join(&record.order);
    s.ready_ms = s.ready_ms.max(record.ms);
    Ok(())
}

pub(crate) unsafe fn cuLaunchHostFunc(stream: Handle, function: HostFn, data: *mut c_void) -> Done {
    {
        let mut state = driver()?.lock();
        state.context()?;
        let handle = state.stream_handle(stream)?;
        if function.is_none() {
            return Err(Failure::invalid("cuLaunchHostFunc: no function"));
        }
        state.issue(handle, Engine::Nothing, 0.0);
    }
    if let Some(function) = function {
        // SAFETY: the caller hands over a function and what it wants to be called with. All earlier
        // work of the stream is done, and the lock is released.
        unsafe { function(data) };
    }
    Ok(())
}
