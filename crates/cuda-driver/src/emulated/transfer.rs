//! Copies and fills: synchronous ones run in the default stream and wait; asynchronous ones go into
//! a stream.

use std::os::raw::c_void;

use emulation::settings::{link_ms, memory_ms};
use emulation::{evidence, findings};
use simt::fault::{FaultKind, Target};

use super::memory::host_block;
use super::order::Extent;
use super::state::{Driver, Engine, HostBlock, Issued, State, driver, memory_failure};
use crate::abi::{Copy2d, DevicePtr, Handle, memory_type};
use crate::failure::{Done, Failure};

/// Bytes that are moved at once.
const CHUNK: usize = 1 << 20;

/// One side of a copy.
#[derive(Clone, Copy, Debug)]
enum Side {
    Device(u64),
    Host(*mut u8),
}

impl Side {
    /// Where an address of the driver API lies: managed and pinned memory is the host's.
    fn of(state: &State, address: u64, bytes: u64) -> Done<Side> {
        let Some(base) = host_block(state, address) else { return Ok(Side::Device(address)) };
        let HostBlock { size, home, .. } = state.host[&base];
        if bytes > size - (address - base) {
            return Err(Failure::invalid(format!(
                "bytes {}..{} of host memory that has {size} bytes",
                address - base,
                (address - base).saturating_add(bytes)
            )));
        }
        Ok(Side::Host((home + (address - base)) as *mut u8))
    }

    fn host(pointer: *mut c_void) -> Done<Side> {
        if pointer.is_null() {
            return Err(Failure::invalid("the host side of a copy is null"));
        }
        Ok(Side::Host(pointer.cast()))
    }

    fn add(self, bytes: u64) -> Side {
        match self {
            Side::Device(address) => Side::Device(address.wrapping_add(bytes)),
            Side::Host(pointer) => Side::Host(pointer.wrapping_add(bytes as usize)),
        }
    }
}

/// A copy as a whole, and where it runs.
struct Transfer<'a> {
    driver: &'a Driver,
    call: &'static str,
    issued: Issued,
    /// The first never-written byte was reported already.
    told: bool,
}

impl<'a> Transfer<'a> {
    /// Issues the operation. `waits`: the host goes on when it is done.
    fn begin(
        driver: &'a Driver,
        state: &mut State,
        call: &'static str,
        stream: usize,
        sides: (Side, Side),
        bytes: u64,
    ) -> Transfer<'a> {
        let (engine, ms) = match sides {
            (Side::Device(_), Side::Device(_)) => {
                (Engine::Compute, memory_ms(driver.device, 2 * bytes))
            }
            (Side::Device(_), Side::Host(_)) => (Engine::ToDevice, link_ms(driver.device, bytes)),
            (Side::Host(_), _) => (Engine::ToHost, link_ms(driver.device, bytes)),
        };
        let issued = state.issue(stream, engine, ms);
        Transfer { driver, call, issued, told: false }
    }

    /// Moves `bytes` bytes in a row.
    ///
    /// # Safety
    /// Host sides may be read and written.
    unsafe fn run(&mut self, state: &mut State, dst: Side, src: Side, bytes: u64) -> Done {
        if bytes == 0 {
            return Ok(());
        }
        let memory = &self.driver.memory;
        match (dst, src) {
            (Side::Device(to), Side::Device(from)) => {
                memory.copy(to, from, bytes).map_err(|e| memory_failure(&e))?;
                evidence::moved(memory, to, from, bytes);
            }
            // SAFETY: both are host memory of the caller; they may overlap.
            (Side::Host(to), Side::Host(from)) => unsafe {
                std::ptr::copy(from, to, bytes as usize)
            },
            (Side::Device(to), Side::Host(from)) => {
                // Ask for the whole range first: nothing is written if it does not fit.
                memory.check(to, bytes).map_err(|e| memory_failure(&e))?;
                let mut chunk = vec![0u8; CHUNK.min(bytes as usize)];
                for at in (0..bytes).step_by(CHUNK) {
                    let part = &mut chunk[..CHUNK.min((bytes - at) as usize)];
                    // SAFETY: the caller's host memory.
                    unsafe {
                        std::ptr::copy_nonoverlapping(
                            from.add(at as usize),
                            part.as_mut_ptr(),
                            part.len(),
                        );
                    }
                    memory.write(to + at, part).map_err(|e| memory_failure(&e))?;
                }
                evidence::uploaded(memory, to, bytes);
            }
            (Side::Host(to), Side::Device(from)) => {
                memory.check(from, bytes).map_err(|e| memory_failure(&e))?;
                let mut chunk = vec![0u8; CHUNK.min(bytes as usize)];
                for at in (0..bytes).step_by(CHUNK) {
                    let part = &mut chunk[..CHUNK.min((bytes - at) as usize)];
                    let read = memory.read(from + at, part).map_err(|e| memory_failure(&e))?;
                    evidence::read(memory, from + at, part);
                    if let Some(first) = read.first_unwritten
                        && !self.told
                    {
                        self.told = true;
                        let left = bytes - at - first;
                        never_written(self.driver, state, self.call, from + at + first, left);
                    }
                    // SAFETY: the caller's host memory.
                    unsafe {
                        std::ptr::copy_nonoverlapping(
                            part.as_ptr(),
                            to.add(at as usize),
                            part.len(),
                        );
                    }
                }
            }
        }
        for (side, writes) in [(src, false), (dst, true)] {
            if let Side::Device(address) = side {
                self.touch(state, address, bytes, writes);
            }
        }
        Ok(())
    }

    fn touch(&self, state: &mut State, address: u64, bytes: u64, writes: bool) {
        if let Some(info) = self.driver.memory.find(address) {
            let from = address - info.base;
            let extent = Extent::Bytes(from..from + bytes);
            state.touch(&self.driver.memory, &self.issued, info.base, extent, writes, self.call);
        }
    }

    /// The host waits for the operation.
    fn wait(self, state: &mut State) {
        let Issued { order, end_ms, .. } = self.issued;
        state.wait_for(&order, end_ms);
    }
}

