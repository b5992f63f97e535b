//! The program's side: what a driver function asks of the judge's device.
#![allow(non_snake_case)]

use std::alloc::{alloc_zeroed, dealloc};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::os::raw::{c_char, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use emulation::remote::{Arrived, Parcel};
use emulation::threads;
use wire::channel::{Client, Frame, Kind, MOST_BLOB};

use super::{Cross, plane_bytes};
use crate::abi::{Copy2d, DevicePtr, Handle, HostFn, Pointers, SharedOfBlock, Text, memory_type};
use crate::arguments::{self, Slot};
use crate::failure::{Done, Failure};
use crate::{code, emulated};

type Sent<'a> = Parcel<Cow<'a, [u8]>>;

/// Memory of the program that the device may touch, too.
struct Block {
    size: u64,
    managed: bool,
    /// Allocated here, by the driver.
    own: bool,
}

fn blocks() -> MutexGuard<'static, BTreeMap<u64, Block>> {
    static BLOCKS: Mutex<BTreeMap<u64, Block>> = Mutex::new(BTreeMap::new());
    BLOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn gone() -> Failure {
    Failure::new(code::UNKNOWN, "the judge's device is gone")
}

/// Asks for a call; what has come back, if it succeeded.
pub(crate) fn ask(client: &Client, name: &str, sent: Sent<'_>) -> Done<Arrived> {
    let (back, done) = exchange(client, name, sent, &[]);
    done.map(|()| back)
}

/// Asks for a call that may touch these addresses beside those among its words.
fn exchange(client: &Client, name: &str, sent: Sent<'_>, near: &[u64]) -> (Arrived, Done) {
    let mut question: Frame<Cow<'_, [u8]>> = Frame::new(Kind::Driver, name);
    let touched: Vec<u64> = {
        let blocks = blocks();
        let find = |address: &u64| {
            let (base, block) = blocks.range(..=*address).next_back()?;
            (address - base < block.size).then_some(*base)
        };
        let managed = blocks.iter().filter(|(_, b)| b.managed && name == "cuLaunchKernel");
        let mut list: Vec<u64> = managed.map(|(base, _)| *base).collect();
        if !blocks.is_empty() {
            list.extend(sent.words.iter().chain(near).filter_map(find));
        }
        list.sort_unstable();
        list.dedup();
        for base in &list {
            let size = blocks[base].size as usize;
            // SAFETY: a live block of that size: ours, or registered by the program as valid.
            let bytes = unsafe { std::slice::from_raw_parts(*base as *const u8, size) };
            question.blobs.push(bytes.into());
        }
        list
    };
    question.words = vec![threads::number(), touched.len() as u64];
    question.words.extend(touched);
    question.words.extend(sent.words);
    question.blobs.extend(sent.blobs);
    let none = || Arrived::new(Vec::new(), Vec::new());
    let Ok(answer) = client.ask(&question) else { return (none(), Err(gone())) };
    let mut back = Arrived::new(answer.words, answer.blobs);
    match settle(&mut back) {
        Some(done) => (back, done),
        None => (back, Err(gone())),
    }
}

/// What every answer begins with: the result, blocks that are no longer, blocks that have changed.
fn settle(back: &mut Arrived) -> Option<Done> {
    let code = back.word()? as u32;
    let (freed, changed) = (back.list()?, back.list()?);
    let mut blocks = blocks();
    for base in changed {
        let bytes = back.blob()?;
        if let Some(block) = blocks.get(&base).filter(|b| b.size == bytes.len() as u64) {
            // SAFETY: a live block of that size; the program may not use it while a call works on
            // it.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), base as *mut u8, block.size as usize);
            }
        }
    }
    for base in freed {
        if let Some(block) = blocks.remove(&base).filter(|b| b.own) {
            free(base, block.size);
        }
    }
    if code == code::SUCCESS {
        return Some(Ok(()));
    }
    let mut text = || Some(String::from_utf8_lossy(&back.blob()?).into_owned());
    Some(Err(Failure { code, line: text()?, report: text()? }))
}

fn free(base: u64, size: u64) {
    if let Ok(layout) = emulated::host_layout(size) {
        // SAFETY: allocated in `host_memory` with this layout, and no longer in the table.
        unsafe { dealloc(base as *mut u8, layout) };
    }
}

