//! Allocation: device memory, and host memory that the device may touch.
//!
//! Managed and pinned memory is real host memory. The device has an allocation at the same
//! addresses, which gets the host's bytes before a launch and gives back what the kernel wrote
//! after it.

use std::alloc::Layout;
use std::os::raw::c_void;

use emulation::settings::link_ms;
use emulation::{evidence, findings, judge};
use simt::fault::FaultKind;
use simt::{Memory, MemoryError};

use super::order::{Extent, History};
use super::state::{
    Driver, Engine, HostBlock, HostKind, Note, State, driver, give, memory_failure,
};
use crate::abi::{DevicePtr, Handle, memory_type};
use crate::code;
use crate::failure::{Done, Failure};

pub(crate) unsafe fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> Done {
    let driver = driver()?;
    driver.lock().context()?;
    let (used, capacity) = (driver.memory.used(), driver.memory.capacity());
    // SAFETY: the caller's out-pointers.
    unsafe {
        give(free, (capacity - used) as usize)?;
        give(total, capacity as usize)
    }
}

fn allocate(driver: &Driver, state: &mut State, bytes: usize) -> Done<u64> {
    let context = state.context()?;
    let name = state.new_buffer_name();
    let base = driver.memory.alloc(bytes as u64, &name).map_err(|e| memory_failure(&e))?;
    add_note(state, base, bytes as u64, context);
    Ok(base)
}

fn add_note(state: &mut State, base: u64, size: u64, context: usize) {
    let note = Note { context, size, element: None, history: History::default() };
    state.allocations.insert(base, note);
}

pub(crate) unsafe fn cuMemAlloc_v2(address: *mut DevicePtr, bytes: usize) -> Done {
    let driver = driver()?;
    let base = allocate(driver, &mut driver.lock(), bytes)?;
    // SAFETY: the caller's out-pointer.
    unsafe { give(address, base) }
}

pub(crate) unsafe fn cuMemAllocAsync(
    address: *mut DevicePtr,
    bytes: usize,
    stream: Handle,
) -> Done {
    let driver = driver()?;
    let mut state = driver.lock();
    let stream = state.stream_handle(stream)?;
    let base = allocate(driver, &mut state, bytes)?;
    // Work of other streams must come after the allocation: note it as a write.
    let issued = state.issue(stream, Engine::Nothing, 0.0);
    state.touch(
        &driver.memory,
        &issued,
        base,
        Extent::Bytes(0..bytes as u64),
        true,
        "cuMemAllocAsync",
    );
    // SAFETY: the caller's out-pointer.
    unsafe { give(address, base) }
}

pub(crate) unsafe fn cuMemAllocPitch_v2(
    address: *mut DevicePtr,
    pitch: *mut usize,
    width: usize,
    height: usize,
    element: u32,
) -> Done {
    if ![4, 8, 16].contains(&element) {
        return Err(Failure::invalid(format!(
            "cuMemAllocPitch: elements have 4, 8 or 16 bytes, not {element}"
        )));
    }
    let row = width.checked_next_multiple_of(512);
    let Some((row, bytes)) = row.and_then(|row| Some((row, row.checked_mul(height)?))) else {
        return Err(Failure::invalid("cuMemAllocPitch: width times height overflows"));
    };
    // SAFETY: the caller's out-pointers.
    unsafe {
        cuMemAlloc_v2(address, bytes)?;
        give(pitch, row)
    }
}

pub(crate) unsafe fn cuMemFree_v2(address: DevicePtr) -> Done {
    let driver = driver()?;
    let mut state = driver.lock();
    state.current_handle()?;
    if address == 0 {
        return Ok(());
    }
    // A spoilt context returns its fault here too, but the memory goes: nobody will ask for it
    // again.
    let spoilt = state.context().err();
    if state.host.get(&address).is_some_and(|b| b.kind == HostKind::Managed) {
        free_host_block(driver, &mut state, address);
    } else {
        free(driver, &mut state, address, "cuMemFree")?;
    }
    spoilt.map_or(Ok(()), Err)
}

