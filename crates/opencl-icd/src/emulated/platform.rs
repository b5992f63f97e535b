//! The platform and its device.

use std::os::raw::{c_char, c_void};

use cl_sys::*;

use super::info::{self, Room};
use super::state::{DEVICE, PLATFORM, emulated};
use crate::PLATFORM_NAME;
use crate::failure::{Done, Failure};

const VERSION: &str = "OpenCL 1.2 simt";
const EXTENSIONS: &str = "cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics \
    cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics \
    cl_khr_byte_addressable_store cl_khr_fp64 cl_khr_fp16 cl_khr_int64_base_atomics \
    cl_khr_int64_extended_atomics cl_khr_3d_image_writes \
    cl_intel_required_subgroup_size";
/// Alignment of sub-buffers in bytes.
pub(super) const ALIGNMENT: u64 = 512;
/// Bytes of all arguments of a kernel.
pub(super) const PARAMETERS: usize = 4352;
/// Bytes of a buffer in constant memory.
pub(super) const CONSTANT: u64 = 64 << 10;
/// Most texels of an image along an axis, and most layers of an array.
pub(super) const TEXELS: usize = 16384;
/// Most texels of an image over a buffer.
pub(super) const TEXELS_OVER_BUFFER: usize = 1 << 26;
const PRINTF: usize = 1 << 20;

fn check_platform(platform: cl_platform_id) -> Done {
    if platform as usize == PLATFORM {
        return Ok(());
    }
    Err(Failure::new(CL_INVALID_PLATFORM, "this is not a platform"))
}

pub(super) fn check_device(device: cl_device_id) -> Done {
    if device as usize == DEVICE {
        return Ok(());
    }
    Err(Failure::new(CL_INVALID_DEVICE, "this is not the device of the emulated platform"))
}

pub(crate) unsafe fn clGetPlatformInfo(
    platform: cl_platform_id,
    question: cl_platform_info,
    size: usize,
    at: *mut c_void,
    size_ret: *mut usize,
) -> Done {
    check_platform(platform)?;
    let answer = match question {
        CL_PLATFORM_PROFILE => "FULL_PROFILE",
        CL_PLATFORM_VERSION => VERSION,
        CL_PLATFORM_NAME | CL_PLATFORM_VENDOR => PLATFORM_NAME,
        CL_PLATFORM_EXTENSIONS => EXTENSIONS,
        _ => return Err(Failure::value(format!("platforms have no information {question:#x}"))),
    };
    // SAFETY: the caller's room.
    unsafe { Room { size, at, size_ret }.give(answer) }
}

/// True if the device is of a type.
pub(super) fn is_of_type(device_type: cl_device_type) -> Done<bool> {
    let all = CL_DEVICE_TYPE_DEFAULT
        | CL_DEVICE_TYPE_CPU
        | CL_DEVICE_TYPE_GPU
        | CL_DEVICE_TYPE_ACCELERATOR
        | CL_DEVICE_TYPE_CUSTOM;
    if device_type != CL_DEVICE_TYPE_ALL && (device_type == 0 || device_type & !all != 0) {
        let line = format!("there is no type of devices {device_type:#x}");
        return Err(Failure::new(CL_INVALID_DEVICE_TYPE, line));
    }
    Ok(device_type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT) != 0)
}

pub(crate) unsafe fn clGetDeviceIDs(
    platform: cl_platform_id,
    device_type: cl_device_type,
    num_entries: cl_uint,
    devices: *mut cl_device_id,
    num_devices: *mut cl_uint,
) -> Done {
    check_platform(platform)?;
    emulated()?;
    if !is_of_type(device_type)? {
        return Err(Failure::new(CL_DEVICE_NOT_FOUND, "the emulated device is a GPU"));
    }
    // SAFETY: the caller's out-pointers.
    unsafe { info::give_list(&[DEVICE], num_entries, devices, num_devices) }
}

pub(crate) unsafe fn clRetainDevice(device: cl_device_id) -> Done {
    check_device(device)
}

pub(crate) unsafe fn clReleaseDevice(device: cl_device_id) -> Done {
    check_device(device)
}

