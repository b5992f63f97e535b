//! Contexts: the primary one, created ones, and which is current on a thread.

use emulation::findings;
use simt::fault::{FaultKind, Target};

use super::device::check_device;
use super::state::{Context, Driver, State, driver, give, in_range, with_current};
use crate::abi::Handle;
use crate::code;
use crate::failure::{Done, Failure};

/// `CUlimit` values that mean something here, with what a context starts with.
const LIMITS: [(i32, usize); 3] =
    [(STACK_SIZE, 1024), (PRINTF_SIZE, 1 << 20), (HEAP_SIZE, 8 << 20)];
const STACK_SIZE: i32 = 0;
/// Bytes of `printf` output of a launch.
pub(super) const PRINTF_SIZE: i32 = 1;
const HEAP_SIZE: i32 = 2;

pub(crate) unsafe fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: i32) -> Done {
    check_device(device)?;
    let mut state = driver()?.lock();
    let handle = match state.primary.handle {
        Some(handle) => handle,
        None => {
            let flags = state.primary.flags;
            let handle = add_context(&mut state, flags);
            state.primary.handle = Some(handle);
            handle
        }
    };
    // SAFETY: the caller's out-pointer.
    unsafe { give(context, handle as Handle) }?;
    state.primary.users += 1;
    Ok(())
}

pub(crate) unsafe fn cuDevicePrimaryCtxRelease_v2(device: i32) -> Done {
    check_device(device)?;
    let driver = driver()?;
    let mut state = driver.lock();
    let Some(handle) = state.primary.handle else {
        return Err(Failure::new(code::INVALID_CONTEXT, "the primary context is not in use"));
    };
    state.primary.users -= 1;
    if state.primary.users == 0 {
        state.primary.handle = None;
        destroy(driver, &mut state, handle);
    }
    Ok(())
}

pub(crate) unsafe fn cuDevicePrimaryCtxReset_v2(device: i32) -> Done {
    check_device(device)?;
    let driver = driver()?;
    let mut state = driver.lock();
    if let Some(handle) = state.primary.handle {
        reset(driver, &mut state, handle);
    }
    Ok(())
}

/// Drops all that a context holds, so nothing is called a leak. Users keep their handle.
fn reset(driver: &Driver, state: &mut State, handle: usize) {
    state.allocations.values_mut().for_each(|note| note.element = None);
    let flags = state.contexts.get(&handle).map_or(0, |context| context.flags);
    free_all(driver, state, handle, false);
    state.contexts.insert(handle, Context { flags, ..Context::default() });
}

/// Empties the device: all contexts are reset.
pub(crate) fn renew() {
    // Without a device nothing is on it.
    let Ok(driver) = driver() else { return };
    let mut state = driver.lock();
    let all: Vec<usize> = state.contexts.keys().copied().collect();
    all.into_iter().for_each(|handle| reset(driver, &mut state, handle));
}

pub(crate) unsafe fn cuDevicePrimaryCtxSetFlags_v2(device: i32, flags: u32) -> Done {
    check_device(device)?;
    let mut state = driver()?.lock();
    state.primary.flags = flags;
    if let Some(context) = state.primary.handle.and_then(|h| state.contexts.get_mut(&h)) {
        context.flags = flags;
    }
    Ok(())
}

fn add_context(state: &mut State, flags: u32) -> usize {
    let handle = state.new_handle();
    state.contexts.insert(handle, Context { flags, ..Context::default() });
    handle
}

/// Frees what belongs to a context and forgets it.
fn destroy(driver: &Driver, state: &mut State, handle: usize) {
    free_all(driver, state, handle, true);
    state.contexts.remove(&handle);
}

