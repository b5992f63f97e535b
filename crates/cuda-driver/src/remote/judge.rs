//! The judge's side: what a program asks of the driver, and the calls that are made for it.
//!
//! What the program sends is checked before it is used; what is no call ends the conversation, and
//! is the program's fault.
#![allow(non_snake_case)]

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::os::raw::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Instant;

use emulation::remote::{Arrived, Parcel};
use emulation::{calls, evidence, judge};
use wire::channel::{Frame, Kind, MOST_BLOB};
use wire::{ApiCall, Call};

use super::{Cross, plane_bytes};
use crate::abi::{Copy2d, Handle, memory_type};
use crate::failure::{Failure, last_error};
use crate::{api, code, emulated, names};

/// The libraries of a judge's device: answers a call by its name, with the words and bytes that
/// came with it, and gives those that go back; `None` for what is no call.
pub type Libraries = fn(&str, Vec<u64>, Vec<Vec<u8>>) -> Option<(Vec<u64>, Vec<Vec<u8>>)>;

static LIBRARIES: OnceLock<Libraries> = OnceLock::new();

/// Gives this process's device libraries, before it serves.
pub fn with_libraries(libraries: Libraries) {
    let _ = LIBRARIES.set(libraries);
}

/// Is the device of a program, with this driver: see [`judge::serve`].
///
/// # Errors
/// As [`judge::serve`].
pub fn serve(
    calls: &[Call],
    roots: Vec<PathBuf>,
    program: impl Read,
    to_program: impl Write,
    out: impl Write,
) -> Result<(), String> {
    judge::with_driver("", answer, emulated::renew);
    judge::serve(calls, roots, program, to_program, out)
}

/// [`serve`] for a program at the other end of a socket.
///
/// # Errors
/// As [`judge::serve`].
pub fn serve_socket(
    calls: &[Call],
    roots: Vec<PathBuf>,
    socket: &File,
    out: &File,
) -> Result<(), String> {
    serve(calls, roots, BufReader::new(socket), socket, out)
}

/// The program's words of the thread and of its blocks of memory, the call itself, and what goes
/// back.
fn answer(frame: Frame) -> Option<Frame> {
    let mut from = Arrived::new(frame.words, frame.blobs);
    from.word()?;
    let bases = from.list()?;
    let mut blocks = Vec::new();
    for base in bases {
        let bytes = from.blob()?;
        emulated::refresh(base, &bytes)?;
        blocks.push((base, bytes));
    }
    let mut to = Parcel::default();
    let name = frame.text.as_str();
    let made = catch_unwind(AssertUnwindSafe(|| {
        api::serve(name, &mut from, &mut to).or_else(|| beside(name, &mut from, &mut to))
    }));
    let code = made.ok().flatten()?;
    let mut answer = Frame::new(Kind::Driver, "");
    let mut head: Parcel = Parcel::default();
    head.words.push(code.into());
    head.list(&emulated::take_freed());
    let mut changed = Vec::new();
    for (base, bytes) in blocks {
        if let Some(now) = emulated::changed(base, &bytes) {
            changed.push(base);
            head.blobs.push(now);
        }
    }
    head.list(&changed);
    if code != code::SUCCESS {
        let last = last_error().filter(|last| last.code == code);
        let (line, report) = last.map(|last| (last.line, last.report)).unwrap_or_default();
        head.blobs.extend([line.into_bytes(), report.into_bytes()]);
    }
    answer.words = head.words;
    answer.words.append(&mut to.words);
    answer.blobs = head.blobs;
    answer.blobs.append(&mut to.blobs);
    Some(answer)
}

pub(crate) fn cuGetErrorName(_: &mut Arrived, _: &mut Parcel) -> Option<u32> {
    None
}

pub(crate) fn cuGetErrorString(_: &mut Arrived, _: &mut Parcel) -> Option<u32> {
    None
}