pub(crate) unsafe fn clGetDeviceInfo(
    device: cl_device_id,
    question: cl_device_info,
    size: usize,
    at: *mut c_void,
    size_ret: *mut usize,
) -> Done {
    check_device(device)?;
    let emulated = emulated()?;
    let (d, memory) = (emulated.device, emulated.memory.capacity());
    let room = Room { size, at, size_ret };
    let rounding = CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF;
    let floats = rounding | CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_FMA;
    // SAFETY: the caller's room.
    unsafe {
        match question {
            CL_DEVICE_TYPE => room.give(CL_DEVICE_TYPE_GPU),
            CL_DEVICE_VENDOR_ID => room.give(0x5117u32),
            CL_DEVICE_NAME => room.give(format!("{} (emulated)", d.name).as_str()),
            CL_DEVICE_VENDOR => room.give(PLATFORM_NAME),
            CL_DRIVER_VERSION => room.give(env!("CARGO_PKG_VERSION")),
            CL_DEVICE_PROFILE => room.give("FULL_PROFILE"),
            CL_DEVICE_VERSION => room.give(VERSION),
            CL_DEVICE_OPENCL_C_VERSION => room.give("OpenCL C 1.2 simt"),
            CL_DEVICE_EXTENSIONS => room.give(EXTENSIONS),
            CL_DEVICE_PLATFORM => room.give(PLATFORM),
            CL_DEVICE_PARENT_DEVICE => room.give(0usize),
            CL_DEVICE_REFERENCE_COUNT => room.give(1u32),

            CL_DEVICE_MAX_COMPUTE_UNITS => room.give(d.sms),
            CL_DEVICE_MAX_CLOCK_FREQUENCY => room.give(d.clock_mhz),
            CL_DEVICE_ADDRESS_BITS => room.give(64u32),
            CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => room.give(3u32),
            CL_DEVICE_MAX_WORK_ITEM_SIZES => room.give(d.max_block.map(|n| n as usize).as_slice()),
            CL_DEVICE_MAX_WORK_GROUP_SIZE => room.give(d.max_threads_per_block as usize),
            // A work item is a lane: vectors do not make it faster.
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
            | CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_INT
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT
            | CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => room.give(1u32),
            CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF | CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => {
                room.give(1u32)
            }
            CL_DEVICE_SINGLE_FP_CONFIG => room.give(floats | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT),
            CL_DEVICE_DOUBLE_FP_CONFIG => room.give(floats),
            CL_DEVICE_HALF_FP_CONFIG => room.give(floats),

            CL_DEVICE_GLOBAL_MEM_SIZE | CL_DEVICE_MAX_MEM_ALLOC_SIZE => room.give(memory),
            CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => room.give(CL_READ_WRITE_CACHE),
            CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => room.give(128u32),
            CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => room.give(d.l2_bytes),
            CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => room.give(CONSTANT),
            CL_DEVICE_MAX_CONSTANT_ARGS => room.give(9u32),
            CL_DEVICE_LOCAL_MEM_TYPE => room.give(CL_LOCAL),
            CL_DEVICE_LOCAL_MEM_SIZE => room.give(u64::from(d.shared_per_block)),
            CL_DEVICE_MAX_PARAMETER_SIZE => room.give(PARAMETERS),
            CL_DEVICE_MEM_BASE_ADDR_ALIGN => room.give(ALIGNMENT as u32 * 8),
            CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => room.give(128u32),
            CL_DEVICE_PRINTF_BUFFER_SIZE => room.give(PRINTF),
            CL_DEVICE_PROFILING_TIMER_RESOLUTION => room.give(1usize),
            CL_DEVICE_EXECUTION_CAPABILITIES => room.give(CL_EXEC_KERNEL),
            CL_DEVICE_QUEUE_PROPERTIES => {
                room.give(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
            }
            CL_DEVICE_BUILT_IN_KERNELS => room.give(""),

            CL_DEVICE_ENDIAN_LITTLE
            | CL_DEVICE_AVAILABLE
            | CL_DEVICE_COMPILER_AVAILABLE
            | CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => room.give(true),
            // A judge's device has no images.
            CL_DEVICE_IMAGE_SUPPORT => room.give(!emulation::judge::is_one()),
            CL_DEVICE_LINKER_AVAILABLE
            | CL_DEVICE_ERROR_CORRECTION_SUPPORT
            | CL_DEVICE_HOST_UNIFIED_MEMORY => room.give(false),
            CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => room.give(TEXELS_OVER_BUFFER),
            CL_DEVICE_MAX_READ_IMAGE_ARGS => room.give(128u32),
            CL_DEVICE_MAX_WRITE_IMAGE_ARGS => room.give(16u32),
            CL_DEVICE_MAX_SAMPLERS => room.give(16u32),
            CL_DEVICE_PARTITION_MAX_SUB_DEVICES => room.give(0u32),
            CL_DEVICE_IMAGE2D_MAX_WIDTH
            | CL_DEVICE_IMAGE2D_MAX_HEIGHT
            | CL_DEVICE_IMAGE3D_MAX_WIDTH
            | CL_DEVICE_IMAGE3D_MAX_HEIGHT
            | CL_DEVICE_IMAGE3D_MAX_DEPTH
            | CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => room.give(TEXELS),
            CL_DEVICE_PARTITION_AFFINITY_DOMAIN => room.give(0u64),
            CL_DEVICE_PARTITION_PROPERTIES | CL_DEVICE_PARTITION_TYPE => room.give(0isize),
            _ => Err(Failure::value(format!(
                "a device of OpenCL 1.2 has no information {question:#x}"
            ))),
        }
    }
}

pub(crate) unsafe fn clUnloadCompiler() -> Done {
    Ok(())
}

pub(crate) unsafe fn clUnloadPlatformCompiler(platform: cl_platform_id) -> Done {
    check_platform(platform)
}

pub(crate) unsafe fn clGetExtensionFunctionAddress(_name: *mut c_char) -> Done<*mut c_void> {
    // No extension adds a function: null is the answer, not a failure.
    Ok(std::ptr::null_mut())
}

pub(crate) unsafe fn clGetExtensionFunctionAddressForPlatform(
    platform: cl_platform_id,
    _name: *const c_char,
) -> Done<*mut c_void> {
    check_platform(platform)?;
    Ok(std::ptr::null_mut())
}