pub(crate) unsafe fn cuGetErrorName(_: &Client, error: u32, text: *mut Text) -> Done {
    // SAFETY: the caller's contract; the function needs no device.
    unsafe { emulated::cuGetErrorName(error, text) }
}

pub(crate) unsafe fn cuGetErrorString(_: &Client, error: u32, text: *mut Text) -> Done {
    // SAFETY: as above.
    unsafe { emulated::cuGetErrorString(error, text) }
}

pub(crate) unsafe fn cuDeviceGetName(
    client: &Client,
    name: *mut c_char,
    len: i32,
    device: i32,
) -> Done {
    let len = if name.is_null() { 0 } else { len };
    let words = vec![len as u64, device as u64];
    let mut back = ask(client, "cuDeviceGetName", Sent { words, blobs: Vec::new() })?;
    let text = back.blob().ok_or_else(gone)?;
    let count = text.len().min(len.max(1) as usize - 1);
    if len > 0 {
        // SAFETY: the caller gives room for `len` bytes.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), name.cast(), count);
            name.add(count).write(0);
        }
    }
    Ok(())
}

/// Sends an image, or why there is none.
fn load(
    client: &Client,
    name: &str,
    module: *mut Handle,
    image: Done<Option<&[u8]>>,
) -> (Arrived, Done) {
    let mut sent = Sent::default();
    let refused = match image {
        Ok(Some(bytes)) => {
            sent.blobs.push(bytes.into());
            code::SUCCESS
        }
        Ok(None) => code::INVALID_VALUE,
        Err(failure) => {
            sent.blobs.push(Cow::Owned(failure.line.into_bytes()));
            failure.code
        }
    };
    sent.words = vec![u64::from(!module.is_null()), refused.into()];
    let (mut back, done) = exchange(client, name, sent, &[]);
    let done = done.and_then(|()| {
        // SAFETY: the caller's out-pointer.
        unsafe { module.receive(&mut back) }.ok_or_else(gone)
    });
    (back, done)
}

pub(crate) unsafe fn cuModuleLoad(client: &Client, module: *mut Handle, file: Text) -> Done {
    // SAFETY: the caller's text.
    let bytes = unsafe { emulated::image_file(file) };
    load(client, "cuModuleLoad", module, bytes.as_deref().map(Some).map_err(Clone::clone)).1
}

/// # Safety
/// `image` is null or ends in NUL.
unsafe fn image<'a>(image: *const c_void) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise; not null.
    (!image.is_null()).then(|| unsafe { std::ffi::CStr::from_ptr(image.cast()) }.to_bytes())
}

pub(crate) unsafe fn cuModuleLoadData(
    client: &Client,
    module: *mut Handle,
    data: *const c_void,
) -> Done {
    // SAFETY: the caller's image.
    load(client, "cuModuleLoadData", module, Ok(unsafe { image(data) })).1
}

pub(crate) unsafe fn cuModuleLoadDataEx(
    client: &Client,
    module: *mut Handle,
    data: *const c_void,
    count: u32,
    options: *mut i32,
    values: Pointers,
) -> Done {
    // SAFETY: the caller's image.
    let (mut back, done) = load(client, "cuModuleLoadDataEx", module, Ok(unsafe { image(data) }));
    let notes = back.blob().unwrap_or_default();
    let result = done.clone().map(|()| String::from_utf8_lossy(&notes).into_owned());
    // SAFETY: the caller's options: `count` of them, with a value each.
    unsafe { emulated::fill_logs(&result, count, options, values) };
    done
}

/// What is asked of a kernel once: where its arguments stand, and its largest block (0 for the
/// device's).
struct Known {
    slots: Vec<Slot>,
    most: i32,
}

