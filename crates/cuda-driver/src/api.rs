//! The exported symbols: one table of signatures. Each call goes to the real driver with the
//! signature given here, or to the function of the same name in [`crate::emulated`], and is written
//! to the trace.
//!
//! The table holds every `cu*` function that cust 0.3.2 refers to, and a few more that people reach
//! for (`cuGetErrorName`, pinned memory, pointer attributes). Pointers that a caller passes are
//! taken on trust, as the real driver does; where it would crash on a null pointer, the emulated
//! one returns `CUDA_ERROR_INVALID_VALUE`.
#![allow(non_snake_case)]

use std::os::raw::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use emulation::Symbol;
use emulation::backend::{ABSENT, Chosen, chosen};
use emulation::remote::{Arrived, Parcel};
use wire::ApiCall;

use crate::abi::{Copy2d, DevicePtr, Handle, HostFn, Pointers, SharedOfBlock, Text};
use crate::code;
use crate::failure::{Done, Failure, set_last};
use crate::remote::{self, Cross};
use crate::{emulated, launch_details, names};

/// How a program asks the judge's device for a call: by hand, or as the types of the parameters
/// say.
macro_rules! asked {
    (hand $client:ident $name:ident $($arg:ident)*) => {
        // SAFETY: the caller keeps the contract of the function it called.
        unsafe { remote::program::$name($client, $($arg),*) }
    };
    ($client:ident $name:ident $($arg:ident)*) => {{
        #[allow(unused_mut)]
        let mut sent = Parcel::default();
        // SAFETY: as above.
        $(unsafe { Cross::send($arg, &mut sent) };)*
        #[allow(unused_mut, unused_variables)]
        remote::program::ask($client, stringify!($name), sent).and_then(|mut back| {
            // SAFETY: as above.
            $(unsafe { Cross::receive($arg, &mut back) }.ok_or_else(remote::program::gone)?;)*
            Ok(())
        })
    }};
}

/// How the judge's device makes a call that was asked for.
macro_rules! judged {
    (hand $from:ident $to:ident $name:ident $($arg:ident: $ty:ty)*) => {
        remote::judge::$name($from, $to)
    };
    ($from:ident $to:ident $name:ident $($arg:ident: $ty:ty)*) => {{
        $(let mut $arg = <$ty as Cross>::slot($from)?;)*
        // SAFETY: pointers lead to the slots; what is a handle or an address is only looked up.
        let code = unsafe { $name($(<$ty as Cross>::pass(&mut $arg)),*) };
        $(<$ty as Cross>::answer($arg, $to);)*
        Some(code)
    }};
}

macro_rules! driver_api {
    ($( fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(@$hand:ident)? $(=> $detail:expr)?; )*) => {
        $(
            #[unsafe(no_mangle)]
            pub(crate) unsafe extern "C" fn $name($($arg: $ty),*) -> u32 {
                let start = Instant::now();
                let result = match chosen() {
                    Chosen::Real(library) => {
                        static SYMBOL: Symbol = Symbol::new(concat!(stringify!($name), "\0"));
                        match SYMBOL.address(library) {
                            Some(address) => {
                                type Function = unsafe extern "C" fn($($ty),*) -> u32;
                                // SAFETY: the driver's function of this name has this signature.
                                let function: Function = unsafe { std::mem::transmute(address) };
                                // SAFETY: the caller keeps the contract of the function it called.
                                from_driver(unsafe { function($($arg),*) })
                            }
                            None => Err(missing(stringify!($name))),
                        }
                    }
                    Chosen::Absent => Err(Failure::new(code::NO_DEVICE, ABSENT)),
                    // SAFETY: the caller keeps the contract of the function it called.
                    Chosen::Emulated => served(|| unsafe { emulated::$name($($arg),*) }),
                    Chosen::Judge(client) => {
                        let done = asked!($($hand)? client $name $($arg)*);
                        return finish(stringify!($name), done);
                    }
                    Chosen::Misnamed(line) => Err(Failure::invalid(line.clone())),
                };
                let result = finish(stringify!($name), result);
                #[allow(unused_mut, unused_assignments)]
                let mut detail: Option<&dyn Fn(&mut ApiCall)> = None;
                $(
                    let closure = $detail;
                    detail = Some(&closure);
                )?
                names::record(stringify!($name), start, result, |call| {
                    if let Some(detail) = detail {
                        detail(call);
                    }
                });
                result
            }
        )*

        /// The judge's side: makes the call that was asked for, on what has crossed; `None` if it
        /// is no such call.
        pub(crate) fn serve(name: &str, from: &mut Arrived, to: &mut Parcel) -> Option<u32> {
            match name {
                $(stringify!($name) => judged!($($hand)? from to $name $($arg: $ty)*),)*
                _ => None,
            }
        }

        /// Names of all exported symbols.
        pub const SYMBOLS: &[&str] = &[$(stringify!($name)),*];
    };
}

