//! Buffers that the host may touch for a while, and those that move ahead of their use.

use std::os::raw::c_void;

use cl_sys::*;
use emulation::settings::link_ms;

use super::host::{self, Given};
use super::info;
use super::schedule::Events;
use super::state::{Emulated, Engine, Mapping, State, emulated};
use super::transfer::{
    Command, FORBIDS_READ, FORBIDS_WRITE, NS_PER_MS, memory_object, report_unwritten, to_device,
    to_host,
};
use crate::failure::{Done, Failure};

pub(crate) unsafe fn clEnqueueMapBuffer(
    queue: cl_command_queue,
    handle: cl_mem,
    blocking: cl_bool,
    flags: cl_map_flags,
    offset: usize,
    bytes: usize,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done<*mut c_void> {
    let command = Command {
        name: "clEnqueueMapBuffer",
        kind: CL_COMMAND_MAP_BUFFER,
        queue,
        events: Events { count, list, event },
        blocking: blocking != 0,
        engine: Engine::ToHost,
    };
    // SAFETY: the caller's list and out-pointer.
    unsafe { map(command, handle, flags, offset as u64, bytes as u64) }
}

/// Lets the host touch `size` bytes of a memory object from `offset` on.
///
/// # Safety
/// The caller's list of events and out-pointer.
pub(super) unsafe fn map(
    command: Command,
    handle: cl_mem,
    flags: cl_map_flags,
    offset: u64,
    size: u64,
) -> Done<*mut c_void> {
    let emulated = emulated()?;
    let mut state = emulated.lock();
    let writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0;
    let reads = flags & CL_MAP_READ != 0;
    if !(reads || writes)
        || flags & CL_MAP_WRITE_INVALIDATE_REGION != 0
            && flags & !CL_MAP_WRITE_INVALIDATE_REGION != 0
    {
        return Err(Failure::value(format!("flags {flags:#x} of a mapping make no sense")));
    }
    let mut forbidden = 0;
    if reads {
        forbidden |= FORBIDS_READ;
    }
    if writes {
        forbidden |= FORBIDS_WRITE;
    }
    let device = command.object(&state, handle, forbidden)?;
    device.check("a mapping", offset, size)?;
    let found = state.buffer_mut(device.handle)?;
    let mut storage = Vec::new();
    let pointer = match found.host {
        0 => {
            let (pointer, memory) = host::room(size as usize)?;
            storage = memory;
            pointer
        }
        host => host.wrapping_add(offset as usize),
    };
    found.maps.push(Mapping { pointer, offset, size, writes, storage });
    let name = command.name;
    let keep = flags & CL_MAP_WRITE_INVALIDATE_REGION == 0;
    let work = move |emulated: &Emulated, state: &mut State| {
        if !keep {
            return Ok(0.0);
        }
        // SAFETY: memory of the mapping, which stays until it is undone.
        let unwritten = unsafe { to_host(emulated, device.base + offset, pointer, size) }?;
        if let (Some(address), false) = (unwritten, writes) {
            report_unwritten(emulated, state, device.handle, name, address);
        }
        Ok(link_ms(emulated.device, size) * NS_PER_MS)
    };
    // SAFETY: the caller's list and out-pointer.
    let result = unsafe { command.submit(emulated, state, vec![device.handle], work) };
    if result.is_err()
        && let Ok(found) = emulated.lock().buffer_mut(device.handle)
    {
        found.maps.retain(|map| map.pointer != pointer);
    }
    result.map(|()| pointer as *mut c_void)
}

pub(crate) unsafe fn clEnqueueUnmapMemObject(
    queue: cl_command_queue,
    handle: cl_mem,
    pointer: *mut c_void,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    let emulated = emulated()?;
    let state = emulated.lock();
    let device = memory_object(&state, queue, handle, 0)?;
    let pointer = pointer as usize;
    let found = state.buffer(device.handle)?;
    let Some(map) = found.maps.iter().find(|map| map.pointer == pointer) else {
        return Err(Failure::value(
            "this pointer is not from clEnqueueMapBuffer of this buffer, or no longer",
        ));
    };
    let bytes = if map.writes { map.size } else { 0 };
    // SAFETY: memory of the mapping, which lives until it is undone.
    let given = map.writes.then(|| unsafe { Given::at(pointer, bytes) }).transpose()?;
    let work = move |emulated: &Emulated, state: &mut State| {
        let maps = &mut state.buffer_mut(device.handle)?.maps;
        let Some(index) = maps.iter().position(|map| map.pointer == pointer) else {
            return Err(Failure::value("the mapping is undone a second time"));
        };
        let map = maps.remove(index);
        if let Some(given) = given {
            to_device(emulated, device.base + map.offset, given.part(0, map.size))?;
        }
        drop(map.storage);
        Ok(if bytes == 0 { 0.0 } else { link_ms(emulated.device, bytes) * NS_PER_MS })
    };
    let command = Command {
        name: "clEnqueueUnmapMemObject",
        kind: CL_COMMAND_UNMAP_MEM_OBJECT,
        queue,
        events: Events { count, list, event },
        blocking: false,
        engine: Engine::ToDevice,
    };
    // SAFETY: the caller's list and out-pointer.
    unsafe { command.submit(emulated, state, vec![device.handle], work) }
}

pub(crate) unsafe fn clEnqueueMigrateMemObjects(
    queue: cl_command_queue,
    number: cl_uint,
    objects: *const cl_mem,
    flags: cl_mem_migration_flags,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    let emulated = emulated()?;
    let state = emulated.lock();
    if flags & !(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) != 0 {
        return Err(Failure::value(format!("unknown flags of a migration: {flags:#x}")));
    }
    // SAFETY: the caller's list.
    let objects = unsafe { info::list("memory objects", objects, number) }?;
    if objects.is_empty() {
        return Err(Failure::value("no memory objects to migrate"));
    }
    let mut holds = Vec::new();
    let mut bytes = 0;
    for object in objects {
        let found = memory_object(&state, queue, object, 0)?;
        holds.push(found.handle);
        bytes += found.size;
    }
    // There is one device: only the time passes.
    let moved = flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED == 0;
    let work = move |emulated: &Emulated, _: &mut State| {
        Ok(if moved { link_ms(emulated.device, bytes) * NS_PER_MS } else { 0.0 })
    };
    let engine = match flags & CL_MIGRATE_MEM_OBJECT_HOST {
        0 => Engine::ToDevice,
        _ => Engine::ToHost,
    };
    let command = Command {
        name: "clEnqueueMigrateMemObjects",
        kind: CL_COMMAND_MIGRATE_MEM_OBJECTS,
        queue,
        events: Events { count, list, event },
        blocking: false,
        engine,
    };
    // SAFETY: the caller's list and out-pointer.
    unsafe { command.submit(emulated, state, holds, work) }
}