fn known(client: &Client, function: Handle) -> Arc<Known> {
    static KNOWN: Mutex<Option<HashMap<usize, Arc<Known>>>> = Mutex::new(None);
    let mut table = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let table = table.get_or_insert_default();
    if let Some(found) = table.get(&(function as usize)) {
        return Arc::clone(found);
    }
    let sent = Sent { words: vec![function as u64], blobs: Vec::new() };
    let words = ask(client, "kernel", sent).ok().and_then(|mut back| back.list());
    let Some((most, sizes)) = words.as_ref().and_then(|w| w.split_first()) else {
        return Arc::new(Known { slots: Vec::new(), most: 0 });
    };
    let slot = |s: &[u64; 2]| {
        let (name, type_name) = (String::new(), String::new());
        Slot { name, type_name, offset: s[0] as usize, size: s[1] as usize }
    };
    let slots = sizes.as_chunks().0.iter().map(slot).collect();
    let found = Arc::new(Known { slots, most: *most as i32 });
    table.insert(function as usize, Arc::clone(&found));
    found
}

#[allow(clippy::too_many_arguments)] // the driver API's own list
pub(crate) unsafe fn cuLaunchKernel(
    client: &Client,
    function: Handle,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: Handle,
    params: Pointers,
    extra: Pointers,
) -> Done {
    let sizes = [grid_x, grid_y, grid_z, block_x, block_y, block_z, shared].map(u64::from);
    let mut sent = Sent::default();
    sent.words.extend([function as u64, stream as u64]);
    sent.words.extend(sizes);
    for (k, slot) in known(client, function).slots.iter().enumerate() {
        let one = std::slice::from_ref(slot);
        let at = if params.is_null() { params } else { params.wrapping_add(k) };
        // SAFETY: the caller's arguments. The judge says how many are missing.
        let Ok(mut values) = (unsafe { arguments::read("", one, at, extra) }) else { break };
        sent.blobs.extend(values.pop().map(Cow::Owned));
    }
    let near: Vec<u64> = sent
        .blobs
        .iter()
        .flat_map(|b| b.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)))
        .collect();
    exchange(client, "cuLaunchKernel", sent, &near).1
}

pub(crate) unsafe fn cuLaunchHostFunc(
    client: &Client,
    stream: Handle,
    function: HostFn,
    data: *mut c_void,
) -> Done {
    let words = vec![stream as u64, u64::from(function.is_some())];
    ask(client, "cuLaunchHostFunc", Sent { words, blobs: Vec::new() })?;
    if let Some(function) = function {
        // SAFETY: the caller hands over a function and what it wants to be called with.
        unsafe { function(data) };
    }
    Ok(())
}

pub(crate) unsafe fn cuOccupancyMaxPotentialBlockSize(
    client: &Client,
    min_grid: *mut i32,
    threads: *mut i32,
    function: Handle,
    shared_of: SharedOfBlock,
    shared: usize,
    limit: i32,
) -> Done {
    let mut table = Vec::new();
    if let Some(f) = shared_of {
        let most = known(client, function).most;
        let most = if limit > 0 { most.min(limit) } else { most };
        let sizes = (32..=most).step_by(32).chain((most % 32 != 0).then_some(most));
        // SAFETY: the caller's function, called with a block size as the driver API says.
        table.extend(sizes.flat_map(|size| [size as u64, unsafe { f(size) } as u64]));
    }
    let mut sent = Sent::default();
    let flags = [min_grid, threads].map(|at| u64::from(!at.is_null()));
    sent.words.extend(flags);
    sent.words.extend([function as u64, shared_of.is_some().into(), shared as u64, limit as u64]);
    sent.list(&table);
    let mut back = ask(client, "cuOccupancyMaxPotentialBlockSize", sent)?;
    for at in [min_grid, threads] {
        // SAFETY: the caller's out-pointers.
        unsafe { at.receive(&mut back) }.ok_or_else(gone)?;
    }
    Ok(())
}

/// Memory of the program that the device may touch; `None` if the judge must refuse it first.
fn host_memory(bytes: usize) -> Option<u64> {
    let layout = emulated::host_layout(bytes as u64).ok()?;
    // SAFETY: the layout's size is not 0. Zeroed, as the driver's own.
    let address = unsafe { alloc_zeroed(layout) } as u64;
    (address != 0).then_some(address)
}