/// Reports that never-written memory was copied to the host: of the `bytes` bytes from `address`
/// on, at least the first.
fn never_written(driver: &Driver, state: &State, call: &str, address: u64, bytes: u64) {
    if let Some(fault) = driver.memory.origin(address, bytes) {
        return findings::add_fault(fault);
    }
    let Some(info) = driver.memory.find(address) else { return };
    let offset = address - info.base;
    let element = state.allocations.get(&info.base).and_then(|note| note.element.clone());
    let elem_size = element.map_or(1, |(_, size)| size.max(1));
    let index = offset / u64::from(elem_size);
    let message = if elem_size == 1 {
        format!("byte {index} of `{}` is copied to the host but was never written", info.name)
    } else {
        format!("{}[{index}] is copied to the host but was never written", info.name)
    };
    let target = Target {
        name: info.name,
        index: index as i64,
        len: info.size / u64::from(elem_size),
        elem_size,
        address,
    };
    findings::add_finding(FaultKind::Uninitialised, call, message, Some(target));
}

/// A copy in a row. `stream` is `None` for the synchronous functions.
///
/// # Safety
/// Host sides may be read and written for `bytes` bytes.
unsafe fn copy(
    call: &'static str,
    stream: Option<Handle>,
    sides: impl FnOnce(&State) -> Done<(Side, Side)>,
    bytes: usize,
) -> Done {
    let driver = driver()?;
    let mut state = driver.lock();
    state.context()?;
    let handle = stream.map_or(Ok(0), |s| state.stream_handle(s))?;
    if bytes == 0 {
        return Ok(());
    }
    let (dst, src) = sides(&state)?;
    let mut transfer = Transfer::begin(driver, &mut state, call, handle, (dst, src), bytes as u64);
    // SAFETY: the caller's promise.
    unsafe { transfer.run(&mut state, dst, src, bytes as u64) }?;
    // A copy within the device does not hold up the host, not even the synchronous one.
    let both_on_device = matches!((dst, src), (Side::Device(_), Side::Device(_)));
    if stream.is_none() && !both_on_device {
        transfer.wait(&mut state);
    }
    Ok(())
}

pub(crate) unsafe fn cuMemcpyHtoD_v2(dst: DevicePtr, src: *const c_void, bytes: usize) -> Done {
    let sides = |s: &State| Ok((Side::of(s, dst, bytes as u64)?, Side::host(src.cast_mut())?));
    // SAFETY: the caller's host memory.
    unsafe { copy("cuMemcpyHtoD", None, sides, bytes) }
}