fn free_all(driver: &Driver, state: &mut State, handle: usize, tell: bool) {
    let spoilt = state.contexts.get(&handle).is_some_and(|c| c.fault.is_some());
    let owned: Vec<u64> = state
        .allocations
        .iter()
        .filter(|(_, note)| note.context == handle)
        .map(|(base, _)| *base)
        .collect();
    for base in owned {
        let note = state.allocations.remove(&base);
        if let Some(info) = driver.memory.find(base)
            && tell
            && !spoilt
        {
            let message = format!("`{}` ({} bytes) was never freed", info.name, info.size);
            let (_, elem_size) = note.and_then(|n| n.element).unwrap_or_default();
            let target = Target {
                name: info.name,
                index: 0,
                len: info.size / u64::from(elem_size.max(1)),
                elem_size: elem_size.max(1),
                address: base,
            };
            findings::add_finding(FaultKind::Leak, "cuCtxDestroy", message, Some(target));
        }
        // The table above lists live allocations only; one that is gone needs no freeing.
        let _ = driver.memory.free(base);
    }
    super::memory::free_host_of(driver, state, handle);
    let gone: Vec<usize> =
        state.modules.iter().filter(|(_, m)| m.context == handle).map(|(h, _)| *h).collect();
    for module in gone {
        super::module::unload(driver, state, module);
    }
    state.streams.retain(|_, s| s.context != handle);
    state.events.retain(|_, e| e.context != handle);
}

pub(crate) unsafe fn cuCtxCreate_v2(context: *mut Handle, flags: u32, device: i32) -> Done {
    check_device(device)?;
    let mut state = driver()?.lock();
    let handle = add_context(&mut state, flags);
    // SAFETY: the caller's out-pointer.
    unsafe { give(context, handle as Handle) }?;
    with_current(|list| list.push(handle));
    Ok(())
}

pub(crate) unsafe fn cuCtxDestroy_v2(context: Handle) -> Done {
    let driver = driver()?;
    let mut state = driver.lock();
    let handle = known(&state, context)?;
    if state.primary.handle == Some(handle) {
        return Err(Failure::new(
            code::INVALID_CONTEXT,
            "the primary context is released, not destroyed",
        ));
    }
    destroy(driver, &mut state, handle);
    with_current(|list| {
        if list.last() == Some(&handle) {
            list.pop();
        }
    });
    Ok(())
}

fn known(state: &State, context: Handle) -> Done<usize> {
    state.ready()?;
    let handle = context as usize;
    if state.contexts.contains_key(&handle) {
        Ok(handle)
    } else {
        Err(Failure::new(code::INVALID_CONTEXT, "this is not a context, or no longer"))
    }
}

pub(crate) unsafe fn cuCtxGetApiVersion(context: Handle, version: *mut u32) -> Done {
    known(&driver()?.lock(), context)?;
    // SAFETY: the caller's out-pointer. 3020 is what drivers have answered since CUDA 3.2.
    unsafe { give(version, 3020) }
}

pub(crate) unsafe fn cuCtxGetCurrent(context: *mut Handle) -> Done {
    driver()?.lock().ready()?;
    let handle = with_current(|list| list.last().copied()).unwrap_or(0);
    // SAFETY: the caller's out-pointer.
    unsafe { give(context, handle as Handle) }
}

pub(crate) unsafe fn cuCtxSetCurrent(context: Handle) -> Done {
    let state = driver()?.lock();
    if context.is_null() {
        state.ready()?;
        with_current(|list| list.pop());
        return Ok(());
    }
    let handle = known(&state, context)?;
    with_current(|list| {
        list.pop();
        list.push(handle);
    });
    Ok(())
}

pub(crate) unsafe fn cuCtxPushCurrent_v2(context: Handle) -> Done {
    let handle = known(&driver()?.lock(), context)?;
    with_current(|list| list.push(handle));
    Ok(())
}

pub(crate) unsafe fn cuCtxPopCurrent_v2(context: *mut Handle) -> Done {
    driver()?.lock().ready()?;
    let Some(handle) = with_current(Vec::pop) else {
        return Err(Failure::new(code::INVALID_CONTEXT, "no context is current on this thread"));
    };
    if context.is_null() {
        return Ok(());
    }
    // SAFETY: the caller's out-pointer, not null.
    unsafe { give(context, handle as Handle) }
}