pub(crate) unsafe fn cuMemFreeAsync(address: DevicePtr, stream: Handle) -> Done {
    let driver = driver()?;
    let mut state = driver.lock();
    state.context()?;
    let stream = state.stream_handle(stream)?;
    let issued = state.issue(stream, Engine::Nothing, 0.0);
    if let Some(size) = state.allocations.get(&address).map(|note| note.size) {
        state.touch(
            &driver.memory,
            &issued,
            address,
            Extent::Bytes(0..size),
            true,
            "cuMemFreeAsync",
        );
    }
    free(driver, &mut state, address, "cuMemFreeAsync")
}

fn free(driver: &Driver, state: &mut State, address: u64, call: &str) -> Done {
    // Only what was allocated through the driver: a module's variables go with their module.
    let result = if state.allocations.remove(&address).is_some() {
        driver.memory.free(address)
    } else {
        match driver.memory.freed(address) {
            Some(name) => Err(MemoryError::Freed { address, name }),
            None => Err(MemoryError::NoAllocation { address }),
        }
    };
    evidence::forget(&driver.memory, address);
    result.map_err(|error| {
        let message = match (&error, driver.memory.find(address)) {
            (MemoryError::Freed { name, .. }, _) => format!("`{name}` is freed a second time"),
            (_, Some(info)) if info.base != address => format!(
                "{address:#x} lies inside of `{}`: only its first address can be freed",
                info.name
            ),
            (_, Some(info)) => {
                format!("`{}` is a variable of a module and cannot be freed", info.name)
            }
            _ => format!("{address:#x} was never allocated"),
        };
        findings::add_finding(FaultKind::BadFree, call, message.clone(), None);
        Failure::invalid(message)
    })
}

/// Host memory on a page border of its own.
pub(crate) fn host_layout(bytes: u64) -> Done<Layout> {
    usize::try_from(bytes)
        .ok()
        .filter(|n| *n > 0)
        .and_then(|n| Layout::from_size_align(n.checked_next_multiple_of(4096)?, 4096).ok())
        .ok_or_else(|| Failure::invalid("host memory of 0 bytes, or more than there are addresses"))
}

fn allocate_host(driver: &Driver, state: &mut State, bytes: usize, kind: HostKind) -> Done<u64> {
    let context = state.context()?;
    let layout = host_layout(bytes as u64)?;
    if bytes as u64 > driver.memory.capacity() {
        return Err(memory_failure(&MemoryError::OutOfMemory {
            requested: bytes as u64,
            used: driver.memory.used(),
            capacity: driver.memory.capacity(),
        }));
    }
    // SAFETY: the layout's size is not 0. Zeroed, so that a program that reads too early is at
    // least repeatable.
    let home = unsafe { std::alloc::alloc_zeroed(layout) } as u64;
    if home == 0 {
        return Err(no_host_memory(bytes));
    }
    let address = state.offered.take().unwrap_or(home);
    let block = HostBlock { context, size: bytes as u64, home, kind, mirrored: false };
    state.host.insert(address, block);
    Ok(address)
}

fn no_host_memory(bytes: usize) -> Failure {
    Failure::new(code::OUT_OF_MEMORY, format!("no {bytes} bytes of host memory left"))
}

pub(crate) unsafe fn cuMemAllocManaged(address: *mut DevicePtr, bytes: usize, flags: u32) -> Done {
    if !(1..=4).contains(&flags) {
        return Err(Failure::invalid(format!(
            "cuMemAllocManaged: expected flags 1, 2 or 4, found {flags}"
        )));
    }
    let driver = driver()?;
    let mut state = driver.lock();
    let base = allocate_host(driver, &mut state, bytes, HostKind::Managed)?;
    if let Err(failure) = mirror(driver, &mut state, base) {
        free_host_block(driver, &mut state, base);
        return Err(failure);
    }
    // SAFETY: the caller's out-pointer.
    unsafe { give(address, base) }
}

pub(crate) unsafe fn cuMemAllocHost_v2(address: *mut *mut c_void, bytes: usize) -> Done {
    let driver = driver()?;
    let base = allocate_host(driver, &mut driver.lock(), bytes, HostKind::Pinned)?;
    // SAFETY: the caller's out-pointer.
    unsafe { give(address, base as *mut c_void) }
}

