//! Events: points in a stream, with the predicted time at which the stream gets there.

use super::state::{Engine, Event, Record, driver, give};
use crate::abi::Handle;
use crate::code;
use crate::failure::{Done, Failure};

const DISABLE_TIMING: u32 = 2;

pub(crate) unsafe fn cuEventCreate(event: *mut Handle, flags: u32) -> Done {
    let mut state = driver()?.lock();
    let context = state.context()?;
    if flags & !7 != 0 {
        return Err(Failure::invalid(format!("cuEventCreate: unknown flags {flags:#x}")));
    }
    let handle = state.new_handle();
    // SAFETY: the caller's out-pointer.
    unsafe { give(event, handle as Handle) }?;
    let timing = flags & DISABLE_TIMING == 0;
    state.events.insert(handle, Event { context, timing, record: None, asked: false });
    Ok(())
}

pub(crate) unsafe fn cuEventDestroy_v2(event: Handle) -> Done {
    let mut state = driver()?.lock();
    state.current_handle()?;
    state.event_mut(event)?;
    state.events.remove(&(event as usize));
    Ok(())
}

pub(crate) unsafe fn cuEventRecord(event: Handle, stream: Handle) -> Done {
    let mut state = driver()?.lock();
    state.context()?;
    let stream = state.stream_handle(stream)?;
    state.event_mut(event)?;
    let issued = state.issue(stream, Engine::Nothing, 0.0);
    let record = Record { stream, number: issued.number, order: issued.order, ms: issued.end_ms };
    let event = state.event_mut(event)?;
    event.record = Some(record);
    event.asked = false;
    Ok(())
}

/// As for streams: "not ready" once, then the program has waited.
pub(crate) unsafe fn cuEventQuery(event: Handle) -> Done {
    let mut state = driver()?.lock();
    state.context()?;
    let e = state.event_mut(event)?;
    let (asked, record) = (e.asked, e.record.clone());
    let Some(record) = record else { return Ok(()) };
    if state.waited.has(record.stream, record.number) {
        return Ok(());
    }
    if !asked {
        state.event_mut(event)?.asked = true;
        return Err(Failure::code(code::NOT_READY));
    }
    state.wait_for(&record.order, record.ms);
    Ok(())
}

pub(crate) unsafe fn cuEventSynchronize(event: Handle) -> Done {
    let mut state = driver()?.lock();
    state.context()?;
    if let Some(record) = state.event_mut(event)?.record.clone() {
        state.wait_for(&record.order, record.ms);
    }
    Ok(())
}

pub(crate) unsafe fn cuEventElapsedTime(ms: *mut f32, start: Handle, end: Handle) -> Done {
    let mut state = driver()?.lock();
    state.context()?;
    let mut times = [0.0; 2];
    for (time, (event, which)) in times.iter_mut().zip([(start, "start"), (end, "end")]) {
        let e = state.event_mut(event)?;
        if !e.timing {
            let line = format!("the {which} event was made without timing");
            return Err(Failure::new(code::INVALID_HANDLE, line));
        }
        let Some(record) = e.record.clone() else {
            let line = format!("the {which} event was never recorded");
            return Err(Failure::new(code::INVALID_HANDLE, line));
        };
        if !state.waited.has(record.stream, record.number) {
            let line = format!(
                "the {which} event was recorded, but nobody waited for it: call `synchronize` on \
                 it first"
            );
            return Err(Failure::new(code::NOT_READY, line));
        }
        *time = record.ms;
    }
    // SAFETY: the caller's out-pointer.
    unsafe { give(ms, (times[1] - times[0]) as f32) }
}
