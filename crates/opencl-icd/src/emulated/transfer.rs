//! Copies and fills.

use std::os::raw::c_void;

use cl_sys::*;
use emulation::evidence;
use emulation::findings::{add_fault, add_finding};
use emulation::settings::{link_ms, memory_ms};
use simt::fault::{FaultKind, Target};

use super::host::{self, Given};
use super::info;
use super::memory::memory_failure;
use super::schedule::{Events, Order, Request, submit};
use super::state::{Emulated, Engine, State, emulated};
use crate::failure::{Done, Failure};

/// Bytes that are moved at once.
const CHUNK: u64 = 1 << 20;
pub(super) const NS_PER_MS: f64 = 1e6;

/// Bytes of a buffer: where its device memory begins and how much of it there is.
#[derive(Clone, Copy)]
pub(super) struct Bytes {
    pub handle: usize,
    pub base: u64,
    pub size: u64,
}

/// A buffer of a queue's context that the host may read or write.
///
/// # Errors
/// Not a buffer, one of another context, or one whose flags forbid it (`forbidden`).
pub(super) fn buffer(
    state: &State,
    queue: cl_command_queue,
    handle: cl_mem,
    forbidden: u64,
) -> Done<Bytes> {
    let bytes = memory_object(state, queue, handle, forbidden)?;
    if state.buffer(bytes.handle)?.image.is_some() {
        return Err(Failure::new(CL_INVALID_MEM_OBJECT, "expected a buffer, found an image"));
    }
    Ok(bytes)
}

/// The same of a buffer or an image.
///
/// # Errors
/// As [`buffer`].
pub(super) fn memory_object(
    state: &State,
    queue: cl_command_queue,
    handle: cl_mem,
    forbidden: u64,
) -> Done<Bytes> {
    let context = state.queue(queue as usize)?.context;
    let found = state.buffer(handle as usize)?;
    if found.context != context {
        return Err(Failure::new(
            CL_INVALID_CONTEXT,
            "queue and buffer belong to different contexts",
        ));
    }
    if found.flags & forbidden != 0 {
        let line = "the buffer was made with a CL_MEM_HOST_... flag that forbids this";
        return Err(Failure::new(CL_INVALID_OPERATION, line));
    }
    Ok(Bytes { handle: handle as usize, base: found.base, size: found.size })
}

impl Bytes {
    pub fn check(self, what: &str, offset: u64, bytes: u64) -> Done {
        if bytes == 0 {
            return Err(Failure::value(format!("{what} of 0 bytes")));
        }
        if offset.checked_add(bytes).is_some_and(|end| end <= self.size) {
            return Ok(());
        }
        Err(Failure::value(format!(
            "{what} of {bytes} bytes at byte {offset} of a buffer of {} bytes",
            self.size
        )))
    }
}

/// A box of bytes within a row of memory: offset of its first byte, bytes from row to row and from
/// plane to plane.
#[derive(Clone, Copy)]
pub(super) struct RowLayout {
    pub offset: u64,
    pub row: u64,
    pub plane: u64,
}

impl RowLayout {
    /// Bytes from the first of a region to its last.
    pub fn length(self, region: [u64; 3]) -> u64 {
        (region[2] - 1) * self.plane + (region[1] - 1) * self.row + region[0]
    }
}

/// The layout of a region of `[bytes, rows, planes]`, and the end of its last byte.
pub(super) fn layout(
    what: &str,
    origin: [u64; 3],
    region: [u64; 3],
    row: u64,
    plane: u64,
) -> Done<(RowLayout, u64)> {
    let overflow = || Failure::value(format!("{what}: numbers too large"));
    if region.contains(&0) {
        return Err(Failure::value(format!("{what}: a region of size 0")));
    }
    let row = if row == 0 { region[0] } else { row };
    if row < region[0] {
        return Err(Failure::value(format!(
            "{what}: rows of {} bytes lie {row} bytes apart",
            region[0]
        )));
    }
    let least = row.checked_mul(region[1]).ok_or_else(overflow)?;
    let plane = if plane == 0 { least } else { plane };
    if plane < least || plane % row != 0 {
        return Err(Failure::value(format!(
            "{what}: planes of {} rows of {row} bytes lie {plane} bytes apart",
            region[1]
        )));
    }
    let at = |x: u64, y: u64, z: u64| {
        z.checked_mul(plane)?.checked_add(y.checked_mul(row)?)?.checked_add(x)
    };
    let offset = at(origin[0], origin[1], origin[2]).ok_or_else(overflow)?;
    let length = at(region[0], region[1] - 1, region[2] - 1).ok_or_else(overflow)?;
    let end = offset.checked_add(length).ok_or_else(overflow)?;
    Ok((RowLayout { offset, row, plane }, end))
}