pub(crate) unsafe fn cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, flags: u32) -> Done {
    if flags & !7 != 0 {
        return Err(Failure::invalid(format!("cuMemHostAlloc: unknown flags {flags:#x}")));
    }
    // SAFETY: the caller's out-pointer.
    unsafe { cuMemAllocHost_v2(address, bytes) }
}

pub(crate) unsafe fn cuMemFreeHost(address: *mut c_void) -> Done {
    let driver = driver()?;
    let mut state = driver.lock();
    state.current_handle()?;
    let base = address as u64;
    match state.host.get(&base) {
        Some(block) if block.kind == HostKind::Pinned => {
            free_host_block(driver, &mut state, base);
            Ok(())
        }
        _ => {
            let message = format!("{base:#x} is not pinned memory, or was freed before");
            findings::add_finding(FaultKind::BadFree, "cuMemFreeHost", message.clone(), None);
            Err(Failure::invalid(message))
        }
    }
}

pub(crate) unsafe fn cuMemHostRegister_v2(address: *mut c_void, bytes: usize, _flags: u32) -> Done {
    let mut state = driver()?.lock();
    let context = state.context()?;
    if address.is_null() || bytes == 0 {
        return Err(Failure::invalid("cuMemHostRegister: nothing to register"));
    }
    let (base, size) = (address as u64, bytes as u64);
    if overlaps(&state, base, size) {
        return Err(Failure::code(code::HOST_MEMORY_ALREADY_REGISTERED));
    }
    let home = if judge::is_one() {
        // SAFETY: the layout's size is not 0.
        unsafe { std::alloc::alloc_zeroed(host_layout(size)?) as u64 }
    } else {
        base
    };
    if home == 0 {
        return Err(no_host_memory(bytes));
    }
    let block = HostBlock { context, size, home, kind: HostKind::Registered, mirrored: false };
    state.host.insert(base, block);
    Ok(())
}

/// True if a block of host memory lies in a range, or the range does not end.
pub(super) fn overlaps(state: &State, base: u64, size: u64) -> bool {
    base.checked_add(size).is_none_or(|end| {
        state.host.iter().any(|(other, block)| *other < end && base < other + block.size)
    })
}

pub(crate) unsafe fn cuMemHostUnregister(address: *mut c_void) -> Done {
    let driver = driver()?;
    let mut state = driver.lock();
    state.current_handle()?;
    let base = address as u64;
    if state.host.get(&base).is_none_or(|b| b.kind != HostKind::Registered) {
        return Err(Failure::code(code::HOST_MEMORY_NOT_REGISTERED));
    }
    free_host_block(driver, &mut state, base);
    Ok(())
}

pub(crate) unsafe fn cuMemHostGetDevicePointer_v2(
    device: *mut DevicePtr,
    address: *mut c_void,
    _flags: u32,
) -> Done {
    let state = driver()?.lock();
    state.context()?;
    if host_block(&state, address as u64).is_none() {
        return Err(Failure::invalid("this is not pinned or registered memory"));
    }
    // SAFETY: the caller's out-pointer. Host and device use the same addresses.
    unsafe { give(device, address as u64) }
}

/// True if all these bytes can be copied to the host.
pub(crate) fn readable(address: u64, bytes: u64) -> bool {
    let Ok(driver) = driver() else { return false };
    let state = driver.lock();
    match host_block(&state, address) {
        Some(base) => bytes <= state.host[&base].size - (address - base),
        None => driver.memory.check(address, bytes).is_ok(),
    }
}