pub(crate) unsafe fn cuMemcpyDtoH_v2(dst: *mut c_void, src: DevicePtr, bytes: usize) -> Done {
    let sides = |s: &State| Ok((Side::host(dst)?, Side::of(s, src, bytes as u64)?));
    // SAFETY: the caller's host memory.
    unsafe { copy("cuMemcpyDtoH", None, sides, bytes) }
}

pub(crate) unsafe fn cuMemcpyDtoD_v2(dst: DevicePtr, src: DevicePtr, bytes: usize) -> Done {
    let n = bytes as u64;
    // SAFETY: host sides are blocks of the driver, checked for their size.
    unsafe {
        copy("cuMemcpyDtoD", None, |s| Ok((Side::of(s, dst, n)?, Side::of(s, src, n)?)), bytes)
    }
}

pub(crate) unsafe fn cuMemcpyHtoDAsync_v2(
    dst: DevicePtr,
    src: *const c_void,
    bytes: usize,
    stream: Handle,
) -> Done {
    let sides = |s: &State| Ok((Side::of(s, dst, bytes as u64)?, Side::host(src.cast_mut())?));
    // SAFETY: the caller's host memory.
    unsafe { copy("cuMemcpyHtoDAsync", Some(stream), sides, bytes) }
}

pub(crate) unsafe fn cuMemcpyDtoHAsync_v2(
    dst: *mut c_void,
    src: DevicePtr,
    bytes: usize,
    stream: Handle,
) -> Done {
    let sides = |s: &State| Ok((Side::host(dst)?, Side::of(s, src, bytes as u64)?));
    // SAFETY: the caller's host memory.
    unsafe { copy("cuMemcpyDtoHAsync", Some(stream), sides, bytes) }
}

pub(crate) unsafe fn cuMemcpyDtoDAsync_v2(
    dst: DevicePtr,
    src: DevicePtr,
    bytes: usize,
    stream: Handle,
) -> Done {
    let n = bytes as u64;
    let sides = |s: &State| Ok((Side::of(s, dst, n)?, Side::of(s, src, n)?));
    // SAFETY: host sides are blocks of the driver, checked for their size.
    unsafe { copy("cuMemcpyDtoDAsync", Some(stream), sides, bytes) }
}

/// One side of a 2-D copy: its first byte and the distance of rows.
///
/// # Errors
/// Arrays, rows longer than their distance, and sizes beyond the address range.
fn plane(
    state: &State,
    kind: u32,
    host: *mut c_void,
    device: DevicePtr,
    (x, y, pitch): (usize, usize, usize),
    (width, height): (usize, usize),
) -> Done<(Side, u64)> {
    let pitch = if pitch == 0 { width } else { pitch };
    if height > 1 && x.saturating_add(width) > pitch {
        return Err(Failure::invalid(format!(
            "2-D copy: rows of {} bytes do not fit into a pitch of {pitch} bytes",
            x.saturating_add(width)
        )));
    }
    let first = pitch.checked_mul(y).and_then(|p| p.checked_add(x));
    let all = pitch.checked_mul(height - 1).and_then(|p| p.checked_add(width));
    let (Some(first), Some(all)) = (first, all) else {
        return Err(Failure::invalid("2-D copy: the sizes overflow"));
    };
    let side = match kind {
        memory_type::HOST => Side::host(host)?.add(first as u64),
        memory_type::DEVICE | memory_type::UNIFIED => {
            Side::of(state, device.saturating_add(first as u64), all as u64)?
        }
        _ => return Err(Failure::unsupported("copies from and to CUDA arrays")),
    };
    Ok((side, pitch as u64))
}

/// # Safety
/// The descriptor is null or valid, and its host sides may be read and written.
unsafe fn copy_2d(call: &'static str, copy: *const Copy2d, stream: Option<Handle>) -> Done {
    if copy.is_null() {
        return Err(Failure::invalid("the description of the copy is null"));
    }
    // SAFETY: not null; the caller's promise.
    let c = unsafe { copy.read_unaligned() };
    let driver = driver()?;
    let mut state = driver.lock();
    state.context()?;
    let handle = stream.map_or(Ok(0), |s| state.stream_handle(s))?;
    let size = (c.width_bytes, c.height);
    if size.0 == 0 || size.1 == 0 {
        return Ok(());
    }
    let from = (c.src_x_bytes, c.src_y, c.src_pitch);
    let to = (c.dst_x_bytes, c.dst_y, c.dst_pitch);
    let src_host = c.src_host.cast_mut();
    let (src, src_pitch) = plane(&state, c.src_memory_type, src_host, c.src_device, from, size)?;
    let (dst, dst_pitch) = plane(&state, c.dst_memory_type, c.dst_host, c.dst_device, to, size)?;
    let bytes = (c.width_bytes as u64).saturating_mul(c.height as u64);
    let mut transfer = Transfer::begin(driver, &mut state, call, handle, (dst, src), bytes);
    for row in 0..c.height as u64 {
        let (dst, src) = (dst.add(row * dst_pitch), src.add(row * src_pitch));
        // SAFETY: the caller's promise for each row.
        unsafe { transfer.run(&mut state, dst, src, c.width_bytes as u64) }?;
    }
    if stream.is_none() {
        transfer.wait(&mut state);
    }
    Ok(())
}