pub(crate) fn from_driver(raw: u32) -> Done {
    match code::known(raw) {
        code::SUCCESS => Ok(()),
        known if known == raw => Err(Failure::code(raw)),
        known => Err(Failure::new(
            known,
            format!("the driver returned the code {raw}, which is newer than CUDA 11.4"),
        )),
    }
}

fn missing(symbol: &str) -> Failure {
    Failure::new(
        code::NOT_SUPPORTED,
        format!("the installed CUDA driver has no function `{symbol}`"),
    )
}

/// Runs a function of the emulated driver. A panic in it must not cross the border, which would end
/// the process.
pub(crate) fn served<T>(f: impl FnOnce() -> Done<T>) -> Done<T> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Err(Failure::new(
            code::UNKNOWN,
            format!("the emulated driver failed, please report it: {text}"),
        ))
    })
}

pub(crate) fn finish(symbol: &str, result: Done) -> u32 {
    match result {
        Ok(()) => code::SUCCESS,
        Err(failure) => {
            let code = failure.code;
            set_last(names::plain_name(symbol), failure);
            code
        }
    }
}

/// The first device's name; empty if it cannot be found out.
fn first_device() -> String {
    let Chosen::Real(library) = chosen() else {
        return crate::device_model().map_or_else(|_| String::new(), |d| d.name.to_owned());
    };
    type Name = unsafe extern "C" fn(*mut c_char, c_int, c_int) -> u32;
    let mut name = [0u8; 256];
    // SAFETY: the driver's function of this name has this signature.
    let Ok(get) = (unsafe { library.get::<Name>(c"cuDeviceGetName") }) else {
        return String::new();
    };
    // SAFETY: room for 256 characters.
    if unsafe { get(name.as_mut_ptr().cast(), name.len() as c_int, 0) } != code::SUCCESS {
        return String::new();
    }
    let end = name.iter().position(|c| *c == 0).unwrap_or(0);
    String::from_utf8_lossy(&name[..end]).into_owned()
}

/// What a successful call wrote through an out-pointer; `None` if it failed or wrote nowhere.
fn written<T: Copy>(call: &ApiCall, at: *const T) -> Option<T> {
    // SAFETY: a successful call has written through its non-null out-pointer.
    (call.ok() && !at.is_null()).then(|| unsafe { at.read_unaligned() })
}

fn on_stream(call: &mut ApiCall, stream: Handle) {
    call.stream = names::stream_number(stream as usize);
}

fn allocated(call: &mut ApiCall, at: *const DevicePtr, bytes: usize) {
    call.bytes = Some(bytes as u64);
    call.address = written(call, at);
}

fn moved(call: &mut ApiCall, stream: Handle, device: DevicePtr, bytes: usize) {
    on_stream(call, stream);
    call.address = Some(device);
    call.bytes = Some(bytes as u64);
}

fn copied_2d(call: &mut ApiCall, stream: Handle, copy: *const Copy2d) {
    on_stream(call, stream);
    if !copy.is_null() {
        // SAFETY: the caller passes a descriptor or null.
        let copy = unsafe { copy.read_unaligned() };
        call.bytes = Some(copy.width_bytes.saturating_mul(copy.height) as u64);
    }
}