/// A judge's device: the bytes of a block of host memory as the program has them now.
pub(crate) fn refresh(base: u64, bytes: &[u8]) -> Option<()> {
    let state = driver().ok()?.lock();
    let block = state.host.get(&base).filter(|b| b.size == bytes.len() as u64)?;
    // SAFETY: a live block of that size; calls come one after the other.
    let home = unsafe { std::slice::from_raw_parts_mut(block.home as *mut u8, bytes.len()) };
    let differ = |(a, b): (&u8, &u8)| a != b;
    if let Some(first) = home.iter().zip(bytes).position(differ) {
        let last = home.iter().zip(bytes).rposition(differ).unwrap_or(first);
        // Whole numbers.
        let (from, to) = (first / 8 * 8, (last / 8 * 8 + 8).min(bytes.len()));
        evidence::shared(base, from as u64, &bytes[from..to]);
        home.copy_from_slice(bytes);
    }
    Some(())
}

/// A judge's device: the block's bytes, if they are no longer these.
pub(crate) fn changed(base: u64, bytes: &[u8]) -> Option<Vec<u8>> {
    let state = driver().ok()?.lock();
    let block = state.host.get(&base).filter(|b| b.size == bytes.len() as u64)?;
    // SAFETY: as above.
    let now = unsafe { std::slice::from_raw_parts(block.home as *const u8, bytes.len()) };
    (now != bytes).then(|| now.to_vec())
}

/// A judge's device: says where the program has put the next block of host memory; false if there
/// is another already.
pub(crate) fn offer(address: u64, bytes: u64) -> bool {
    let Ok(driver) = driver() else { return false };
    let mut state = driver.lock();
    state.offered = (address != 0 && !overlaps(&state, address, bytes)).then_some(address);
    state.offered.is_some()
}

/// A judge's device: blocks of host memory that are no longer.
pub(crate) fn take_freed() -> Vec<u64> {
    driver().map_or_else(|_| Vec::new(), |driver| std::mem::take(&mut driver.lock().freed))
}

/// The block of host memory that holds an address: its first address.
pub(super) fn host_block(state: &State, address: u64) -> Option<u64> {
    let (base, block) = state.host.range(..=address).next_back()?;
    (address - base < block.size).then_some(*base)
}

/// Gives a block of host memory its counterpart in device memory.
fn mirror(driver: &Driver, state: &mut State, base: u64) -> Done {
    let name = state.new_buffer_name();
    let Some(block) = state.host.get_mut(&base).filter(|b| !b.mirrored) else { return Ok(()) };
    driver.memory.alloc_at(base, block.size, &name).map_err(|e| memory_failure(&e))?;
    block.mirrored = true;
    Ok(())
}

/// Copies host memory to its counterpart: all managed blocks, and others that an argument points
/// into.
pub(super) fn to_device(driver: &Driver, state: &mut State, args: &[Vec<u8>]) -> Done<Vec<u64>> {
    let words = args.iter().flat_map(|a| a.chunks_exact(8));
    let pointed: Vec<u64> =
        words.filter_map(|w| host_block(state, u64::from_le_bytes(w.try_into().ok()?))).collect();
    let wanted: Vec<u64> = state
        .host
        .iter()
        .filter(|(base, block)| block.kind == HostKind::Managed || pointed.contains(base))
        .map(|(base, _)| *base)
        .collect();
    for base in &wanted {
        mirror(driver, state, *base)?;
        let HostBlock { size, home, .. } = state.host[base];
        // SAFETY: the block is live host memory of that size: ours, or registered by the program as
        // valid.
        let bytes = unsafe { std::slice::from_raw_parts(home as *const u8, size as usize) };
        driver.memory.write(*base, bytes).map_err(|e| memory_failure(&e))?;
    }
    Ok(wanted)
}

/// Copies blocks back to the host after a launch: those in `written`, or all if it is `None`.
pub(super) fn to_host(driver: &Driver, state: &State, blocks: &[u64], written: Option<&[u64]>) {
    for base in blocks.iter().filter(|b| written.is_none_or(|list| list.contains(b))) {
        let Some(block) = state.host.get(base) else { continue };
        let mut bytes = vec![0; block.size as usize];
        if driver.memory.read(*base, &mut bytes).is_ok() {
            evidence::copied(&bytes);
            let to = block.home as *mut u8;
            // SAFETY: the block is live host memory of that size; the caller of a launch may not
            // use it meanwhile.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
        }
    }
}