/// # Safety
/// `address` is null or may be written.
unsafe fn allocate(
    client: &Client,
    name: &str,
    address: *mut u64,
    bytes: usize,
    flags: u32,
) -> Done {
    let base = host_memory(bytes);
    let words = vec![base.unwrap_or(0), u64::from(!address.is_null()), bytes as u64, flags.into()];
    let done = ask(client, name, Sent { words, blobs: Vec::new() });
    let Some(base) = base else { return done.and(Err(gone())) };
    if let Err(failure) = done {
        free(base, bytes as u64);
        return Err(failure);
    }
    let managed = name == "cuMemAllocManaged";
    blocks().insert(base, Block { size: bytes as u64, managed, own: true });
    // SAFETY: the caller's out-pointer; the judge refuses a null one.
    unsafe { emulated::give(address, base) }
}

pub(crate) unsafe fn cuMemAllocManaged(
    client: &Client,
    address: *mut DevicePtr,
    bytes: usize,
    flags: u32,
) -> Done {
    // SAFETY: the caller's out-pointer.
    unsafe { allocate(client, "cuMemAllocManaged", address, bytes, flags) }
}

pub(crate) unsafe fn cuMemAllocHost_v2(
    client: &Client,
    address: *mut *mut c_void,
    bytes: usize,
) -> Done {
    // SAFETY: the caller's out-pointer.
    unsafe { allocate(client, "cuMemAllocHost_v2", address.cast(), bytes, 0) }
}

pub(crate) unsafe fn cuMemHostAlloc(
    client: &Client,
    address: *mut *mut c_void,
    bytes: usize,
    flags: u32,
) -> Done {
    // SAFETY: the caller's out-pointer.
    unsafe { allocate(client, "cuMemHostAlloc", address.cast(), bytes, flags) }
}

pub(crate) unsafe fn cuMemHostRegister_v2(
    client: &Client,
    address: *mut c_void,
    bytes: usize,
    flags: u32,
) -> Done {
    let words = vec![address as u64, bytes as u64, flags.into()];
    ask(client, "cuMemHostRegister_v2", Sent { words, blobs: Vec::new() })?;
    let block = Block { size: bytes as u64, managed: false, own: false };
    blocks().insert(address as u64, block);
    Ok(())
}

pub(crate) unsafe fn cuPointerGetAttribute(
    client: &Client,
    value: *mut c_void,
    attribute: i32,
    address: DevicePtr,
) -> Done {
    let words = vec![u64::from(!value.is_null()), attribute as u64, address];
    let mut back = ask(client, "cuPointerGetAttribute", Sent { words, blobs: Vec::new() })?;
    let word = back.word().ok_or_else(gone)?.to_le_bytes();
    let size = match attribute {
        2 | 8 | 9 => 4,
        13 => 1,
        _ => 8,
    };
    // SAFETY: the caller gives room for the type that the attribute has; the judge refuses a null
    // pointer.
    unsafe { std::ptr::copy_nonoverlapping(word.as_ptr(), value.cast(), size) };
    Ok(())
}

/// # Safety
/// `src` is null or has so many bytes.
unsafe fn to_device(
    client: &Client,
    name: &str,
    dst: DevicePtr,
    src: *const c_void,
    bytes: usize,
    stream: Option<Handle>,
) -> Done {
    let mut sent = Sent::default();
    if bytes as u64 > MOST_BLOB {
        return Err(Failure::invalid(format!("{name}: {bytes} bytes at once")));
    }
    sent.words.extend([dst, bytes as u64]);
    sent.words.extend(stream.map(|s| s as u64));
    if !src.is_null() {
        // SAFETY: the caller's promise.
        let bytes = unsafe { std::slice::from_raw_parts(src.cast::<u8>(), bytes) };
        sent.blobs.push(bytes.into());
    }
    ask(client, name, sent).map(drop)
}

/// # Safety
/// `dst` is null or has room for so many bytes.
unsafe fn to_host(
    client: &Client,
    name: &str,
    dst: *mut c_void,
    src: DevicePtr,
    bytes: usize,
    stream: Option<Handle>,
) -> Done {
    let mut sent = Sent::default();
    sent.words.extend([src, bytes as u64, u64::from(!dst.is_null())]);
    sent.words.extend(stream.map(|s| s as u64));
    let got = ask(client, name, sent)?.blob().filter(|b| b.len() == bytes).ok_or_else(gone)?;
    // SAFETY: the caller's memory; the judge refuses a null pointer.
    unsafe { std::ptr::copy_nonoverlapping(got.as_ptr(), dst.cast(), bytes) };
    Ok(())
}