/// Offsets of the rows of a region on two sides.
pub(super) fn rows(
    region: [u64; 3],
    a: RowLayout,
    b: RowLayout,
) -> impl Iterator<Item = (u64, u64)> {
    let place = move |l: RowLayout, y: u64, z: u64| l.offset + z * l.plane + y * l.row;
    (0..region[2]).flat_map(move |z| (0..region[1]).map(move |y| (place(a, y, z), place(b, y, z))))
}

/// Reads device memory to the host.
///
/// # Safety
/// `host` may be written for `bytes` bytes.
pub(super) unsafe fn to_host(
    emulated: &Emulated,
    address: u64,
    host: usize,
    bytes: u64,
) -> Done<Option<u64>> {
    let mut unwritten = None;
    let mut chunk = vec![0; bytes.min(CHUNK) as usize];
    let mut done = 0;
    while done < bytes {
        let part = &mut chunk[..(bytes - done).min(CHUNK) as usize];
        let read = emulated.memory.read(address + done, part).map_err(|e| memory_failure(&e))?;
        unwritten = unwritten.or(read.first_unwritten.map(|at| address + done + at));
        evidence::read(&emulated.memory, address + done, part);
        // SAFETY: within the caller's memory.
        unsafe { host::put(host.wrapping_add(done as usize), part) };
        done += part.len() as u64;
    }
    Ok(unwritten)
}

/// Writes the host's bytes to device memory.
pub(super) fn to_device(emulated: &Emulated, address: u64, bytes: &[u8]) -> Done {
    emulated.memory.write(address, bytes).map_err(|e| memory_failure(&e))?;
    evidence::uploaded(&emulated.memory, address, bytes.len() as u64);
    Ok(())
}

/// Reports that never-written memory was copied to the host.
pub(super) fn report_unwritten(
    emulated: &Emulated,
    state: &State,
    handle: usize,
    call: &str,
    address: u64,
) {
    if let Some(fault) = emulated.memory.origin(address, 1) {
        return add_fault(fault);
    }
    let Some(found) = emulated.memory.find(address) else { return };
    let element = state.buffer(handle).ok().and_then(|b| b.element.clone());
    let elem_size = element.map_or(1, |(_, size)| size.max(1));
    let index = (address - found.base) / u64::from(elem_size);
    let message = match elem_size {
        1 => {
            format!("byte {index} of `{}` is copied to the host but was never written", found.name)
        }
        _ => format!("{}[{index}] is copied to the host but was never written", found.name),
    };
    let target = Target {
        name: found.name,
        index: index as i64,
        len: found.size / u64::from(elem_size),
        elem_size,
        address,
    };
    add_finding(FaultKind::Uninitialised, call, message, Some(target));
}

/// What is the same for all commands that move bytes.
pub(super) struct Command {
    pub name: &'static str,
    pub kind: u32,
    pub queue: cl_command_queue,
    pub events: Events,
    pub blocking: bool,
    pub engine: Engine,
}

impl Command {
    /// The memory object that the command moves: a buffer, or an image.
    pub fn object(&self, state: &State, handle: cl_mem, forbidden: u64) -> Done<Bytes> {
        match self.kind {
            CL_COMMAND_READ_IMAGE | CL_COMMAND_WRITE_IMAGE | CL_COMMAND_MAP_IMAGE => {
                memory_object(state, self.queue, handle, forbidden)
            }
            _ => buffer(state, self.queue, handle, forbidden),
        }
    }

    /// # Safety
    /// The caller's list of events and out-pointer.
    pub unsafe fn submit(
        self,
        emulated: &'static Emulated,
        state: std::sync::MutexGuard<'static, State>,
        holds: Vec<usize>,
        work: impl FnOnce(&Emulated, &mut State) -> Done<f64> + Send + 'static,
    ) -> Done {
        let Command { name, kind, queue, events, blocking, engine } = self;
        let work = Box::new(work);
        let order = Order::Plain;
        let request = Request { name, kind, queue, events, blocking, engine, order, holds, work };
        // SAFETY: the caller's promise.
        unsafe { submit(emulated, state, request) }
    }
}

fn host_memory(pointer: *const c_void) -> Done<usize> {
    if pointer.is_null() {
        return Err(Failure::value("the pointer to host memory is null"));
    }
    Ok(pointer as usize)
}