pub(crate) fn cuDeviceGetName(from: &mut Arrived, to: &mut Parcel) -> Option<u32> {
    let (len, device) = (from.word()? as i32, from.word()? as i32);
    let mut text = vec![0u8; len.clamp(0, 4096) as usize];
    let at = if text.is_empty() { std::ptr::null_mut() } else { text.as_mut_ptr() };
    // SAFETY: as much room as is said.
    let code = unsafe { api::cuDeviceGetName(at.cast(), text.len() as i32, device) };
    text.truncate(text.iter().position(|b| *b == 0).unwrap_or(0));
    to.blobs.push(text);
    Some(code)
}

/// An image, or why the program has none.
fn load(name: &'static str, from: &mut Arrived, to: &mut Parcel) -> Option<u32> {
    let start = Instant::now();
    let mut module: Option<Handle> = (from.word()? != 0).then_some(std::ptr::null_mut());
    let refused = from.word()? as u32;
    let image = from.blob();
    let mut notes = String::new();
    let made = match (refused, image) {
        (code::SUCCESS, Some(bytes)) => {
            // SAFETY: an out-pointer of ours, or null.
            api::served(|| unsafe { emulated::load(Cross::pass(&mut module), &bytes) })
                .map(|warnings| notes = warnings)
        }
        (code::SUCCESS, None) => return None,
        (code::INVALID_VALUE, None) => Err(Failure::invalid("the module image is null")),
        (code, line) => {
            let line = String::from_utf8_lossy(&line.unwrap_or_default()).into_owned();
            Err(Failure::new(code, line))
        }
    };
    let code = api::finish(name, made);
    names::record(name, start, code, |_| {});
    if code == code::SUCCESS {
        <*mut Handle as Cross>::answer(module, to);
        to.blobs.push(notes.into_bytes());
    }
    Some(code)
}

pub(crate) fn cuModuleLoad(from: &mut Arrived, to: &mut Parcel) -> Option<u32> {
    load("cuModuleLoad", from, to)
}

pub(crate) fn cuModuleLoadData(from: &mut Arrived, to: &mut Parcel) -> Option<u32> {
    load("cuModuleLoadData", from, to)
}

pub(crate) fn cuModuleLoadDataEx(from: &mut Arrived, to: &mut Parcel) -> Option<u32> {
    load("cuModuleLoadDataEx", from, to)
}

pub(crate) fn cuLaunchKernel(from: &mut Arrived, _: &mut Parcel) -> Option<u32> {
    let (function, stream) = (from.word()? as Handle, from.word()? as Handle);
    let mut sizes = [0u32; 7];
    for size in &mut sizes {
        *size = u32::try_from(from.word()?).ok()?;
    }
    let slots = emulated::parameter_slots(function);
    let mut values: Vec<Vec<u8>> = std::iter::from_fn(|| from.blob()).collect();
    // An argument of another size than the parameter's is none.
    let fit = values.iter().zip(&slots).take_while(|(v, slot)| v.len() == slot.size).count();
    values.truncate(fit);
    let mut params: Vec<*mut c_void> = values.iter_mut().map(|v| v.as_mut_ptr().cast()).collect();
    params.push(std::ptr::null_mut());
    let [grid_x, grid_y, grid_z, block_x, block_y, block_z, shared] = sizes;
    let (params, extra) = (params.as_mut_ptr(), std::ptr::null_mut());
    // SAFETY: an address for each argument that is there, then null, where reading ends.
    Some(unsafe {
        api::cuLaunchKernel(
            function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, params,
            extra,
        )
    })
}

pub(crate) fn cuLaunchHostFunc(from: &mut Arrived, _: &mut Parcel) -> Option<u32> {
    unsafe extern "C" fn nothing(_: *mut c_void) {}
    let stream = from.word()? as Handle;
    let function = (from.word()? != 0).then_some(nothing as unsafe extern "C" fn(*mut c_void));
    // SAFETY: a function that does nothing; the program calls its own.
    Some(unsafe { api::cuLaunchHostFunc(stream, function, std::ptr::null_mut()) })
}

