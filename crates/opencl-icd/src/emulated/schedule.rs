//! The order of commands. A command runs when everything that it waits for is over: mostly at once,
//! while it is enqueued, because all that came before has run, too. Only user events can hold
//! commands up; these stand in their queue until then.

use std::cell::Cell;
use std::os::raw::c_void;
use std::sync::MutexGuard;

use cl_sys::{
    CL_COMPLETE, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_INVALID_COMMAND_QUEUE,
    CL_INVALID_CONTEXT, CL_INVALID_EVENT_WAIT_LIST, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
    CL_QUEUED, cl_event, cl_int, cl_uint,
};

use emulation::judge;

use super::callbacks::later;
use super::info;
use super::state::{Command, Emulated, Engine, Event, Object, State, Work};
use crate::failure::{Done, Failure};

/// How a command stands to the others of its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// As the queue has it.
    Plain,
    /// Without a list of events, it waits for all earlier ones.
    Marker,
    /// The same, and later ones wait for it.
    Barrier,
}

/// The last three parameters of `clEnqueue...`.
#[derive(Clone, Copy)]
pub(super) struct Events {
    pub count: cl_uint,
    pub list: *const cl_event,
    pub event: *mut cl_event,
}

/// A command to be enqueued.
pub(super) struct Request {
    pub name: &'static str,
    /// `CL_COMMAND_...`.
    pub kind: u32,
    pub queue: *mut c_void,
    pub events: Events,
    pub blocking: bool,
    pub engine: Engine,
    pub order: Order,
    pub holds: Vec<usize>,
    pub work: Work,
}

fn over(state: &State, event: usize) -> bool {
    state.event(event).map_or(true, |event| event.status <= CL_COMPLETE)
}

fn failed(state: &State, event: usize) -> bool {
    state.event(event).is_ok_and(|event| event.status < CL_COMPLETE)
}

fn waits_failed() -> Failure {
    Failure::new(
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        "a command in the list of events to wait for has failed",
    )
}

/// Status of a call whose end must be waited for, in a judge's device: it does not wait, because
/// the program may set an event from another thread. The program asks again.
pub(crate) const NOT_YET: cl_int = 1;

thread_local! {
    /// The command that a call with [`NOT_YET`] has enqueued.
    static RUNNING: Cell<usize> = const { Cell::new(0) };
}

pub(super) fn not_yet(event: usize) -> Failure {
    RUNNING.set(event);
    Failure::new(NOT_YET, "")
}

/// The event of the command that the last call on this thread has enqueued and not waited for; 0 if
/// there was none to enqueue.
pub(crate) fn still_running() -> usize {
    RUNNING.take()
}

/// Waits until it is so; in a judge's device, says whether it is.
pub(super) fn wait<'s>(
    emulated: &Emulated,
    mut state: MutexGuard<'s, State>,
    so: impl Fn(&State) -> bool,
) -> (MutexGuard<'s, State>, bool) {
    while !so(&state) {
        if judge::is_one() {
            return (state, false);
        }
        state = emulated.over.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
    }
    (state, true)
}

/// A judge's device: whether a command is over by now, for which a call waits that has enqueued it.
///
/// # Errors
/// [`NOT_YET`]; the command failed.
pub(crate) fn over_yet(event: usize) -> Done {
    let emulated = super::state::emulated()?;
    let state = emulated.lock();
    state.event(event)?;
    wait_for(emulated, state, &[event])
}

/// The events of a caller's list.
///
/// # Safety
/// As [`info::list`].
pub(super) unsafe fn wait_list(
    state: &State,
    context: usize,
    count: cl_uint,
    list: *const cl_event,
) -> Done<Vec<usize>> {
    // SAFETY: the caller's promise.
    let list = unsafe { info::list("events to wait for", list, count) }
        .map_err(|f| Failure { code: CL_INVALID_EVENT_WAIT_LIST, ..f })?;
    list.into_iter()
        .map(|event| {
            let handle = event as usize;
            let event = state
                .event(handle)
                .map_err(|f| Failure { code: CL_INVALID_EVENT_WAIT_LIST, ..f })?;
            if event.context != context {
                let line = "an event to wait for belongs to another context";
                return Err(Failure::new(CL_INVALID_CONTEXT, line));
            }
            Ok(handle)
        })
        .collect()
}

