//! Launches that may begin before the kernel in front of them in the stream has ended (programmatic
//! dependent launch), which cust 0.3.2 does not know.

use std::os::raw::c_void;
use std::time::Instant;

use emulation::Symbol;
use emulation::backend::{Chosen, chosen};

use crate::abi::Handle;
use crate::{api, launch_details, names};

/// `CUlaunchAttribute`.
#[repr(C)]
struct Attribute {
    id: u32,
    unused: u32,
    value: [u32; 16],
}

/// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`.
const EARLY: u32 = 6;

/// `CUlaunchConfig`.
#[repr(C)]
struct Config {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: Handle,
    attributes: *mut Attribute,
    count: u32,
}

type Launch = unsafe extern "C" fn(
    config: *const Config,
    function: Handle,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> u32;

/// As `cuLaunchKernel`, but blocks may start as soon as all blocks of the kernel in front of this
/// one in the stream have executed `griddepcontrol.launch_dependents` or ended. The kernel must
/// execute `griddepcontrol.wait` before it touches what that one writes, or reads for the last
/// time. Takes a device of compute capability 9.0; what is no GPU, or has an older driver, launches
/// as ever.
///
/// # Safety
/// As for `cuLaunchKernel`.
pub unsafe fn launch_early(
    function: *mut c_void,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: *mut c_void,
    params: *mut *mut c_void,
) -> u32 {
    static SYMBOL: Symbol = Symbol::new("cuLaunchKernelEx\0");
    let extra = std::ptr::null_mut();
    let found = match chosen() {
        Chosen::Real(library) => SYMBOL.address(library),
        _ => None,
    };
    let Some(address) = found else {
        let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
        // SAFETY: the caller's contract.
        return unsafe {
            api::cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared, stream, params, extra)
        };
    };
    let start = Instant::now();
    let mut early = Attribute { id: EARLY, unused: 0, value: [0; 16] };
    early.value[0] = 1;
    let config = Config { grid, block, shared, stream, attributes: &raw mut early, count: 1 };
    // SAFETY: the driver's function of this name has this signature.
    let launch: Launch = unsafe { std::mem::transmute(address) };
    // SAFETY: the caller's contract; the configuration lives during the call.
    let result = api::from_driver(unsafe { launch(&raw const config, function, params, extra) });
    let result = api::finish("cuLaunchKernelEx", result);
    names::record("cuLaunchKernelEx", start, result, |call| {
        call.stream = names::stream_number(stream as usize);
        // SAFETY: the caller's arguments, which the launch has read.
        let details =
            unsafe { launch_details::describe(function, grid, block, shared, params, extra) };
        call.launch = Some(details);
    });
    result
}