thread_local! {
    /// Dynamic shared memory by block size, as the program's function said.
    static SHARED_OF: RefCell<HashMap<i32, usize>> = RefCell::new(HashMap::new());
}

pub(crate) fn cuOccupancyMaxPotentialBlockSize(from: &mut Arrived, to: &mut Parcel) -> Option<u32> {
    unsafe extern "C" fn shared_of(size: i32) -> usize {
        SHARED_OF.with_borrow(|table| table.get(&size).copied().unwrap_or(0))
    }
    let mut results = [None; 2];
    for at in &mut results {
        *at = (from.word()? != 0).then_some(0i32);
    }
    let (function, callback) = (from.word()? as Handle, from.word()? != 0);
    let (shared, limit) = (from.word()? as usize, from.word()? as i32);
    let table = from.list()?;
    let pairs = table.as_chunks().0.iter().map(|[size, bytes]| (*size as i32, *bytes as usize));
    SHARED_OF.set(pairs.collect());
    let callback = callback.then_some(shared_of as unsafe extern "C" fn(i32) -> usize);
    let [mut grid, mut threads] = results;
    let at = (Cross::pass(&mut grid), Cross::pass(&mut threads));
    // SAFETY: out-pointers of ours, or null.
    let code = unsafe {
        api::cuOccupancyMaxPotentialBlockSize(at.0, at.1, function, callback, shared, limit)
    };
    <*mut i32 as Cross>::answer(grid, to);
    <*mut i32 as Cross>::answer(threads, to);
    Some(code)
}

/// Where the program has put a block of host memory, and the call that makes it known.
fn allocate(from: &mut Arrived, make: impl FnOnce(*mut u64, usize, u32) -> u32) -> Option<u32> {
    let base = from.word()?;
    let mut address = (from.word()? != 0).then_some(0u64);
    let (bytes, flags) = (from.word()? as usize, from.word()? as u32);
    if base != 0 && !emulated::offer(base, bytes as u64) {
        return None;
    }
    let code = make(Cross::pass(&mut address), bytes, flags);
    let used = address == Some(base);
    // Without a block of the program there is none of ours.
    (code != code::SUCCESS || (base != 0 && used)).then_some(code)
}

pub(crate) fn cuMemAllocManaged(from: &mut Arrived, _: &mut Parcel) -> Option<u32> {
    // SAFETY: an out-pointer of ours, or null.
    allocate(from, |at, bytes, flags| unsafe { api::cuMemAllocManaged(at, bytes, flags) })
}

pub(crate) fn cuMemAllocHost_v2(from: &mut Arrived, _: &mut Parcel) -> Option<u32> {
    // SAFETY: as above.
    allocate(from, |at, bytes, _| unsafe { api::cuMemAllocHost_v2(at.cast(), bytes) })
}

pub(crate) fn cuMemHostAlloc(from: &mut Arrived, _: &mut Parcel) -> Option<u32> {
    // SAFETY: as above.
    allocate(from, |at, bytes, flags| unsafe { api::cuMemHostAlloc(at.cast(), bytes, flags) })
}

pub(crate) fn cuMemHostRegister_v2(from: &mut Arrived, _: &mut Parcel) -> Option<u32> {
    let (address, bytes, flags) = (from.word()?, from.word()? as usize, from.word()? as u32);
    // SAFETY: in this process the address is only a name.
    Some(unsafe { api::cuMemHostRegister_v2(address as *mut c_void, bytes, flags) })
}