/// The failure of every command in a context that a fault has spoilt.
pub(super) fn spoilt(state: &State, context: usize) -> Done {
    match &state.context(context)?.fault {
        None => Ok(()),
        Some(fault) => Err(Failure {
            code: CL_INVALID_COMMAND_QUEUE,
            line: format!("an earlier kernel failed: {}", fault.line),
            report: fault.report.clone(),
        }),
    }
}

/// Enqueues a command, runs it if it can run, and waits for it if it blocks.
///
/// # Errors
/// A queue or list of events that is none; the failure of a command that ran at once or was waited
/// for.
///
/// # Safety
/// `request.events` are the caller's list and out-pointer.
pub(super) unsafe fn submit(
    emulated: &Emulated,
    mut state: MutexGuard<'_, State>,
    request: Request,
) -> Done {
    let Request { name, kind, queue, events, blocking, engine, order, holds, work } = request;
    let handle = queue as usize;
    let queue = state.queue(handle)?;
    let context = queue.context;
    spoilt(&state, context)?;
    // SAFETY: the caller's list.
    let waits = unsafe { wait_list(&state, context, events.count, events.list) }?;
    let queue = state.queue(handle)?;
    let in_order = queue.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0;
    let after: Vec<usize> = if in_order {
        queue.pending.back().map(|last| last.event).into_iter().collect()
    } else if order != Order::Plain && waits.is_empty() {
        queue.pending.iter().map(|earlier| earlier.event).collect()
    } else {
        queue.barrier.into_iter().collect()
    };
    let now = state.clock.host_ns;
    let queue = state.queue_mut(handle)?;
    queue.issued += 1;
    let number = queue.issued;
    let event = state.add(Object::Event(Event {
        context,
        queue: Some(handle),
        kind,
        status: CL_QUEUED,
        number,
        known: false,
        asked: false,
        times: [now; 4],
        callbacks: Vec::new(),
    }));
    state.link(event);
    if order == Order::Barrier {
        state.queue_mut(handle)?.barrier = Some(event);
    }
    let ready = waits.iter().chain(&after).all(|e| over(&state, *e));
    let command = Command { name, event, queue: handle, waits, after, engine, holds, work };
    for object in command.waits.iter().chain(&command.after).chain(&command.holds) {
        state.link(*object);
    }
    let mut result = Ok(());
    if ready {
        result = run(emulated, &mut state, command);
    } else {
        state.queue_mut(handle)?.pending.push_back(command);
    }
    if blocking && result.is_ok() {
        let (after, is_over) = wait(emulated, state, |state| over(state, event));
        state = after;
        if !is_over {
            // The program holds the event until it is.
            state.unlink(emulated, event);
            return Err(not_yet(event));
        }
        if failed(&state, event) {
            let code = state.event(event)?.status;
            result = Err(Failure::new(code, "the command failed after it was enqueued"));
        }
        know(&mut state, event);
    }
    if result.is_ok() && !events.event.is_null() {
        // SAFETY: the caller's out-pointer.
        unsafe { events.event.write_unaligned(event as cl_event) };
    } else {
        state.release(emulated, event);
    }
    state.unlink(emulated, event);
    drop(state);
    emulated.over.notify_all();
    result
}