pub(super) const FORBIDS_READ: u64 = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
pub(super) const FORBIDS_WRITE: u64 = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

/// Where a copy between host and device goes.
pub(super) struct Rect {
    pub region: [u64; 3],
    pub device: RowLayout,
    pub host: RowLayout,
}

/// # Safety
/// The host's memory may be written where `rect` says, until the command is over.
pub(super) unsafe fn read(
    command: Command,
    handle: cl_mem,
    host: *mut c_void,
    rect: Done<(Rect, u64)>,
) -> Done {
    let emulated = emulated()?;
    let state = emulated.lock();
    let device = command.object(&state, handle, FORBIDS_READ)?;
    let (Rect { region, device: from, host: to }, end) = rect?;
    device.check("a copy", from.offset, end - from.offset)?;
    let host = host_memory(host)?;
    let name = command.name;
    let work = move |emulated: &Emulated, state: &mut State| {
        let mut unwritten = None;
        for (from, to) in rows(region, from, to) {
            // SAFETY: the caller's memory holds the region.
            let first = unsafe {
                to_host(emulated, device.base + from, host.wrapping_add(to as usize), region[0])
            }?;
            unwritten = unwritten.or(first);
        }
        if let Some(address) = unwritten {
            report_unwritten(emulated, state, device.handle, name, address);
        }
        Ok(link_ms(emulated.device, region.iter().product()) * NS_PER_MS)
    };
    // SAFETY: the caller's list and out-pointer.
    unsafe { command.submit(emulated, state, vec![device.handle], work) }
}

/// # Safety
/// The host's memory may be read where `rect` says, until the command is over.
pub(super) unsafe fn write(
    command: Command,
    handle: cl_mem,
    host: *const c_void,
    rect: Done<(Rect, u64)>,
) -> Done {
    let emulated = emulated()?;
    let state = emulated.lock();
    let device = command.object(&state, handle, FORBIDS_WRITE)?;
    let (Rect { region, device: to, host: from }, end) = rect?;
    device.check("a copy", to.offset, end - to.offset)?;
    let (first, bytes) = (from.offset, from.length(region));
    // SAFETY: the caller's memory holds the region.
    let given = unsafe { Given::at(host_memory(host)?.wrapping_add(first as usize), bytes) }?;
    let work = move |emulated: &Emulated, _: &mut State| {
        for (from, to) in rows(region, from, to) {
            to_device(emulated, device.base + to, given.part(from - first, region[0]))?;
        }
        Ok(link_ms(emulated.device, region.iter().product()) * NS_PER_MS)
    };
    // SAFETY: the caller's list and out-pointer.
    unsafe { command.submit(emulated, state, vec![device.handle], work) }
}

/// A copy in a row.
fn in_a_row(offset: usize, bytes: usize) -> Done<(Rect, u64)> {
    let region = [bytes as u64, 1, 1];
    let (device, end) = layout("a copy", [offset as u64, 0, 0], region, 0, 0)?;
    let (host, _) = layout("a copy", [0; 3], region, 0, 0)?;
    Ok((Rect { region, device, host }, end))
}

/// # Safety
/// Three entries behind each pointer.
unsafe fn in_a_box(
    device: (*const usize, usize, usize),
    host: (*const usize, usize, usize),
    region: *const usize,
) -> Done<(Rect, u64)> {
    // SAFETY: the caller's promise.
    let (region, from, to) = unsafe {
        (
            info::three("the region", region)?,
            info::three("the buffer's origin", device.0)?,
            info::three("the host's origin", host.0)?,
        )
    };
    let (device, end) =
        layout("the buffer's side", from, region, device.1 as u64, device.2 as u64)?;
    let (host, _) = layout("the host's side", to, region, host.1 as u64, host.2 as u64)?;
    Ok((Rect { region, device, host }, end))
}

/// Where the bytes of a copy lie in the program's memory: from the first to the last one, behind
/// the pointer; `None` for sizes that make no sense.
///
/// # Safety
/// Three entries behind each pointer.
pub(crate) unsafe fn host_bytes(
    origin: *const usize,
    region: *const usize,
    row: usize,
    plane: usize,
) -> Option<(usize, usize)> {
    // SAFETY: the caller's promise.
    let (region, origin) =
        unsafe { (info::three("", region).ok()?, info::three("", origin).ok()?) };
    let (layout, end) = layout("", origin, region, row as u64, plane as u64).ok()?;
    Some((layout.offset as usize, (end - layout.offset) as usize))
}