pub(crate) fn cuPointerGetAttribute(from: &mut Arrived, to: &mut Parcel) -> Option<u32> {
    let (given, attribute, address) = (from.word()? != 0, from.word()? as i32, from.word()?);
    let mut value = given.then_some(0u64);
    let at: *mut u64 = Cross::pass(&mut value);
    // SAFETY: room for the largest attribute, or null.
    let code = unsafe { api::cuPointerGetAttribute(at.cast(), attribute, address) };
    <*mut u64 as Cross>::answer(value, to);
    Some(code)
}

/// A copy to the device: `make` is given the address, the bytes' address and number, and the
/// stream.
fn to_device(
    from: &mut Arrived,
    stream: bool,
    make: impl FnOnce(u64, *const c_void, usize, Handle) -> u32,
) -> Option<u32> {
    let (dst, bytes) = (from.word()?, from.word()? as usize);
    let stream = if stream { from.word()? } else { 0 } as Handle;
    let blob = from.blob();
    if blob.as_ref().is_some_and(|b| b.len() != bytes) {
        return None;
    }
    let at = blob.as_ref().map_or(std::ptr::null(), |b| b.as_ptr());
    Some(make(dst, at.cast(), bytes, stream))
}

pub(crate) fn cuMemcpyHtoD_v2(from: &mut Arrived, _: &mut Parcel) -> Option<u32> {
    // SAFETY: as many bytes as are said, or null.
    to_device(from, false, |dst, src, n, _| unsafe { api::cuMemcpyHtoD_v2(dst, src, n) })
}

pub(crate) fn cuMemcpyHtoDAsync_v2(from: &mut Arrived, _: &mut Parcel) -> Option<u32> {
    // SAFETY: as above.
    to_device(from, true, |dst, src, n, s| unsafe { api::cuMemcpyHtoDAsync_v2(dst, src, n, s) })
}

/// A copy to the host.
fn to_host(
    from: &mut Arrived,
    to: &mut Parcel,
    stream: bool,
    make: impl FnOnce(*mut c_void, u64, usize, Handle) -> u32,
) -> Option<u32> {
    let (src, bytes, given) = (from.word()?, from.word()? as usize, from.word()? != 0);
    let stream = if stream { from.word()? } else { 0 } as Handle;
    // A range that cannot be read is refused before anything is written.
    let fits = emulated::readable(src, bytes as u64) && bytes as u64 <= MOST_BLOB;
    let mut out = vec![0u8; if given && fits { bytes } else { 0 }];
    let at = if given { out.as_mut_ptr().cast() } else { std::ptr::null_mut() };
    if given && !fits && bytes as u64 > MOST_BLOB && emulated::readable(src, bytes as u64) {
        return None;
    }
    let code = make(at, src, bytes, stream);
    if code == code::SUCCESS {
        to.blobs.push(out);
    }
    Some(code)
}

pub(crate) fn cuMemcpyDtoH_v2(from: &mut Arrived, to: &mut Parcel) -> Option<u32> {
    // SAFETY: room for as many bytes, if so many can be read; or null.
    to_host(from, to, false, |dst, src, n, _| unsafe { api::cuMemcpyDtoH_v2(dst, src, n) })
}

pub(crate) fn cuMemcpyDtoHAsync_v2(from: &mut Arrived, to: &mut Parcel) -> Option<u32> {
    // SAFETY: as above.
    to_host(from, to, true, |dst, src, n, s| unsafe { api::cuMemcpyDtoHAsync_v2(dst, src, n, s) })
}