pub(crate) unsafe fn cuMemcpy2D_v2(copy: *const Copy2d) -> Done {
    // SAFETY: the caller's descriptor.
    unsafe { copy_2d("cuMemcpy2D", copy, None) }
}

pub(crate) unsafe fn cuMemcpy2DAsync_v2(copy: *const Copy2d, stream: Handle) -> Done {
    // SAFETY: the caller's descriptor.
    unsafe { copy_2d("cuMemcpy2DAsync", copy, Some(stream)) }
}

/// Fills `count` values. Fills do not hold up the host, not even the synchronous ones.
fn fill(
    call: &'static str,
    dst: DevicePtr,
    pattern: &[u8],
    count: usize,
    stream: Option<Handle>,
) -> Done {
    let driver = driver()?;
    let mut state = driver.lock();
    state.context()?;
    let handle = stream.map_or(Ok(0), |s| state.stream_handle(s))?;
    let width = pattern.len() as u64;
    if !dst.is_multiple_of(width) {
        return Err(Failure::invalid(format!("{call}: {dst:#x} is not a multiple of {width}")));
    }
    let Some(bytes) = (count as u64).checked_mul(width) else {
        return Err(Failure::invalid(format!("{call}: {count} values overflow")));
    };
    if bytes == 0 {
        return Ok(());
    }
    match Side::of(&state, dst, bytes)? {
        Side::Device(address) => {
            driver.memory.fill(address, pattern, count as u64).map_err(|e| memory_failure(&e))?;
            evidence::filled(&driver.memory, address, bytes, pattern);
            let ms = memory_ms(driver.device, bytes);
            let issued = state.issue(handle, Engine::Compute, ms);
            let transfer = Transfer { driver, call, issued, told: false };
            transfer.touch(&mut state, address, bytes, true);
        }
        Side::Host(pointer) => {
            for i in 0..count {
                // SAFETY: `Side::of` has checked that the range lies in a live block of host
                // memory.
                unsafe {
                    let at = pointer.add(i * pattern.len());
                    std::ptr::copy_nonoverlapping(pattern.as_ptr(), at, pattern.len());
                }
            }
        }
    }
    Ok(())
}

pub(crate) unsafe fn cuMemsetD8_v2(dst: DevicePtr, value: u8, count: usize) -> Done {
    fill("cuMemsetD8", dst, &[value], count, None)
}

pub(crate) unsafe fn cuMemsetD16_v2(dst: DevicePtr, value: u16, count: usize) -> Done {
    fill("cuMemsetD16", dst, &value.to_le_bytes(), count, None)
}

pub(crate) unsafe fn cuMemsetD32_v2(dst: DevicePtr, value: u32, count: usize) -> Done {
    fill("cuMemsetD32", dst, &value.to_le_bytes(), count, None)
}

pub(crate) unsafe fn cuMemsetD8Async(
    dst: DevicePtr,
    value: u8,
    count: usize,
    stream: Handle,
) -> Done {
    fill("cuMemsetD8Async", dst, &[value], count, Some(stream))
}

pub(crate) unsafe fn cuMemsetD16Async(
    dst: DevicePtr,
    value: u16,
    count: usize,
    stream: Handle,
) -> Done {
    fill("cuMemsetD16Async", dst, &value.to_le_bytes(), count, Some(stream))
}

pub(crate) unsafe fn cuMemsetD32Async(
    dst: DevicePtr,
    value: u32,
    count: usize,
    stream: Handle,
) -> Done {
    fill("cuMemsetD32Async", dst, &value.to_le_bytes(), count, Some(stream))
}