pub(crate) unsafe fn clEnqueueReadBuffer(
    queue: cl_command_queue,
    handle: cl_mem,
    blocking: cl_bool,
    offset: usize,
    bytes: usize,
    host: *mut c_void,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    let command = Command {
        name: "clEnqueueReadBuffer",
        kind: CL_COMMAND_READ_BUFFER,
        queue,
        events: Events { count, list, event },
        blocking: blocking != 0,
        engine: Engine::ToHost,
    };
    // SAFETY: the caller's memory.
    unsafe { read(command, handle, host, in_a_row(offset, bytes)) }
}

pub(crate) unsafe fn clEnqueueWriteBuffer(
    queue: cl_command_queue,
    handle: cl_mem,
    blocking: cl_bool,
    offset: usize,
    bytes: usize,
    host: *const c_void,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    let command = Command {
        name: "clEnqueueWriteBuffer",
        kind: CL_COMMAND_WRITE_BUFFER,
        queue,
        events: Events { count, list, event },
        blocking: blocking != 0,
        engine: Engine::ToDevice,
    };
    // SAFETY: the caller's memory.
    unsafe { write(command, handle, host, in_a_row(offset, bytes)) }
}

pub(crate) unsafe fn clEnqueueReadBufferRect(
    queue: cl_command_queue,
    handle: cl_mem,
    blocking: cl_bool,
    buffer_origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    buffer_row: usize,
    buffer_plane: usize,
    host_row: usize,
    host_plane: usize,
    host: *mut c_void,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    let command = Command {
        name: "clEnqueueReadBufferRect",
        kind: CL_COMMAND_READ_BUFFER_RECT,
        queue,
        events: Events { count, list, event },
        blocking: blocking != 0,
        engine: Engine::ToHost,
    };
    let device = (buffer_origin, buffer_row, buffer_plane);
    // SAFETY: the caller's memory.
    unsafe {
        let rect = in_a_box(device, (host_origin, host_row, host_plane), region);
        read(command, handle, host, rect)
    }
}

pub(crate) unsafe fn clEnqueueWriteBufferRect(
    queue: cl_command_queue,
    handle: cl_mem,
    blocking: cl_bool,
    buffer_origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    buffer_row: usize,
    buffer_plane: usize,
    host_row: usize,
    host_plane: usize,
    host: *const c_void,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    let command = Command {
        name: "clEnqueueWriteBufferRect",
        kind: CL_COMMAND_WRITE_BUFFER_RECT,
        queue,
        events: Events { count, list, event },
        blocking: blocking != 0,
        engine: Engine::ToDevice,
    };
    let device = (buffer_origin, buffer_row, buffer_plane);
    // SAFETY: the caller's memory.
    unsafe {
        let rect = in_a_box(device, (host_origin, host_row, host_plane), region);
        write(command, handle, host, rect)
    }
}

/// Copies a region within device memory.
pub(super) unsafe fn copy(
    command: Command,
    from: Bytes,
    to: Bytes,
    region: [u64; 3],
    a: RowLayout,
    b: RowLayout,
) -> Done {
    let emulated = emulated()?;
    let work = move |emulated: &Emulated, _: &mut State| {
        let memory = &emulated.memory;
        for (x, y) in rows(region, a, b) {
            let (y, x) = (to.base + y, from.base + x);
            memory.copy(y, x, region[0]).map_err(|e| memory_failure(&e))?;
            evidence::moved(memory, y, x, region[0]);
        }
        Ok(memory_ms(emulated.device, 2 * region.iter().product::<u64>()) * NS_PER_MS)
    };
    // SAFETY: the caller's list and out-pointer.
    unsafe { command.submit(emulated, emulated.lock(), vec![from.handle, to.handle], work) }
}

pub(super) fn overlap() -> Failure {
    Failure::new(CL_MEM_COPY_OVERLAP, "source and destination of the copy overlap")
}