fn copy_2d(
    from: &mut Arrived,
    to: &mut Parcel,
    stream: bool,
    make: impl FnOnce(*const Copy2d, Handle) -> u32,
) -> Option<u32> {
    let stream = match stream {
        true => match from.word() {
            Some(stream) => stream as Handle,
            None => return Some(make(std::ptr::null(), std::ptr::null_mut())),
        },
        false => std::ptr::null_mut(),
    };
    let Some(src_kind) = from.word() else { return Some(make(std::ptr::null(), stream)) };
    let mut words = [0; 12];
    for word in &mut words {
        *word = from.word()?;
    }
    let [dst_kind, src_device, dst_device, sizes @ .., width, height, target] = words;
    let sizes = sizes.map(|n| n as usize);
    let [src_x_bytes, src_y, src_pitch, dst_x_bytes, dst_y, dst_pitch] = sizes;
    let mut c = Copy2d {
        src_x_bytes,
        src_y,
        src_memory_type: src_kind as u32,
        src_host: std::ptr::null(),
        src_device,
        src_array: std::ptr::null_mut(),
        src_pitch,
        dst_x_bytes,
        dst_y,
        dst_memory_type: dst_kind as u32,
        dst_host: std::ptr::null_mut(),
        dst_device,
        dst_array: std::ptr::null_mut(),
        dst_pitch,
        width_bytes: width as usize,
        height: height as usize,
    };
    let blob = from.blob();
    if let Some(bytes) = &blob {
        let (first, all) = plane_bytes(&c, true)?;
        if c.src_memory_type != memory_type::HOST || bytes.len() != all {
            return None;
        }
        c.src_host = bytes.as_ptr().wrapping_sub(first).cast();
    }
    let mut out = Vec::new();
    if target != 0 {
        let (first, all) = plane_bytes(&c, false)?;
        if c.dst_memory_type != memory_type::HOST {
            return None;
        }
        out = vec![0u8; all];
        c.dst_host = out.as_mut_ptr().wrapping_sub(first).cast();
    }
    let code = make(&c, stream);
    if code == code::SUCCESS && target != 0 {
        let pitch = if c.dst_pitch == 0 { c.width_bytes } else { c.dst_pitch };
        let row = |k: usize| &out[k * pitch..k * pitch + c.width_bytes];
        to.blobs.push((0..c.height).flat_map(row).copied().collect());
    }
    Some(code)
}

pub(crate) fn cuMemcpy2D_v2(from: &mut Arrived, to: &mut Parcel) -> Option<u32> {
    // SAFETY: host sides are ours from the first byte of the copy to its last one, or null.
    copy_2d(from, to, false, |copy, _| unsafe { api::cuMemcpy2D_v2(copy) })
}

pub(crate) fn cuMemcpy2DAsync_v2(from: &mut Arrived, to: &mut Parcel) -> Option<u32> {
    // SAFETY: as above.
    copy_2d(from, to, true, |copy, stream| unsafe { api::cuMemcpy2DAsync_v2(copy, stream) })
}

/// Questions beside the driver's functions: a kernel's parameters, and the calls of libraries.
fn beside(name: &str, from: &mut Arrived, to: &mut Parcel) -> Option<u32> {
    match name.strip_prefix("library ") {
        None if name == "kernel" => {
            let function = from.word()? as Handle;
            let slots = emulated::parameter_slots(function);
            let mut words = vec![emulated::largest_block(function).into()];
            words.extend(slots.iter().flat_map(|s| [s.offset as u64, s.size as u64]));
            to.list(&words);
        }
        None => return None,
        Some("refused") => {
            let call: ApiCall = serde_json::from_slice(&from.blob()?).ok()?;
            let of_library = ["cublas", "curand", "cufft"].iter().any(|l| call.name.starts_with(l));
            if !of_library || call.name.len() > 100 || call.ok() || call.launch.is_some() {
                return None;
            }
            let stream = call.stream.unwrap_or(0) as usize;
            calls::add(ApiCall { stream: names::stream_number(stream), ..call }, Instant::now());
        }
        Some(call) => {
            let rest = std::mem::replace(from, Arrived::new(Vec::new(), Vec::new())).rest();
            evidence::called(call, &rest.0, &rest.1);
            let (words, blobs) = LIBRARIES.get()?(call, rest.0, rest.1)?;
            to.words.extend(words);
            to.blobs.extend(blobs);
        }
    }
    Some(code::SUCCESS)
}