pub(crate) unsafe fn cuCtxGetDevice(device: *mut i32) -> Done {
    driver()?.lock().current_handle()?;
    // SAFETY: the caller's out-pointer.
    unsafe { give(device, 0) }
}

/// A value of the current context.
fn of_current<T>(f: impl FnOnce(&mut Context) -> T) -> Done<T> {
    let mut state = driver()?.lock();
    let handle = state.context()?;
    let context = state.contexts.get_mut(&handle);
    context.map(f).ok_or_else(|| Failure::code(code::INVALID_CONTEXT))
}

pub(crate) unsafe fn cuCtxGetFlags(flags: *mut u32) -> Done {
    let found = of_current(|c| c.flags)?;
    // SAFETY: the caller's out-pointer.
    unsafe { give(flags, found) }
}

fn start_limit(limit: i32) -> Done<usize> {
    let found = LIMITS.iter().find(|(number, _)| *number == limit);
    found.map(|(_, value)| *value).ok_or_else(|| {
        Failure::new(code::UNSUPPORTED_LIMIT, format!("the emulated device has no limit {limit}"))
    })
}

/// A limit of a context.
pub(super) fn limit_of(context: &Context, limit: i32) -> Done<usize> {
    let start = start_limit(limit)?;
    Ok(context.limits.get(&limit).copied().unwrap_or(start))
}

pub(crate) unsafe fn cuCtxGetLimit(value: *mut usize, limit: i32) -> Done {
    let found = of_current(|c| limit_of(c, limit))??;
    // SAFETY: the caller's out-pointer.
    unsafe { give(value, found) }
}

pub(crate) unsafe fn cuCtxSetLimit(limit: i32, value: usize) -> Done {
    start_limit(limit)?;
    of_current(|c| c.limits.insert(limit, value)).map(drop)
}

pub(crate) unsafe fn cuCtxGetCacheConfig(config: *mut i32) -> Done {
    let found = of_current(|c| c.cache_config)?;
    // SAFETY: the caller's out-pointer.
    unsafe { give(config, found) }
}

pub(crate) unsafe fn cuCtxSetCacheConfig(config: i32) -> Done {
    in_range("cache configuration", config, 3)?;
    of_current(|c| c.cache_config = config)
}

pub(crate) unsafe fn cuCtxGetSharedMemConfig(config: *mut i32) -> Done {
    // The banks are 4 bytes wide whatever was asked for, as on every device since compute
    // capability 5.
    let found = of_current(|c| if c.shared_config == 0 { 1 } else { c.shared_config.min(1) })?;
    // SAFETY: the caller's out-pointer.
    unsafe { give(config, found) }
}

pub(crate) unsafe fn cuCtxSetSharedMemConfig(config: i32) -> Done {
    in_range("bank size", config, 2)?;
    of_current(|c| c.shared_config = config)
}

pub(crate) unsafe fn cuCtxGetStreamPriorityRange(least: *mut i32, greatest: *mut i32) -> Done {
    driver()?.lock().context()?;
    // Either may be null. As on real devices, smaller numbers come first.
    for (at, value) in [(least, 0), (greatest, GREATEST_PRIORITY)] {
        if !at.is_null() {
            // SAFETY: the caller's out-pointer, not null.
            unsafe { give(at, value) }?;
        }
    }
    Ok(())
}

/// The most urgent priority of a stream.
pub(super) const GREATEST_PRIORITY: i32 = -5;

/// There is one device, whose contexts share its memory: no context is another device's.
pub(crate) unsafe fn cuCtxEnablePeerAccess(peer: Handle, _flags: u32) -> Done {
    let state = driver()?.lock();
    known(&state, peer)?;
    Err(Failure::code(code::PEER_ACCESS_UNSUPPORTED))
}

pub(crate) unsafe fn cuCtxSynchronize() -> Done {
    let mut state = driver()?.lock();
    state.context()?;
    state.wait_for_all();
    Ok(())
}