pub(crate) unsafe fn clEnqueueCopyBuffer(
    queue: cl_command_queue,
    src: cl_mem,
    dst: cl_mem,
    src_offset: usize,
    dst_offset: usize,
    bytes: usize,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    let (from, to) = {
        let state = emulated()?.lock();
        (buffer(&state, queue, src, 0)?, buffer(&state, queue, dst, 0)?)
    };
    let (src_offset, dst_offset, bytes) = (src_offset as u64, dst_offset as u64, bytes as u64);
    from.check("a copy", src_offset, bytes)?;
    to.check("a copy", dst_offset, bytes)?;
    let (x, y) = (from.base + src_offset, to.base + dst_offset);
    if x < y + bytes && y < x + bytes {
        return Err(overlap());
    }
    let region = [bytes, 1, 1];
    let (a, _) = layout("a copy", [src_offset, 0, 0], region, 0, 0)?;
    let (b, _) = layout("a copy", [dst_offset, 0, 0], region, 0, 0)?;
    let command = Command {
        name: "clEnqueueCopyBuffer",
        kind: CL_COMMAND_COPY_BUFFER,
        queue,
        events: Events { count, list, event },
        blocking: false,
        engine: Engine::Compute,
    };
    // SAFETY: the caller's list and out-pointer.
    unsafe { copy(command, from, to, region, a, b) }
}

pub(crate) unsafe fn clEnqueueCopyBufferRect(
    queue: cl_command_queue,
    src: cl_mem,
    dst: cl_mem,
    src_origin: *const usize,
    dst_origin: *const usize,
    region: *const usize,
    src_row: usize,
    src_plane: usize,
    dst_row: usize,
    dst_plane: usize,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    let (from, to) = {
        let state = emulated()?.lock();
        (buffer(&state, queue, src, 0)?, buffer(&state, queue, dst, 0)?)
    };
    // SAFETY: the caller's triples.
    let (region, src_origin, dst_origin) = unsafe {
        (
            info::three("the region", region)?,
            info::three("the source's origin", src_origin)?,
            info::three("the destination's origin", dst_origin)?,
        )
    };
    let (a, a_end) = layout("the source", src_origin, region, src_row as u64, src_plane as u64)?;
    let (b, b_end) =
        layout("the destination", dst_origin, region, dst_row as u64, dst_plane as u64)?;
    from.check("a copy", 0, a_end)?;
    to.check("a copy", 0, b_end)?;
    let near = from.base + a.offset < to.base + b_end && to.base + b.offset < from.base + a_end;
    // Boxes in the same memory may interlock without touching: look at their rows.
    let touch = |x: u64, y: u64| {
        let (x, y) = (from.base + x, to.base + y);
        x < y + region[0] && y < x + region[0]
    };
    if near && rows(region, a, a).any(|(x, _)| rows(region, b, b).any(|(y, _)| touch(x, y))) {
        return Err(overlap());
    }
    let command = Command {
        name: "clEnqueueCopyBufferRect",
        kind: CL_COMMAND_COPY_BUFFER_RECT,
        queue,
        events: Events { count, list, event },
        blocking: false,
        engine: Engine::Compute,
    };
    // SAFETY: the caller's list and out-pointer.
    unsafe { copy(command, from, to, region, a, b) }
}

pub(crate) unsafe fn clEnqueueFillBuffer(
    queue: cl_command_queue,
    handle: cl_mem,
    pattern: *const c_void,
    pattern_size: usize,
    offset: usize,
    bytes: usize,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    let emulated = emulated()?;
    let state = emulated.lock();
    let to = buffer(&state, queue, handle, 0)?;
    if pattern.is_null() || !pattern_size.is_power_of_two() || pattern_size > 128 {
        return Err(Failure::value(format!(
            "a pattern has 1, 2, 4, ... or 128 bytes, not {pattern_size}"
        )));
    }
    if !offset.is_multiple_of(pattern_size) || !bytes.is_multiple_of(pattern_size) {
        return Err(Failure::value(format!(
            "{bytes} bytes at byte {offset} cannot be filled with a pattern of {pattern_size} \
             bytes: both must be multiples of it"
        )));
    }
    to.check("a fill", offset as u64, bytes as u64)?;
    // SAFETY: the caller's pattern.
    let pattern =
        unsafe { std::slice::from_raw_parts(pattern.cast::<u8>(), pattern_size) }.to_vec();
    let work = move |emulated: &Emulated, _: &mut State| {
        let (address, times) = (to.base + offset as u64, (bytes / pattern_size) as u64);
        emulated.memory.fill(address, &pattern, times).map_err(|e| memory_failure(&e))?;
        evidence::filled(&emulated.memory, address, bytes as u64, &pattern);
        Ok(memory_ms(emulated.device, bytes as u64) * NS_PER_MS)
    };
    let command = Command {
        name: "clEnqueueFillBuffer",
        kind: CL_COMMAND_FILL_BUFFER,
        queue,
        events: Events { count, list, event },
        blocking: false,
        engine: Engine::Compute,
    };
    // SAFETY: the caller's list and out-pointer.
    unsafe { command.submit(emulated, state, vec![to.handle], work) }
}
