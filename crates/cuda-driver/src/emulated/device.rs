//! The driver itself and its one device: names, attributes, error texts.

use std::os::raw::c_char;

use simt::device::DeviceModel;

use super::state::{driver, give};
use crate::abi::Text;
use crate::code;
use crate::failure::{Done, Failure};

/// The version of CUDA whose behaviour is followed: 13.0.
const VERSION: i32 = 13_000;

pub(crate) unsafe fn cuInit(flags: u32) -> Done {
    if flags != 0 {
        return Err(Failure::invalid(format!("cuInit: flags must be 0, not {flags}")));
    }
    driver()?.lock().initialised = true;
    Ok(())
}

pub(crate) unsafe fn cuDriverGetVersion(version: *mut i32) -> Done {
    // SAFETY: the caller's out-pointer.
    unsafe { give(version, VERSION) }
}

pub(crate) unsafe fn cuGetErrorName(error: u32, text: *mut Text) -> Done {
    let name = code::name_with_nul(error).ok_or_else(|| Failure::code(code::INVALID_VALUE))?;
    // SAFETY: the caller's out-pointer; the text is static and ends in NUL.
    unsafe { give(text, name.as_ptr().cast()) }
}

pub(crate) unsafe fn cuGetErrorString(error: u32, text: *mut Text) -> Done {
    let meaning = code::text_with_nul(error).ok_or_else(|| Failure::code(code::INVALID_VALUE))?;
    // SAFETY: the caller's out-pointer; the text is static and ends in NUL.
    unsafe { give(text, meaning.as_ptr().cast()) }
}

pub(super) fn check_device(device: i32) -> Done {
    driver()?.lock().ready()?;
    if device == 0 {
        return Ok(());
    }
    Err(Failure::new(
        code::INVALID_DEVICE,
        format!("there is one emulated device, number 0, and no {device}"),
    ))
}

pub(crate) unsafe fn cuDeviceGet(device: *mut i32, ordinal: i32) -> Done {
    check_device(ordinal)?;
    // SAFETY: the caller's out-pointer.
    unsafe { give(device, ordinal) }
}

pub(crate) unsafe fn cuDeviceGetCount(count: *mut i32) -> Done {
    check_device(0)?;
    // SAFETY: the caller's out-pointer.
    unsafe { give(count, 1) }
}

pub(crate) unsafe fn cuDeviceGetName(name: *mut c_char, len: i32, device: i32) -> Done {
    check_device(device)?;
    if name.is_null() || len < 1 {
        return Err(Failure::invalid("cuDeviceGetName: no room for the name"));
    }
    let full = format!("{} (emulated)", driver()?.device.name);
    let bytes = &full.as_bytes()[..full.len().min(len as usize - 1)];
    // SAFETY: the caller gives room for `len` bytes, of which at most `len` are written with the
    // NUL.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), name.cast(), bytes.len());
        name.add(bytes.len()).write(0);
    }
    Ok(())
}

pub(crate) unsafe fn cuDeviceTotalMem_v2(bytes: *mut usize, device: i32) -> Done {
    check_device(device)?;
    // SAFETY: the caller's out-pointer.
    unsafe { give(bytes, driver()?.memory.capacity() as usize) }
}

pub(crate) unsafe fn cuDeviceGetAttribute(value: *mut i32, attribute: i32, device: i32) -> Done {
    check_device(device)?;
    let found = attribute_of(driver()?.device, attribute).ok_or_else(|| {
        Failure::invalid(format!("the emulated device has no attribute {attribute}"))
    })?;
    // SAFETY: the caller's out-pointer.
    unsafe { give(value, found) }
}

/// Value of a `CUdevice_attribute`; `None` for numbers that CUDA 11.4 does not know. What the
/// emulated device does not have (textures, links to other devices) is 0.
fn attribute_of(d: &DeviceModel, attribute: i32) -> Option<i32> {
    let threads_per_sm = d.max_warps_per_sm * 32;
    let value = match attribute {
        1 => d.max_threads_per_block,
        2..=4 => d.max_block[attribute as usize - 2],
        5..=7 => d.max_grid[attribute as usize - 5],
        8 => d.shared_per_block,
        9 => 64 << 10, // constant memory
        10 => 32,      // lanes of a warp
        11 => i32::MAX as u32,
        12 => d.regs_per_sm.min(1 << 16),
        13 => d.clock_mhz * 1000,
        14 | 30 => 512, // alignment of textures and surfaces
        15 => 1,        // copies overlap with kernels
        16 => d.sms,
        19 => 1, // host memory can be mapped
        31 => 1, // concurrent kernels
        32 => 0, // error-correcting memory: nothing to correct
        36 => d.memory_clock_mhz * 1000,
        37 => d.bus_bits,
        38 => d.l2_bytes.min(i32::MAX as u64) as u32,
        39 => threads_per_sm,
        40 => 2, // copy engines
        41 => 1, // unified addressing
        51 => 32,
        75 => d.cc.0,
        76 => d.cc.1,
        78 => 1,      // stream priorities
        79 | 80 => 1, // the first-level cache holds global and local memory
        81 => d.shared_per_sm,
        82 => d.regs_per_sm,
        83 => 1, // managed memory
        87 => d.f32_per_sm / d.f64_per_sm.max(1),
        95 => 1, // cooperative launches
        97 => d.shared_per_block_optin,
        99 => 1, // host memory can be registered
        106 => d.max_blocks_per_sm,
        111 => d.shared_reserved,
        115 => 1, // stream-ordered allocation
        0 | i32::MIN..0 | 121.. => return None,
        _ => 0,
    };
    Some(value.min(i32::MAX as u32) as i32)
}

#[cfg(test)]
mod tests {
    use cust_raw::CUdevice_attribute as A;

    use super::*;

    #[test]
    fn attributes_are_those_of_the_model() {
        let d = simt::device::model("h200").unwrap();
        let get = |a: A| attribute_of(d, a as i32).unwrap();
        assert_eq!(get(A::CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
        assert_eq!(get(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 132);
        assert_eq!(get(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 9);
        assert_eq!(get(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), 0);
        assert_eq!(get(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
        assert_eq!(get(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z), 64);
        assert_eq!(get(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), i32::MAX);
        assert_eq!(get(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR), 2048);
        assert_eq!(get(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK), 48 << 10);
        assert_eq!(get(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), 227 << 10);
        assert_eq!(get(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR), 32);
        assert_eq!(get(A::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY), 1);
        assert_eq!(attribute_of(d, 0), None);
        assert_eq!(attribute_of(d, 121), None);
    }
}
