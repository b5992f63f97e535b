//! The OpenCL of this machine, if there is one, and the order of all platforms.

use std::os::raw::c_void;
use std::sync::OnceLock;

use cl_sys::{
    CL_DEVICE_NOT_FOUND, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_GPU, CL_SUCCESS, cl_device_id,
    cl_device_type, cl_int, cl_platform_id, cl_uint,
};
use emulation::judge;
use emulation::settings::{Wish, wish};
use libloading::Library;

use crate::emulated;
use crate::failure::{Done, Failure};

#[cfg(target_os = "windows")]
const LIBRARY: &str = "OpenCL.dll";
#[cfg(target_os = "macos")]
const LIBRARY: &str = "/System/Library/Frameworks/OpenCL.framework/OpenCL";
#[cfg(not(any(target_os = "windows", target_os = "macos")))]
const LIBRARY: &str = "libOpenCL.so.1";

/// The machine's OpenCL library; `None` where there is none, with `LAB_DEVICE=emulated`, and in a
/// judge's device, where handles are a stranger's.
pub(crate) fn library() -> Option<&'static Library> {
    static REAL: OnceLock<Option<Library>> = OnceLock::new();
    REAL.get_or_init(|| {
        if wish() == Ok(Wish::Emulated) || judge::is_one() {
            return None;
        }
        // SAFETY: loading runs the library's initialisers; under this name it is an OpenCL loader,
        // which expects that.
        let library = unsafe { Library::new(LIBRARY) }.ok()?;
        // It may be the crate `libopencl`, which is these functions again.
        // SAFETY: only whether the name is there.
        let ours = unsafe { library.get::<*const u8>(c"lab_emulated_opencl") }.is_ok();
        (!ours).then_some(library)
    })
    .as_ref()
}

/// True if this machine has an OpenCL platform of its own, beside the emulated one.
pub fn has_opencl() -> bool {
    platforms().is_ok_and(|list| list.len() > 1)
}

/// All platforms, in the order in which the program sees them.
///
/// # Errors
/// `LAB_DEVICE` means nothing, or asks for a GPU that is not there.
pub(crate) fn platforms() -> Done<&'static [usize]> {
    static PLATFORMS: OnceLock<Done<Vec<usize>>> = OnceLock::new();
    let list = PLATFORMS.get_or_init(|| {
        let wish = wish().map_err(Failure::value)?;
        let installed = library().map(installed).unwrap_or_default();
        let those = |gpu| installed.iter().filter(move |p| p.1 == gpu).map(|p| p.0).collect();
        let (with_gpu, others): (Vec<usize>, Vec<usize>) = (those(true), those(false));
        let ours = vec![emulated::PLATFORM];
        match wish {
            Wish::Emulated => Ok(ours),
            Wish::Auto => Ok([with_gpu, ours, others].concat()),
            Wish::Cuda if with_gpu.is_empty() => Err(Failure::new(
                CL_DEVICE_NOT_FOUND,
                "no OpenCL platform with a GPU found (unset LAB_DEVICE to use the emulator)",
            )),
            Wish::Cuda => Ok([with_gpu, others, ours].concat()),
        }
    });
    list.as_deref().map_err(Clone::clone)
}

/// The platforms of a library, with whether they have a GPU or another accelerator.
fn installed(library: &Library) -> Vec<(usize, bool)> {
    type Platforms =
        unsafe extern "system" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
    type Devices = unsafe extern "system" fn(
        cl_platform_id,
        cl_device_type,
        cl_uint,
        *mut cl_device_id,
        *mut cl_uint,
    ) -> cl_int;
    // SAFETY: these are the signatures of the two functions in every version of OpenCL.
    let found = unsafe {
        (library.get::<Platforms>(c"clGetPlatformIDs"), library.get::<Devices>(c"clGetDeviceIDs"))
    };
    let (Ok(platforms), Ok(devices)) = found else { return Vec::new() };
    let mut count = 0;
    // SAFETY: asks for the number only.
    if unsafe { platforms(0, std::ptr::null_mut(), &mut count) } != CL_SUCCESS {
        return Vec::new();
    }
    let mut list: Vec<*mut c_void> = vec![std::ptr::null_mut(); count as usize];
    // SAFETY: room for `count` platforms.
    if unsafe { platforms(count, list.as_mut_ptr(), std::ptr::null_mut()) } != CL_SUCCESS {
        return Vec::new();
    }
    let gpu = CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR;
    let has_gpu = |platform: *mut c_void| {
        let mut count = 0;
        // SAFETY: a platform of this library; asks for the number only.
        let status = unsafe { devices(platform, gpu, 0, std::ptr::null_mut(), &mut count) };
        status == CL_SUCCESS && count > 0
    };
    list.into_iter().map(|platform| (platform as usize, has_gpu(platform))).collect()
}