/// Runs a command whose time has come.
fn run(emulated: &Emulated, state: &mut State, command: Command) -> Done {
    let Command { event, queue, waits, after, engine, holds, work, .. } = command;
    let context = state.queue(queue)?.context;
    let result = if waits.iter().any(|e| failed(state, *e)) {
        Err(waits_failed())
    } else {
        spoilt(state, context).and_then(|()| work(emulated, state))
    };
    let ends = waits.iter().filter_map(|e| state.event(*e).ok()).map(|e| e.times[3]);
    let waited = ends.fold(state.clock.host_ns, f64::max);
    let in_queue = state.queue(queue)?;
    let in_order = in_queue.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0;
    let barrier = in_queue.barrier == Some(event);
    // A marker or barrier without a list comes after everything; with one, after the listed.
    let all = in_order || (engine == Engine::Nothing && waits.is_empty());
    let before = if all { in_queue.end_ns } else { in_queue.barrier_ns };
    let free = if engine == Engine::Nothing { 0.0 } else { state.clock.engine_ns[engine as usize] };
    let submitted = waited.max(before);
    let start = submitted.max(free);
    let end = start + result.as_ref().copied().unwrap_or(0.0);
    if engine != Engine::Nothing {
        state.clock.engine_ns[engine as usize] = end;
    }
    let in_queue = state.queue_mut(queue)?;
    in_queue.end_ns = in_queue.end_ns.max(end);
    if barrier {
        in_queue.barrier = None;
        in_queue.barrier_ns = end;
    }
    let queued = state.event(event)?.times[0];
    state.event_mut(event)?.times = [queued, submitted, start, end];
    let status = result.as_ref().map_or_else(|failure| failure.code, |_| CL_COMPLETE);
    settle(state, event, status);
    for object in waits.iter().chain(&after).chain(&holds) {
        state.unlink(emulated, *object);
    }
    result.map(drop)
}

/// Gives an event its last status and calls whoever waits for it.
pub(super) fn settle(state: &mut State, event: usize, status: cl_int) {
    let Ok(event) = state.event_mut(event) else { return };
    event.status = status;
    for (_, call) in std::mem::take(&mut event.callbacks) {
        later(Box::new(move || call(status)));
    }
}

/// Runs whatever can run now, after a user event is over.
pub(super) fn pump(emulated: &Emulated, state: &mut State) {
    while let Some(command) = next(state) {
        let (name, event, queue) = (command.name, command.event, command.queue);
        // The queue may be released by the program, but not go before its commands.
        state.link(event);
        if let Err(failure) = run(emulated, state, command)
            && let Ok(queue) = state.queue(queue)
        {
            super::context::tell_later(state, queue.context, name, failure);
        }
        state.unlink(emulated, event);
    }
}

/// Takes a command that waits for nothing any more out of its queue.
fn next(state: &mut State) -> Option<Command> {
    let ready =
        |command: &Command| command.waits.iter().chain(&command.after).all(|e| over(state, *e));
    let (handle, index) = state.objects.iter().find_map(|(handle, entry)| {
        let Object::Queue(queue) = &entry.object else { return None };
        Some((*handle, queue.pending.iter().position(ready)?))
    })?;
    state.queue_mut(handle).ok()?.pending.remove(index)
}

/// The program knows from here on that a command is over, and in a queue in order, those before it.
pub(super) fn know(state: &mut State, handle: usize) {
    let Ok(event) = state.event_mut(handle) else { return };
    event.known = true;
    let (queue, number, end) = (event.queue, event.number, event.times[3]);
    state.clock.host_ns = state.clock.host_ns.max(end);
    if let Some(queue) = queue.and_then(|queue| state.queue_mut(queue).ok())
        && queue.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0
    {
        queue.known = queue.known.max(number);
    }
}

/// True if the program has waited for a command.
pub(super) fn known(state: &State, event: &Event) -> bool {
    let queue = event.queue.and_then(|queue| state.queue(queue).ok());
    event.known || queue.is_some_and(|queue| queue.known >= event.number)
}

/// Waits until events are over.
///
/// # Errors
/// One of them failed.
pub(super) fn wait_for(
    emulated: &Emulated,
    mut state: MutexGuard<'_, State>,
    events: &[usize],
) -> Done {
    for event in events {
        state.link(*event);
    }
    let (mut state, over) = wait(emulated, state, |state| events.iter().all(|e| over(state, *e)));
    if !over {
        events.iter().for_each(|event| state.unlink(emulated, *event));
        return Err(not_yet(0));
    }
    let any = events.iter().any(|e| failed(&state, *e));
    for event in events {
        know(&mut state, *event);
        state.unlink(emulated, *event);
    }
    if any { Err(waits_failed()) } else { Ok(()) }
}
