//! Events: of commands, and those that the program sets itself.

use std::os::raw::c_void;

use cl_sys::{
    CL_COMMAND_BARRIER, CL_COMMAND_MARKER, CL_COMMAND_USER, CL_COMPLETE,
    CL_EVENT_COMMAND_EXECUTION_STATUS, CL_EVENT_COMMAND_QUEUE, CL_EVENT_COMMAND_TYPE,
    CL_EVENT_CONTEXT, CL_EVENT_REFERENCE_COUNT, CL_INVALID_CONTEXT, CL_INVALID_EVENT,
    CL_INVALID_OPERATION, CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_QUEUED,
    CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_INFO_NOT_AVAILABLE,
    CL_QUEUE_PROFILING_ENABLE, CL_RUNNING, CL_SUBMITTED, cl_command_queue, cl_context, cl_event,
    cl_event_info, cl_int, cl_profiling_info, cl_uint,
};

use super::callbacks::later;
use super::held;
use super::info::{self, Room};
use super::schedule::{self, Events, Order, Request, known, settle, submit};
use super::state::{Engine, Event, Object, State, emulated};
use crate::failure::{Done, Failure};
use crate::notify::EventNotify;

pub(crate) unsafe fn clCreateUserEvent(context: cl_context) -> Done<*mut c_void> {
    let mut state = emulated()?.lock();
    state.context(context as usize)?;
    let now = state.clock.host_ns;
    let event = Event {
        context: context as usize,
        queue: None,
        kind: CL_COMMAND_USER,
        status: CL_SUBMITTED,
        number: 0,
        // The program sets it, so it knows.
        known: true,
        asked: true,
        times: [now; 4],
        callbacks: Vec::new(),
    };
    Ok(state.add(Object::Event(event)) as *mut c_void)
}

pub(crate) unsafe fn clSetUserEventStatus(event: cl_event, status: cl_int) -> Done {
    let emulated = emulated()?;
    let mut state = emulated.lock();
    let now = state.clock.host_ns;
    let handle = event as usize;
    let event = state.event_mut(handle)?;
    if event.queue.is_some() {
        return Err(Failure::new(
            CL_INVALID_EVENT,
            "this is the event of a command, not a user event",
        ));
    }
    if status > CL_COMPLETE {
        return Err(Failure::value(format!(
            "the status of a user event is CL_COMPLETE or negative, not {status}"
        )));
    }
    if event.status <= CL_COMPLETE {
        return Err(Failure::new(CL_INVALID_OPERATION, "a user event is set once"));
    }
    event.times[3] = now;
    settle(&mut state, handle, status);
    schedule::pump(emulated, &mut state);
    drop(state);
    emulated.over.notify_all();
    Ok(())
}

pub(crate) unsafe fn clWaitForEvents(count: cl_uint, list: *const cl_event) -> Done {
    // SAFETY: the caller's list.
    let list = unsafe { info::list("events to wait for", list, count) }?;
    let emulated = emulated()?;
    let state = emulated.lock();
    let Some(first) = list.first() else {
        return Err(Failure::value("no events to wait for"));
    };
    let context = state.event(*first as usize)?.context;
    for event in &list {
        if state.event(*event as usize)?.context != context {
            return Err(Failure::new(CL_INVALID_CONTEXT, "events of several contexts"));
        }
    }
    let events: Vec<usize> = list.iter().map(|event| *event as usize).collect();
    schedule::wait_for(emulated, state, &events)
}

pub(crate) unsafe fn clRetainEvent(event: cl_event) -> Done {
    held::retain(event, State::event)
}

pub(crate) unsafe fn clReleaseEvent(event: cl_event) -> Done {
    held::release(event, State::event)
}

pub(crate) unsafe fn clGetEventInfo(
    event: cl_event,
    question: cl_event_info,
    size: usize,
    at: *mut c_void,
    size_ret: *mut usize,
) -> Done {
    let room = Room { size, at, size_ret };
    let mut state = emulated()?.lock();
    let found = state.event(event as usize)?;
    // SAFETY: the caller's room.
    unsafe {
        match question {
            CL_EVENT_COMMAND_QUEUE => room.give(found.queue.unwrap_or(0)),
            CL_EVENT_CONTEXT => room.give(found.context),
            CL_EVENT_COMMAND_TYPE => room.give(found.kind),
            CL_EVENT_REFERENCE_COUNT => room.give(state.count(event as usize)),
            CL_EVENT_COMMAND_EXECUTION_STATUS => {
                // As on a real device, where a command is not over just after it was enqueued: a
                // program that asks instead of waiting must ask again.
                let first = found.status == CL_COMPLETE && !known(&state, found) && !found.asked;
                let status = if first { CL_RUNNING } else { found.status };
                room.give(status)?;
                if first {
                    state.event_mut(event as usize)?.asked = true;
                } else if status == CL_COMPLETE && !at.is_null() {
                    schedule::know(&mut state, event as usize);
                }
                Ok(())
            }
            _ => Err(Failure::value(format!("events have no information {question:#x}"))),
        }
    }
}