pub(crate) unsafe fn cuMemcpyHtoD_v2(
    client: &Client,
    dst: DevicePtr,
    src: *const c_void,
    bytes: usize,
) -> Done {
    // SAFETY: the caller's memory.
    unsafe { to_device(client, "cuMemcpyHtoD_v2", dst, src, bytes, None) }
}

pub(crate) unsafe fn cuMemcpyHtoDAsync_v2(
    client: &Client,
    dst: DevicePtr,
    src: *const c_void,
    bytes: usize,
    stream: Handle,
) -> Done {
    // SAFETY: the caller's memory.
    unsafe { to_device(client, "cuMemcpyHtoDAsync_v2", dst, src, bytes, Some(stream)) }
}

pub(crate) unsafe fn cuMemcpyDtoH_v2(
    client: &Client,
    dst: *mut c_void,
    src: DevicePtr,
    bytes: usize,
) -> Done {
    // SAFETY: the caller's memory.
    unsafe { to_host(client, "cuMemcpyDtoH_v2", dst, src, bytes, None) }
}

pub(crate) unsafe fn cuMemcpyDtoHAsync_v2(
    client: &Client,
    dst: *mut c_void,
    src: DevicePtr,
    bytes: usize,
    stream: Handle,
) -> Done {
    // SAFETY: the caller's memory.
    unsafe { to_host(client, "cuMemcpyDtoHAsync_v2", dst, src, bytes, Some(stream)) }
}

/// # Safety
/// The descriptor is null or valid, and its host sides may be read and written.
unsafe fn copy_2d(
    client: &Client,
    name: &str,
    copy: *const Copy2d,
    stream: Option<Handle>,
) -> Done {
    let mut sent = Sent::default();
    if copy.is_null() {
        return ask(client, name, sent).map(drop);
    }
    // SAFETY: not null; the caller's promise.
    let c = unsafe { copy.read_unaligned() };
    let source = plane_bytes(&c, true)
        .filter(|_| c.src_memory_type == memory_type::HOST && !c.src_host.is_null());
    let target = plane_bytes(&c, false)
        .filter(|_| c.dst_memory_type == memory_type::HOST && !c.dst_host.is_null());
    let sizes = [c.src_x_bytes, c.src_y, c.src_pitch, c.dst_x_bytes, c.dst_y, c.dst_pitch];
    sent.words.extend(stream.map(|s| s as u64));
    sent.words.extend([c.src_memory_type, c.dst_memory_type].map(u64::from));
    sent.words.extend([c.src_device, c.dst_device]);
    sent.words.extend(sizes.map(|n| n as u64));
    sent.words.extend([c.width_bytes as u64, c.height as u64, target.is_some().into()]);
    if let Some((first, all)) = source {
        // SAFETY: the caller's memory from the first byte of the copy to its last one.
        let bytes = unsafe { std::slice::from_raw_parts(c.src_host.cast::<u8>().add(first), all) };
        sent.blobs.push(bytes.into());
    }
    let mut back = ask(client, name, sent)?;
    let Some((first, _)) = target else { return Ok(()) };
    let rows = back.blob().ok_or_else(gone)?;
    let pitch = if c.dst_pitch == 0 { c.width_bytes } else { c.dst_pitch };
    for (k, row) in rows.chunks_exact(c.width_bytes).take(c.height).enumerate() {
        // SAFETY: the caller's memory; a row of the copy.
        unsafe {
            let at = c.dst_host.cast::<u8>().add(first + k * pitch);
            std::ptr::copy_nonoverlapping(row.as_ptr(), at, row.len());
        }
    }
    Ok(())
}

pub(crate) unsafe fn cuMemcpy2D_v2(client: &Client, copy: *const Copy2d) -> Done {
    // SAFETY: the caller's descriptor.
    unsafe { copy_2d(client, "cuMemcpy2D_v2", copy, None) }
}

pub(crate) unsafe fn cuMemcpy2DAsync_v2(
    client: &Client,
    copy: *const Copy2d,
    stream: Handle,
) -> Done {
    // SAFETY: the caller's descriptor.
    unsafe { copy_2d(client, "cuMemcpy2DAsync_v2", copy, Some(stream)) }
}