fn free_host_block(driver: &Driver, state: &mut State, base: u64) {
    let Some(block) = state.host.remove(&base) else { return };
    if block.mirrored {
        // It was allocated when the block was mirrored, so freeing it cannot fail.
        let _ = driver.memory.free(base);
    }
    if (block.kind != HostKind::Registered || block.home != base)
        && let Ok(layout) = host_layout(block.size)
    {
        // SAFETY: allocated with this layout, and no longer in the table.
        unsafe { std::alloc::dealloc(block.home as *mut u8, layout) };
    }
    if judge::is_one() {
        state.freed.push(base);
    }
}

/// Forgets the host memory of a context.
pub(super) fn free_host_of(driver: &Driver, state: &mut State, context: usize) {
    let owned: Vec<u64> =
        state.host.iter().filter(|(_, b)| b.context == context).map(|(base, _)| *base).collect();
    for base in owned {
        free_host_block(driver, state, base);
    }
}

fn check_managed(state: &State, address: u64, bytes: usize, call: &str) -> Done {
    let end = address.saturating_add(bytes as u64);
    let inside = host_block(state, address).is_some_and(|base| {
        let block = &state.host[&base];
        block.kind == HostKind::Managed && end <= base + block.size
    });
    if inside {
        Ok(())
    } else {
        Err(Failure::invalid(format!("{call}: not a range of managed memory")))
    }
}

pub(crate) unsafe fn cuMemAdvise(
    address: DevicePtr,
    bytes: usize,
    advice: i32,
    _device: i32,
) -> Done {
    let state = driver()?.lock();
    state.context()?;
    if !(1..=6).contains(&advice) {
        return Err(Failure::invalid(format!("cuMemAdvise: unknown advice {advice}")));
    }
    check_managed(&state, address, bytes, "cuMemAdvise")
}

pub(crate) unsafe fn cuMemPrefetchAsync(
    address: DevicePtr,
    bytes: usize,
    device: i32,
    stream: Handle,
) -> Done {
    let driver = driver()?;
    let mut state = driver.lock();
    state.context()?;
    let stream = state.stream_handle(stream)?;
    check_managed(&state, address, bytes, "cuMemPrefetchAsync")?;
    let engine = if device < 0 { Engine::ToHost } else { Engine::ToDevice };
    let ms = link_ms(driver.device, bytes as u64);
    state.issue(stream, engine, ms);
    Ok(())
}

pub(crate) unsafe fn cuPointerGetAttribute(
    value: *mut c_void,
    attribute: i32,
    address: DevicePtr,
) -> Done {
    let driver = driver()?;
    let state = driver.lock();
    state.context()?;
    let unknown = || Failure::invalid(format!("{address:#x} is not memory of the driver"));
    let host = host_block(&state, address).map(|base| (base, &state.host[&base]));
    let device = find_device(&driver.memory, address);
    let (base, size, context, kind) = match (host, device) {
        (Some((base, block)), _) => (base, block.size, block.context, Some(block.kind)),
        (None, Some((base, size))) => {
            let context = state.allocations.get(&base).map_or(0, |note| note.context);
            (base, size, context, None)
        }
        (None, None) => return Err(unknown()),
    };
    let memory = if kind.is_none_or(|k| k == HostKind::Managed) {
        memory_type::DEVICE
    } else {
        memory_type::HOST
    };
    // SAFETY: the caller gives room for the type that the attribute has.
    unsafe {
        match attribute {
            1 => give(value.cast(), context),
            2 => give(value.cast(), memory),
            3 => give(value.cast(), address),
            4 if kind.is_some() => give(value.cast(), address),
            8 => give(value.cast(), u32::from(kind == Some(HostKind::Managed))),
            9 => give(value.cast(), 0i32),
            11 => give(value.cast(), base),
            12 => give(value.cast(), size as usize),
            13 => give(value.cast(), 1u8),
            _ => Err(Failure::invalid(format!("this memory has no pointer attribute {attribute}"))),
        }
    }
}

fn find_device(memory: &Memory, address: u64) -> Option<(u64, u64)> {
    memory.find(address).map(|info| (info.base, info.size))
}