pub(crate) unsafe fn clGetEventProfilingInfo(
    event: cl_event,
    question: cl_profiling_info,
    size: usize,
    at: *mut c_void,
    size_ret: *mut usize,
) -> Done {
    let state = emulated()?.lock();
    let found = state.event(event as usize)?;
    let refuse = |line: &str| Err(Failure::new(CL_PROFILING_INFO_NOT_AVAILABLE, line));
    let Some(queue) = found.queue else { return refuse("a user event has no times") };
    if state.queue(queue)?.properties & CL_QUEUE_PROFILING_ENABLE == 0 {
        return refuse("the queue was made without CL_QUEUE_PROFILING_ENABLE");
    }
    if found.status != CL_COMPLETE || !known(&state, found) {
        return refuse(
            "the command may still run: wait for its event, or call clFinish, before asking for \
             its times",
        );
    }
    let time = match question {
        CL_PROFILING_COMMAND_QUEUED => found.times[0],
        CL_PROFILING_COMMAND_SUBMIT => found.times[1],
        CL_PROFILING_COMMAND_START => found.times[2],
        CL_PROFILING_COMMAND_END => found.times[3],
        _ => return Err(Failure::value(format!("there is no time {question:#x} of a command"))),
    };
    // SAFETY: the caller's room.
    unsafe { Room { size, at, size_ret }.give(time.round() as u64) }
}

pub(crate) unsafe fn clSetEventCallback(
    event: cl_event,
    when: cl_int,
    notify: EventNotify,
    data: *mut c_void,
) -> Done {
    let mut state = emulated()?.lock();
    let handle = event as usize;
    let found = state.event_mut(handle)?;
    let Some(notify) = notify else { return Err(Failure::value("no callback")) };
    if !(CL_COMPLETE..=CL_SUBMITTED).contains(&when) {
        return Err(Failure::value(format!("callbacks are called for no status {when}")));
    }
    let data = data as usize;
    let call = move |status: cl_int| {
        // An error is told whatever the callback waits for.
        let status = if status < 0 { status } else { when };
        // SAFETY: the program's function, called as the manual says, with the data that it gave for
        // that.
        unsafe { notify(handle as cl_event, status, data as *mut c_void) };
    };
    if found.status <= when {
        let status = found.status;
        later(Box::new(move || call(status)));
    } else {
        // Commands go from waiting to over in one step.
        found.callbacks.push((when, Box::new(call)));
    }
    Ok(())
}

/// A command that does nothing but wait.
unsafe fn enqueue(
    name: &'static str,
    kind: u32,
    queue: cl_command_queue,
    events: Events,
    order: Order,
) -> Done {
    let emulated = emulated()?;
    let request = Request {
        name,
        kind,
        queue,
        events,
        blocking: false,
        engine: Engine::Nothing,
        order,
        holds: Vec::new(),
        work: Box::new(|_, _| Ok(0.0)),
    };
    // SAFETY: the caller's list and out-pointer.
    unsafe { submit(emulated, emulated.lock(), request) }
}

const NO_LIST: *const cl_event = std::ptr::null();
const NO_EVENT: *mut cl_event = std::ptr::null_mut();

pub(crate) unsafe fn clEnqueueMarker(queue: cl_command_queue, event: *mut cl_event) -> Done {
    if event.is_null() {
        return Err(Failure::value("a marker without an event"));
    }
    let events = Events { count: 0, list: NO_LIST, event };
    // SAFETY: the caller's out-pointer.
    unsafe { enqueue("clEnqueueMarker", CL_COMMAND_MARKER, queue, events, Order::Marker) }
}

pub(crate) unsafe fn clEnqueueMarkerWithWaitList(
    queue: cl_command_queue,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    let events = Events { count, list, event };
    let name = "clEnqueueMarkerWithWaitList";
    // SAFETY: the caller's list and out-pointer.
    unsafe { enqueue(name, CL_COMMAND_MARKER, queue, events, Order::Marker) }
}

pub(crate) unsafe fn clEnqueueBarrier(queue: cl_command_queue) -> Done {
    let events = Events { count: 0, list: NO_LIST, event: NO_EVENT };
    // SAFETY: no list and no out-pointer.
    unsafe { enqueue("clEnqueueBarrier", CL_COMMAND_BARRIER, queue, events, Order::Barrier) }
}

pub(crate) unsafe fn clEnqueueBarrierWithWaitList(
    queue: cl_command_queue,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    let events = Events { count, list, event };
    let name = "clEnqueueBarrierWithWaitList";
    // SAFETY: the caller's list and out-pointer.
    unsafe { enqueue(name, CL_COMMAND_BARRIER, queue, events, Order::Barrier) }
}

pub(crate) unsafe fn clEnqueueWaitForEvents(
    queue: cl_command_queue,
    count: cl_uint,
    list: *mut cl_event,
) -> Done {
    if count == 0 {
        return Err(Failure::value("no events to wait for"));
    }
    let events = Events { count, list, event: NO_EVENT };
    // SAFETY: the caller's list.
    unsafe { enqueue("clEnqueueWaitForEvents", CL_COMMAND_BARRIER, queue, events, Order::Barrier) }
}
