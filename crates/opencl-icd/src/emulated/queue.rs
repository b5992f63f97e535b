//! Command queues.

use std::collections::VecDeque;
use std::os::raw::c_void;

use cl_sys::{
    CL_INVALID_QUEUE_PROPERTIES, CL_QUEUE_CONTEXT, CL_QUEUE_DEVICE,
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_PROPERTIES,
    CL_QUEUE_REFERENCE_COUNT, cl_command_queue, cl_command_queue_info, cl_command_queue_properties,
    cl_context, cl_device_id,
};

use super::held;
use super::info::Room;
use super::platform::check_device;
use super::schedule;
use super::state::{DEVICE, Object, Queue, State, emulated};
use crate::failure::{Done, Failure};

pub(crate) unsafe fn clCreateCommandQueue(
    context: cl_context,
    device: cl_device_id,
    properties: cl_command_queue_properties,
) -> Done<*mut c_void> {
    let mut state = emulated()?.lock();
    state.context(context as usize)?;
    check_device(device)?;
    if properties & !(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE) != 0 {
        let line = format!("unknown properties of a queue: {properties:#x}");
        return Err(Failure::new(CL_INVALID_QUEUE_PROPERTIES, line));
    }
    let queue = Queue {
        context: context as usize,
        properties,
        pending: VecDeque::new(),
        issued: 0,
        known: 0,
        barrier: None,
        end_ns: 0.0,
        barrier_ns: 0.0,
    };
    Ok(state.add(Object::Queue(queue)) as *mut c_void)
}

pub(crate) unsafe fn clRetainCommandQueue(queue: cl_command_queue) -> Done {
    held::retain(queue, State::queue)
}

pub(crate) unsafe fn clReleaseCommandQueue(queue: cl_command_queue) -> Done {
    held::release(queue, State::queue)
}

pub(crate) unsafe fn clGetCommandQueueInfo(
    queue: cl_command_queue,
    question: cl_command_queue_info,
    size: usize,
    at: *mut c_void,
    size_ret: *mut usize,
) -> Done {
    let room = Room { size, at, size_ret };
    let state = emulated()?.lock();
    let found = state.queue(queue as usize)?;
    // SAFETY: the caller's room.
    unsafe {
        match question {
            CL_QUEUE_CONTEXT => room.give(found.context),
            CL_QUEUE_DEVICE => room.give(DEVICE),
            CL_QUEUE_REFERENCE_COUNT => room.give(state.count(queue as usize)),
            CL_QUEUE_PROPERTIES => room.give(found.properties),
            _ => Err(Failure::value(format!("queues have no information {question:#x}"))),
        }
    }
}

pub(crate) unsafe fn clFlush(queue: cl_command_queue) -> Done {
    let state = emulated()?.lock();
    let context = state.queue(queue as usize)?.context;
    schedule::spoilt(&state, context)
}

pub(crate) unsafe fn clFinish(queue: cl_command_queue) -> Done {
    let emulated = emulated()?;
    let state = emulated.lock();
    let handle = queue as usize;
    state.queue(handle)?;
    let empty = |state: &State| state.queue(handle).map_or(true, |q| q.pending.is_empty());
    let (mut state, over) = schedule::wait(emulated, state, empty);
    if !over {
        return Err(schedule::not_yet(0));
    }
    let queue = state.queue_mut(handle)?;
    queue.known = queue.issued;
    let (context, end) = (queue.context, queue.end_ns);
    state.clock.host_ns = state.clock.host_ns.max(end);
    schedule::spoilt(&state, context)
}