fn new_stream(call: &mut ApiCall, at: *const Handle) {
    if let Some(stream) = written(call, at) {
        names::add_stream(stream as usize);
        on_stream(call, stream);
    }
}

fn with_event(call: &mut ApiCall, event: Handle) {
    call.event = names::event_number(event as usize);
}

fn new_function(call: &mut ApiCall, at: *const Handle, name: Text) {
    if let (Some(function), false) = (written(call, at), name.is_null()) {
        // SAFETY: the name ends in NUL, as the caller promises.
        let name = unsafe { std::ffi::CStr::from_ptr(name) }.to_string_lossy().into_owned();
        names::add_kernel(function as usize, name);
    }
}

const DEFAULT: Handle = std::ptr::null_mut();

driver_api! {
    // The driver and its errors
    fn cuInit(flags: u32)
        => |c: &mut ApiCall| {
            if c.ok() {
                emulation::trace::set_device(first_device);
            }
        };
    fn cuDriverGetVersion(version: *mut i32);
    fn cuGetErrorName(error: u32, text: *mut Text) @hand;
    fn cuGetErrorString(error: u32, text: *mut Text) @hand;

    // Devices
    fn cuDeviceGet(device: *mut i32, ordinal: i32);
    fn cuDeviceGetCount(count: *mut i32);
    fn cuDeviceGetName(name: *mut c_char, len: i32, device: i32) @hand;
    fn cuDeviceGetAttribute(value: *mut i32, attribute: i32, device: i32);
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: i32);
    fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: i32);
    fn cuDevicePrimaryCtxRelease_v2(device: i32);
    fn cuDevicePrimaryCtxReset_v2(device: i32);
    fn cuDevicePrimaryCtxSetFlags_v2(device: i32, flags: u32);

    // Contexts
    fn cuCtxCreate_v2(context: *mut Handle, flags: u32, device: i32);
    fn cuCtxDestroy_v2(context: Handle);
    fn cuCtxGetApiVersion(context: Handle, version: *mut u32);
    fn cuCtxGetCurrent(context: *mut Handle);
    fn cuCtxSetCurrent(context: Handle);
    fn cuCtxPushCurrent_v2(context: Handle);
    fn cuCtxPopCurrent_v2(context: *mut Handle);
    fn cuCtxGetDevice(device: *mut i32);
    fn cuCtxGetFlags(flags: *mut u32);
    fn cuCtxGetLimit(value: *mut usize, limit: i32);
    fn cuCtxSetLimit(limit: i32, value: usize);
    fn cuCtxGetCacheConfig(config: *mut i32);
    fn cuCtxSetCacheConfig(config: i32);
    fn cuCtxGetSharedMemConfig(config: *mut i32);
    fn cuCtxSetSharedMemConfig(config: i32);
    fn cuCtxGetStreamPriorityRange(least: *mut i32, greatest: *mut i32);
    fn cuCtxSynchronize();
    fn cuCtxEnablePeerAccess(peer: Handle, flags: u32);

    // Modules and functions
    fn cuModuleLoad(module: *mut Handle, file: Text) @hand;
    fn cuModuleLoadData(module: *mut Handle, image: *const c_void) @hand;
    fn cuModuleLoadDataEx(
        module: *mut Handle, image: *const c_void, count: u32, options: *mut i32, values: Pointers
    ) @hand;
    fn cuModuleUnload(module: Handle);
    fn cuModuleGetFunction(function: *mut Handle, module: Handle, name: Text)
        => move |c: &mut ApiCall| new_function(c, function, name);
    fn cuModuleGetGlobal_v2(address: *mut DevicePtr, bytes: *mut usize, module: Handle, name: Text)
        => move |c: &mut ApiCall| {
            c.bytes = written(c, bytes).map(|b| b as u64);
            c.address = written(c, address);
        };
    fn cuFuncGetAttribute(value: *mut i32, attribute: i32, function: Handle);
    fn cuFuncSetAttribute(function: Handle, attribute: i32, value: i32);
    fn cuFuncSetCacheConfig(function: Handle, config: i32);
    fn cuFuncSetSharedMemConfig(function: Handle, config: i32);
    fn cuLinkCreate_v2(count: u32, options: *mut i32, values: Pointers, state: *mut Handle);
    fn cuLinkAddData_v2(
        state: Handle, kind: i32, data: *mut c_void, size: usize, name: Text, count: u32,
        options: *mut i32, values: Pointers,
    );
    fn cuLinkComplete(state: Handle, image: *mut *mut c_void, size: *mut usize);
    fn cuLinkDestroy(state: Handle);

    // Launches
    fn cuLaunchKernel(
        function: Handle, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32,
        block_z: u32, shared: u32, stream: Handle, params: Pointers, extra: Pointers,
    ) @hand => move |c: &mut ApiCall| {
        on_stream(c, stream);
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        c.launch = Some(
            // SAFETY: the caller's arguments, which the launch has read.
            unsafe { launch_details::describe(function, grid, block, shared, params, extra) },
        );
    };
    fn cuLaunchHostFunc(stream: Handle, function: HostFn, data: *mut c_void) @hand
        => move |c: &mut ApiCall| on_stream(c, stream);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut i32, function: Handle, threads: i32, shared: usize
    );
    fn cuOccupancyMaxPotentialBlockSize(
        min_grid: *mut i32, threads: *mut i32, function: Handle, shared_of: SharedOfBlock,
        shared: usize, limit: i32,
    ) @hand;
    fn cuOccupancyAvailableDynamicSMemPerBlock(
        shared: *mut usize, function: Handle, blocks: i32, threads: i32
    );

    // Memory
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    fn cuMemAlloc_v2(address: *mut DevicePtr, bytes: usize)
        => move |c: &mut ApiCall| allocated(c, address, bytes);
    fn cuMemAllocPitch_v2(
        address: *mut DevicePtr, pitch: *mut usize, width: usize, height: usize, element: u32
    )
        => move |c: &mut ApiCall| {
            let pitch = written(c, pitch).unwrap_or(width);
            allocated(c, address, pitch.saturating_mul(height));
        };
    fn cuMemAllocManaged(address: *mut DevicePtr, bytes: usize, flags: u32) @hand
        => move |c: &mut ApiCall| allocated(c, address, bytes);
    fn cuMemAllocAsync(address: *mut DevicePtr, bytes: usize, stream: Handle)
        => move |c: &mut ApiCall| {
            allocated(c, address, bytes);
            on_stream(c, stream);
        };
    fn cuMemFree_v2(address: DevicePtr)
        => move |c: &mut ApiCall| c.address = Some(address);
    fn cuMemFreeAsync(address: DevicePtr, stream: Handle)
        => move |c: &mut ApiCall| {
            c.address = Some(address);
            on_stream(c, stream);
        };
    fn cuMemAllocHost_v2(address: *mut *mut c_void, bytes: usize) @hand
        => move |c: &mut ApiCall| c.bytes = Some(bytes as u64);
    fn cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, flags: u32) @hand
        => move |c: &mut ApiCall| c.bytes = Some(bytes as u64);
    fn cuMemFreeHost(address: *mut c_void);
    fn cuMemHostRegister_v2(address: *mut c_void, bytes: usize, flags: u32) @hand
        => move |c: &mut ApiCall| c.bytes = Some(bytes as u64);
    fn cuMemHostUnregister(address: *mut c_void);
    fn cuMemHostGetDevicePointer_v2(device: *mut DevicePtr, address: *mut c_void, flags: u32);
    fn cuMemAdvise(address: DevicePtr, bytes: usize, advice: i32, device: i32)
        => move |c: &mut ApiCall| c.bytes = Some(bytes as u64);
    fn cuMemPrefetchAsync(address: DevicePtr, bytes: usize, device: i32, stream: Handle)
        => move |c: &mut ApiCall| moved(c, stream, address, bytes);
    fn cuPointerGetAttribute(value: *mut c_void, attribute: i32, address: DevicePtr) @hand;

    // Copies and fills
    fn cuMemcpyHtoD_v2(dst: DevicePtr, src: *const c_void, bytes: usize) @hand
        => move |c: &mut ApiCall| moved(c, DEFAULT, dst, bytes);
    fn cuMemcpyDtoH_v2(dst: *mut c_void, src: DevicePtr, bytes: usize) @hand
        => move |c: &mut ApiCall| moved(c, DEFAULT, src, bytes);
    fn cuMemcpyDtoD_v2(dst: DevicePtr, src: DevicePtr, bytes: usize)
        => move |c: &mut ApiCall| moved(c, DEFAULT, dst, bytes);
    fn cuMemcpyHtoDAsync_v2(dst: DevicePtr, src: *const c_void, bytes: usize, stream: Handle) @hand
        => move |c: &mut ApiCall| moved(c, stream, dst, bytes);
    fn cuMemcpyDtoHAsync_v2(dst: *mut c_void, src: DevicePtr, bytes: usize, stream: Handle) @hand
        => move |c: &mut ApiCall| moved(c, stream, src, bytes);
    fn cuMemcpyDtoDAsync_v2(dst: DevicePtr, src: DevicePtr, bytes: usize, stream: Handle)
        => move |c: &mut ApiCall| moved(c, stream, dst, bytes);
    fn cuMemcpy2D_v2(copy: *const Copy2d) @hand
        => move |c: &mut ApiCall| copied_2d(c, DEFAULT, copy);
    fn cuMemcpy2DAsync_v2(copy: *const Copy2d, stream: Handle) @hand
        => move |c: &mut ApiCall| copied_2d(c, stream, copy);
    fn cuMemsetD8_v2(dst: DevicePtr, value: u8, count: usize)
        => move |c: &mut ApiCall| moved(c, DEFAULT, dst, count);
    fn cuMemsetD16_v2(dst: DevicePtr, value: u16, count: usize)
        => move |c: &mut ApiCall| moved(c, DEFAULT, dst, count.saturating_mul(2));
    fn cuMemsetD32_v2(dst: DevicePtr, value: u32, count: usize)
        => move |c: &mut ApiCall| moved(c, DEFAULT, dst, count.saturating_mul(4));
    fn cuMemsetD8Async(dst: DevicePtr, value: u8, count: usize, stream: Handle)
        => move |c: &mut ApiCall| moved(c, stream, dst, count);
    fn cuMemsetD16Async(dst: DevicePtr, value: u16, count: usize, stream: Handle)
        => move |c: &mut ApiCall| moved(c, stream, dst, count.saturating_mul(2));
    fn cuMemsetD32Async(dst: DevicePtr, value: u32, count: usize, stream: Handle)
        => move |c: &mut ApiCall| moved(c, stream, dst, count.saturating_mul(4));

    // Streams and events
    fn cuStreamCreate(stream: *mut Handle, flags: u32)
        => move |c: &mut ApiCall| new_stream(c, stream);
    fn cuStreamCreateWithPriority(stream: *mut Handle, flags: u32, priority: i32)
        => move |c: &mut ApiCall| new_stream(c, stream);
    fn cuStreamDestroy_v2(stream: Handle)
        => move |c: &mut ApiCall| on_stream(c, stream);
    fn cuStreamGetFlags(stream: Handle, flags: *mut u32)
        => move |c: &mut ApiCall| on_stream(c, stream);
    fn cuStreamGetPriority(stream: Handle, priority: *mut i32)
        => move |c: &mut ApiCall| on_stream(c, stream);
    fn cuStreamQuery(stream: Handle)
        => move |c: &mut ApiCall| on_stream(c, stream);
    fn cuStreamSynchronize(stream: Handle)
        => move |c: &mut ApiCall| on_stream(c, stream);
    fn cuStreamWaitEvent(stream: Handle, event: Handle, flags: u32)
        => move |c: &mut ApiCall| {
            on_stream(c, stream);
            with_event(c, event);
        };
    fn cuEventCreate(event: *mut Handle, flags: u32)
        => move |c: &mut ApiCall| {
            if let Some(event) = written(c, event) {
                names::add_event(event as usize);
                with_event(c, event);
            }
        };
    fn cuEventDestroy_v2(event: Handle)
        => move |c: &mut ApiCall| {
            with_event(c, event);
            names::remove_event(event as usize);
        };
    fn cuEventRecord(event: Handle, stream: Handle)
        => move |c: &mut ApiCall| {
            with_event(c, event);
            on_stream(c, stream);
        };
    fn cuEventQuery(event: Handle)
        => move |c: &mut ApiCall| with_event(c, event);
    fn cuEventSynchronize(event: Handle)
        => move |c: &mut ApiCall| with_event(c, event);
    fn cuEventElapsedTime(ms: *mut f32, start: Handle, end: Handle)
        => move |c: &mut ApiCall| {
            with_event(c, end);
            c.start_event = names::event_number(start as usize);
        };

    // Not served by the emulated device: arrays, textures, surfaces, graphs, memory of other
    // programs
    fn cuArray3DCreate_v2(array: *mut Handle, descriptor: *const c_void);
    fn cuArray3DGetDescriptor_v2(descriptor: *mut c_void, array: Handle);
    fn cuArrayDestroy(array: Handle);
    fn cuMemcpyAtoH_v2(dst: *mut c_void, src: Handle, offset: usize, bytes: usize);
    fn cuMemcpyHtoA_v2(dst: Handle, offset: usize, src: *const c_void, bytes: usize);
    fn cuTexObjectCreate(
        texture: *mut u64, resource: *const c_void, description: *const c_void, view: *const c_void,
    );
    fn cuTexObjectDestroy(texture: u64);
    fn cuTexObjectGetResourceDesc(description: *mut c_void, texture: u64);
    fn cuTexObjectGetResourceViewDesc(description: *mut c_void, texture: u64);
    fn cuSurfObjectCreate(surface: *mut u64, resource: *const c_void);
    fn cuSurfObjectDestroy(surface: u64);
    fn cuSurfObjectGetResourceDesc(description: *mut c_void, surface: u64);
    fn cuGraphCreate(graph: *mut Handle, flags: u32);
    fn cuGraphDestroy(graph: Handle);
    fn cuGraphAddKernelNode(
        node: *mut Handle, graph: Handle, dependencies: *const Handle, count: usize,
        params: *const c_void,
    );
    fn cuGraphKernelNodeGetParams(node: Handle, params: *mut c_void);
    fn cuGraphNodeGetType(node: Handle, kind: *mut i32);
    fn cuGraphGetNodes(graph: Handle, nodes: *mut Handle, count: *mut usize);
    fn cuGraphGetEdges(graph: Handle, from: *mut Handle, to: *mut Handle, count: *mut usize);
    fn cuGraphDebugDotPrint(graph: Handle, path: Text, flags: u32);
    fn cuImportExternalMemory(memory: *mut Handle, description: *const c_void);
    fn cuExternalMemoryGetMappedBuffer(
        address: *mut DevicePtr, memory: Handle, description: *const c_void
    );
    fn cuDestroyExternalMemory(memory: Handle);
}

/// Exported functions that the installed driver lacks; empty on the emulated device, which serves
/// or refuses all.
pub fn missing_symbols() -> Vec<&'static str> {
    let Chosen::Real(library) = chosen() else { return Vec::new() };
    let absent = |name: &&str| {
        // SAFETY: only whether the address exists is asked.
        unsafe { library.get::<*const c_void>(name.as_bytes()) }.is_err()
    };
    SYMBOLS.iter().copied().filter(absent).collect()
}
