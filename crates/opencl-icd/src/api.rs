//! The exported symbols: one table of signatures. After `on` stands the object that decides who
//! serves the call: the emulated platform, in the function of the same name in [`crate::emulated`],
//! or the machine's own OpenCL library. After `beside` stands what must not be an object of the
//! emulated platform if the machine's library is called, because it would take it for a pointer.
//!
//! The table holds every function that cl-sys 0.4.3 declares, those of OpenCL 2.1 and of OpenGL
//! sharing too. `status` functions return their status, `object` functions have one more parameter
//! for it, `pointer` functions return null on failure; what is `refused` exists, and the emulated
//! platform says that it does not have it; what is `local` a judge's device refuses.
#![allow(non_snake_case, clippy::too_many_arguments)]

use std::os::raw::{c_char, c_uchar, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use cl_sys::*;
use emulation::remote::{Arrived, Parcel};
use emulation::{Symbol, calls};
use libloading::Library;
use wire::ApiCall;
use wire::channel::{self, Client};

use crate::code::status_name;
use crate::emulated::{self, ours};
use crate::failure::{Done, Failure, set_last};
use crate::notify::{ContextNotify, EventNotify, Notify};
use crate::real;
use crate::remote::crossed::Crossed;
use crate::remote::parameter::Parameter;
use crate::remote::program;

type NativeKernel = Option<unsafe extern "C" fn(*mut c_void)>;
type FreeNotify =
    Option<unsafe extern "C" fn(cl_command_queue, cl_uint, *const *const c_void, *mut c_void)>;

const NONE: *mut c_void = std::ptr::null_mut();

/// Who serves a call.
enum Server {
    Emulated,
    /// The emulated platform in a judge's device.
    Judge(&'static Client),
    Machine(&'static Library),
}

/// Whom an object belongs to. What is no object is left to the emulated platform, which says so.
fn server(object: *mut c_void) -> Server {
    if let Some(client) = channel::client() {
        return Server::Judge(client);
    }
    match real::library() {
        Some(library) if !object.is_null() && !ours(object) => Server::Machine(library),
        _ => Server::Emulated,
    }
}

/// The platform, or the first one for null.
fn platform_or_first(platform: cl_platform_id) -> cl_platform_id {
    if !platform.is_null() {
        return platform;
    }
    let list = real::platforms().unwrap_or_default();
    list.first().map_or(NONE, |first| *first as cl_platform_id)
}

/// The first object of a list; null if there is none.
fn first(list: *const *mut c_void, count: cl_uint) -> *mut c_void {
    if list.is_null() || count == 0 {
        return NONE;
    }
    // SAFETY: the caller passes `count` objects.
    unsafe { list.read_unaligned() }
}

/// True if one of a list is an object of the emulated platform.
fn many(list: *const *mut c_void, count: cl_uint) -> bool {
    // SAFETY: the caller passes `count` objects, or null.
    !list.is_null() && (0..count as usize).any(|i| ours(unsafe { list.add(i).read_unaligned() }))
}

/// The platform that the properties of a context name, or the first one.
fn platform_of(properties: *const cl_context_properties) -> cl_platform_id {
    // SAFETY: the caller's list of pairs, which ends in 0.
    let pairs = unsafe { emulated::pairs(properties) };
    let named = pairs.iter().find(|(key, _)| *key == CL_CONTEXT_PLATFORM as isize);
    platform_or_first(named.map_or(NONE, |(_, platform)| *platform as cl_platform_id))
}

/// True if the bytes of a kernel's argument are an object of the emulated platform.
fn argument(value: *const c_void, size: usize) -> bool {
    if value.is_null() || size != size_of::<*mut c_void>() {
        return false;
    }
    // SAFETY: the caller passes `size` bytes.
    emulated::is_object(unsafe { value.cast::<*mut c_void>().read_unaligned() })
}

fn mixed() -> Failure {
    Failure::new(
        CL_INVALID_CONTEXT,
        "objects of the emulated platform and of another platform in one call: make all of them in \
         one context",
    )
}

fn missing(symbol: &str) -> Failure {
    let line = format!("the installed OpenCL library has no function `{symbol}`");
    Failure::new(CL_INVALID_OPERATION, line)
}

/// Runs a function of the emulated platform. A panic in it must not cross the border, which would
/// end the process.
fn served<T>(f: impl FnOnce() -> Done<T>) -> Done<T> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        let line = format!("the emulated platform failed, please report it: {text}");
        Err(Failure::new(CL_OUT_OF_HOST_MEMORY, line))
    })
}

/// What every call does at its end: the reason of a failure is kept and told to the context, and
/// the call is logged.
fn finish(
    name: &'static str,
    object: *mut c_void,
    start: Instant,
    failure: Option<Failure>,
) -> cl_int {
    let status = failure.as_ref().map_or(CL_SUCCESS, |failure| failure.code);
    // It is asked for again.
    if status == emulated::NOT_YET {
        return status;
    }
    if let Some(failure) = failure {
        emulated::notify(object, name, &failure);
        set_last(name, failure);
    }
    // Questions and reference counts would drown the rest.
    if !["clGet", "clRetain", "clRelease"].iter().any(|quiet| name.starts_with(quiet)) {
        let call = ApiCall {
            name: name.into(),
            result: status as u32,
            result_name: status_name(status).into(),
            ..ApiCall::default()
        };
        calls::add(call, start);
    }
    status
}

/// The end of a call that a judge's device has logged.
fn asked<T>(name: &'static str, result: Done<T>) -> (Option<T>, cl_int) {
    match result {
        Ok(made) => (Some(made), CL_SUCCESS),
        Err(failure) => {
            let status = failure.code;
            set_last(name, failure);
            (None, status)
        }
    }
}

/// How a program asks the judge's device for a call.
macro_rules! ask {
    (local $($call:tt)*) => {
        ask!(refused $($call)*)
    };
    (refused $client:ident $name:ident($($arg:ident: $ty:ty),*)) => {{
        $(let _ = $arg;)*
        // SAFETY: nothing is passed on.
        asked(stringify!($name), unsafe { program::ask($client, stringify!($name), &[]) })
    }};
    (offered $client:ident $name:ident($($arg:ident: $ty:ty),*)) => {{
        let given = [$((stringify!($arg), <$ty>::POINTER, $arg.word())),*];
        // SAFETY: the caller keeps the contract of the function it called.
        asked(stringify!($name), unsafe { program::ask($client, stringify!($name), &given) })
    }};
}

/// How the judge's device makes a call that was asked for: the status, and the object.
macro_rules! judged {
    (local $($call:tt)*) => {
        judged!(refused $($call)*)
    };
    (refused $kind:ident $from:ident $to:ident $name:ident($($arg:ident: $ty:ty),*)) => {{
        let failure = Failure::unsupported(stringify!($name));
        Some((finish(stringify!($name), NONE, Instant::now(), Some(failure)), 0))
    }};
    (offered $kind:ident $from:ident $to:ident $name:ident($($arg:ident: $ty:ty),*)) => {{
        let crossed = Crossed::new(&[$((stringify!($arg), <$ty>::POINTER)),*], $from)?;
        #[allow(unused_mut, unused_variables)]
        let mut words = crossed.arguments();
        $(let $arg = <$ty>::judged(words.next()?);)*
        let (status, object) = judged!($kind $name($($arg),*));
        if status == CL_SUCCESS {
            crossed.give($to);
        }
        Some((status, object))
    }};
    (status $name:ident($($arg:ident),*)) => {
        // SAFETY: pointers lead to memory of ours, as much as the function reads or writes there;
        // what is a handle or an address of the program's is only looked up.
        (unsafe { $name($($arg),*) }, 0)
    };
    (object $name:ident($($arg:ident),*)) => {{
        let mut status = CL_SUCCESS;
        // SAFETY: as above.
        let object = unsafe { $name($($arg,)* &mut status) };
        (status, object as u64)
    }};
    (pointer $name:ident($($arg:ident),*)) => {
        // SAFETY: as above.
        (CL_SUCCESS, unsafe { $name($($arg),*) } as u64)
    };
}

macro_rules! serve {
    (local $($call:tt)*) => {
        serve!(offered $($call)*)
    };
    (refused $name:ident($($arg:ident),*) -> $out:ty) => {{
        $(let _ = $arg;)*
        Err::<$out, Failure>(Failure::unsupported(stringify!($name)))
    }};
    (offered $name:ident($($arg:ident),*) -> $out:ty) => {
        // SAFETY: the caller keeps the contract of the function it called.
        served(|| unsafe { emulated::$name($($arg),*) })
    };
}

/// Calls the function of the machine's library with the given signature, or fails with
/// `$otherwise`.
macro_rules! forward {
    ($library:ident, $name:ident($($arg:ident: $ty:ty),*) -> $out:ty) => {{
        static SYMBOL: Symbol = Symbol::new(concat!(stringify!($name), "\0"));
        SYMBOL.address($library).map(|address| {
            type Function = unsafe extern "system" fn($($ty),*) -> $out;
            // SAFETY: the library's function of this name has this signature.
            let function: Function = unsafe { std::mem::transmute(address) };
            // SAFETY: the caller keeps the contract of the function it called.
            unsafe { function($($arg),*) }
        }).ok_or_else(|| missing(stringify!($name)))
    }};
}

macro_rules! export {
    ($offer:ident status $name:ident($($arg:ident: $ty:ty),*) $handle:expr, $others:expr) => {
        #[unsafe(no_mangle)]
        unsafe extern "system" fn $name($($arg: $ty),*) -> cl_int {
            let (start, object) = (Instant::now(), $handle);
            let failure = match server(object) {
                Server::Judge(client) => return ask!($offer client $name($($arg: $ty),*)).1,
                Server::Emulated => serve!($offer $name($($arg),*) -> ()).err(),
                Server::Machine(_) if $others => Some(mixed()),
                Server::Machine(library) => {
                    match forward!(library, $name($($arg: $ty),*) -> cl_int) {
                        Ok(CL_SUCCESS) => None,
                        Ok(status) => Some(Failure::new(status, "")),
                        Err(failure) => Some(failure),
                    }
                }
            };
            finish(stringify!($name), object, start, failure)
        }
    };
    ($offer:ident object $name:ident($($arg:ident: $ty:ty),*) $handle:expr, $others:expr) => {
        #[unsafe(no_mangle)]
        unsafe extern "system" fn $name($($arg: $ty,)* errcode_ret: *mut cl_int) -> *mut c_void {
            let (start, object) = (Instant::now(), $handle);
            let made: Done<*mut c_void> = match server(object) {
                Server::Judge(client) => {
                    let (made, status) = ask!($offer client $name($($arg: $ty),*));
                    if !errcode_ret.is_null() {
                        // SAFETY: the caller's out-pointer.
                        unsafe { errcode_ret.write_unaligned(status) };
                    }
                    return made.map_or(NONE, |object| object as *mut c_void);
                }
                Server::Emulated => serve!($offer $name($($arg),*) -> *mut c_void),
                Server::Machine(_) if $others => Err(mixed()),
                Server::Machine(library) => {
                    let mut status = CL_SUCCESS;
                    let status_at: *mut cl_int = &mut status;
                    forward!(library, $name($($arg: $ty,)* status_at: *mut cl_int) -> *mut c_void)
                        .and_then(|made| match status {
                            CL_SUCCESS => Ok(made),
                            _ => Err(Failure::new(status, "")),
                        })
                }
            };
            let (made, failure) = match made {
                Ok(made) => (made, None),
                Err(failure) => (NONE, Some(failure)),
            };
            let status = finish(stringify!($name), object, start, failure);
            if !errcode_ret.is_null() {
                // SAFETY: the caller's out-pointer.
                unsafe { errcode_ret.write_unaligned(status) };
            }
            made
        }
    };
    ($offer:ident pointer $name:ident($($arg:ident: $ty:ty),*) $handle:expr, $others:expr) => {
        #[unsafe(no_mangle)]
        unsafe extern "system" fn $name($($arg: $ty),*) -> *mut c_void {
            let (start, object) = (Instant::now(), $handle);
            let found: Done<*mut c_void> = match server(object) {
                Server::Judge(client) => {
                    let made = ask!($offer client $name($($arg: $ty),*)).0;
                    return made.map_or(NONE, |object| object as *mut c_void);
                }
                Server::Emulated => serve!($offer $name($($arg),*) -> *mut c_void),
                Server::Machine(_) if $others => Err(mixed()),
                Server::Machine(library) => forward!(library, $name($($arg: $ty),*) -> *mut c_void),
            };
            let (found, failure) = match found {
                Ok(found) => (found, None),
                Err(failure) => (NONE, Some(failure)),
            };
            finish(stringify!($name), object, start, failure);
            found
        }
    };
}

/// What stands after `beside`; nothing does no harm.
macro_rules! others {
    () => {
        false
    };
    ($others:expr) => {
        $others
    };
}

macro_rules! opencl_api {
    ($( $offer:ident $kind:ident fn $name:ident($($arg:ident: $ty:ty),* $(,)?) on $handle:expr
        $(=> beside $others:expr)?; )*) => {
        $(
            export!($offer $kind $name($($arg: $ty),*) $handle, others!($($others)?));
        )*

        /// The judge's side: makes the call that was asked for, on what has crossed; `None` if it
        /// is no such call.
        pub(crate) fn serve(
            name: &str,
            from: &mut Arrived,
            to: &mut Parcel,
        ) -> Option<(cl_int, u64)> {
            match name {
                "clGetPlatformIDs" => judged!(offered status from to clGetPlatformIDs(
                    num_entries: cl_uint, platforms: *mut cl_platform_id,
                    num_platforms: *mut cl_uint
                )),
                $(stringify!($name) => judged!($offer $kind from to $name($($arg: $ty),*)),)*
                _ => None,
            }
        }

        /// Names of all exported symbols.
        pub const SYMBOLS: &[&str] = &["clGetPlatformIDs", "clSVMFree", $(stringify!($name)),*];
    };
}

/// All platforms: the machine's and the emulated one.
#[unsafe(no_mangle)]
unsafe extern "system" fn clGetPlatformIDs(
    num_entries: cl_uint,
    platforms: *mut cl_platform_id,
    num_platforms: *mut cl_uint,
) -> cl_int {
    let start = Instant::now();
    if let Some(client) = channel::client() {
        return ask!(offered client clGetPlatformIDs(
            num_entries: cl_uint, platforms: *mut cl_platform_id, num_platforms: *mut cl_uint
        ))
        .1;
    }
    let listed = served(|| {
        let list = real::platforms()?;
        // SAFETY: the caller's out-pointers: room for `num_entries` platforms, and for a number.
        unsafe { emulated::give_list(list, num_entries, platforms, num_platforms) }
    });
    finish("clGetPlatformIDs", NONE, start, listed.err())
}

/// Frees shared virtual memory, which only the machine's library can have given.
#[unsafe(no_mangle)]
unsafe extern "system" fn clSVMFree(context: cl_context, svm_pointer: *mut c_void) {
    if let Server::Machine(library) = server(context) {
        let _ = forward!(library, clSVMFree(context: cl_context, svm_pointer: *mut c_void) -> ());
    }
}

opencl_api! {
    // Platforms and devices
    offered status fn clGetPlatformInfo(
        platform: cl_platform_id, param_name: cl_platform_info, param_value_size: usize,
        param_value: *mut c_void, param_value_size_ret: *mut usize,
    ) on platform_or_first(platform);
    offered status fn clGetDeviceIDs(
        platform: cl_platform_id, device_type: cl_device_type, num_entries: cl_uint,
        devices: *mut cl_device_id, num_devices: *mut cl_uint,
    ) on platform_or_first(platform);
    offered status fn clGetDeviceInfo(
        device: cl_device_id, param_name: cl_device_info, param_value_size: usize,
        param_value: *mut c_void, param_value_size_ret: *mut usize,
    ) on device;
    offered status fn clRetainDevice(device: cl_device_id) on device;
    offered status fn clReleaseDevice(device: cl_device_id) on device;

    // Contexts
    offered object fn clCreateContext(
        properties: *const cl_context_properties, num_devices: cl_uint,
        device_list: *const cl_device_id, pfn_notify: ContextNotify, user_data: *mut c_void,
    ) on first(device_list, num_devices) => beside many(device_list, num_devices)
            || ours(platform_of(properties));
    offered object fn clCreateContextFromType(
        properties: *const cl_context_properties, device_type: cl_device_type,
        pfn_notify: ContextNotify, user_data: *mut c_void,
    ) on platform_of(properties);
    offered status fn clRetainContext(context: cl_context) on context;
    offered status fn clReleaseContext(context: cl_context) on context;
    offered status fn clGetContextInfo(
        context: cl_context, param_name: cl_context_info, param_value_size: usize,
        param_value: *mut c_void, param_value_size_ret: *mut usize,
    ) on context;

    // Queues
    offered object fn clCreateCommandQueue(
        context: cl_context, device: cl_device_id, properties: cl_command_queue_properties,
    ) on context => beside ours(device);
    offered status fn clRetainCommandQueue(command_queue: cl_command_queue) on command_queue;
    offered status fn clReleaseCommandQueue(command_queue: cl_command_queue) on command_queue;
    offered status fn clGetCommandQueueInfo(
        command_queue: cl_command_queue, param_name: cl_command_queue_info, param_value_size: usize,
        param_value: *mut c_void, param_value_size_ret: *mut usize,
    ) on command_queue;

    // Memory
    offered object fn clCreateBuffer(
        context: cl_context, flags: cl_mem_flags, size: usize, host_ptr: *mut c_void,
    ) on context;
    offered object fn clCreateSubBuffer(
        buffer: cl_mem, flags: cl_mem_flags, buffer_create_type: cl_buffer_create_type,
        buffer_create_info: *const c_void,
    ) on buffer;
    offered status fn clRetainMemObject(memobj: cl_mem) on memobj;
    offered status fn clReleaseMemObject(memobj: cl_mem) on memobj;
    offered status fn clGetSupportedImageFormats(
        context: cl_context, flags: cl_mem_flags, image_type: cl_mem_object_type,
        num_entries: cl_uint, image_formats: *mut cl_image_format, num_image_formats: *mut cl_uint,
    ) on context;
    offered status fn clGetMemObjectInfo(
        memobj: cl_mem, param_name: cl_mem_info, param_value_size: usize, param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) on memobj;
    offered status fn clSetMemObjectDestructorCallback(
        memobj: cl_mem, pfn_notify: Notify, user_data: *mut c_void,
    ) on memobj;

    // Programs and kernels
    offered object fn clCreateProgramWithSource(
        context: cl_context, count: cl_uint, strings: *const *const c_char, lengths: *const usize,
    ) on context;
    offered object fn clCreateProgramWithBinary(
        context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id,
        lengths: *const usize, binaries: *const *const c_uchar, binary_status: *mut cl_int,
    ) on context => beside many(device_list, num_devices);
    offered status fn clRetainProgram(program: cl_program) on program;
    offered status fn clReleaseProgram(program: cl_program) on program;
    offered status fn clBuildProgram(
        program: cl_program, num_devices: cl_uint, device_list: *const cl_device_id,
        options: *const c_char, pfn_notify: Notify, user_data: *mut c_void,
    ) on program => beside many(device_list, num_devices);
    offered status fn clUnloadCompiler() on platform_or_first(NONE);
    offered status fn clUnloadPlatformCompiler(platform: cl_platform_id) on platform;
    offered status fn clGetProgramInfo(
        program: cl_program, param_name: cl_program_info, param_value_size: usize,
        param_value: *mut c_void, param_value_size_ret: *mut usize,
    ) on program;
    offered status fn clGetProgramBuildInfo(
        program: cl_program, device: cl_device_id, param_name: cl_program_build_info,
        param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize,
    ) on program => beside ours(device);
    offered object fn clCreateKernel(program: cl_program, kernel_name: *const c_char) on program;
    offered status fn clCreateKernelsInProgram(
        program: cl_program, num_kernels: cl_uint, kernels: *mut cl_kernel,
        num_kernels_ret: *mut cl_uint,
    ) on program;
    offered status fn clRetainKernel(kernel: cl_kernel) on kernel;
    offered status fn clReleaseKernel(kernel: cl_kernel) on kernel;
    offered status fn clSetKernelArg(
        kernel: cl_kernel, arg_index: cl_uint, arg_size: usize, arg_value: *const c_void,
    ) on kernel => beside argument(arg_value, arg_size);
    offered status fn clGetKernelInfo(
        kernel: cl_kernel, param_name: cl_kernel_info, param_value_size: usize,
        param_value: *mut c_void, param_value_size_ret: *mut usize,
    ) on kernel;
    offered status fn clGetKernelArgInfo(
        kernel: cl_kernel, arg_indx: cl_uint, param_name: cl_kernel_arg_info,
        param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize,
    ) on kernel;
    offered status fn clGetKernelWorkGroupInfo(
        kernel: cl_kernel, device: cl_device_id, param_name: cl_kernel_work_group_info,
        param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize,
    ) on kernel => beside ours(device);

    // Events
    offered status fn clWaitForEvents(
        num_events: cl_uint, event_list: *const cl_event,
    ) on first(event_list, num_events) => beside many(event_list, num_events);
    offered status fn clGetEventInfo(
        event: cl_event, param_name: cl_event_info, param_value_size: usize,
        param_value: *mut c_void, param_value_size_ret: *mut usize,
    ) on event;
    offered object fn clCreateUserEvent(context: cl_context) on context;
    offered status fn clRetainEvent(event: cl_event) on event;
    offered status fn clReleaseEvent(event: cl_event) on event;
    offered status fn clSetUserEventStatus(event: cl_event, execution_status: cl_int) on event;
    offered status fn clSetEventCallback(
        event: cl_event, command_exec_callback_type: cl_int, pfn_notify: EventNotify,
        user_data: *mut c_void,
    ) on event;
    offered status fn clGetEventProfilingInfo(
        event: cl_event, param_name: cl_profiling_info, param_value_size: usize,
        param_value: *mut c_void, param_value_size_ret: *mut usize,
    ) on event;
    offered status fn clFlush(command_queue: cl_command_queue) on command_queue;
    offered status fn clFinish(command_queue: cl_command_queue) on command_queue;

    // Commands
    offered status fn clEnqueueReadBuffer(
        command_queue: cl_command_queue, buffer: cl_mem, blocking_read: cl_bool, offset: usize,
        cb: usize, ptr: *mut c_void, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(buffer);
    offered status fn clEnqueueReadBufferRect(
        command_queue: cl_command_queue, buffer: cl_mem, blocking_read: cl_bool,
        buffer_origin: *const usize, host_origin: *const usize, region: *const usize,
        buffer_row_pitch: usize, buffer_slc_pitch: usize, host_row_pitch: usize,
        host_slc_pitch: usize, ptr: *mut c_void, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(buffer);
    offered status fn clEnqueueWriteBuffer(
        command_queue: cl_command_queue, buffer: cl_mem, blocking_write: cl_bool, offset: usize,
        cb: usize, ptr: *const c_void, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(buffer);
    offered status fn clEnqueueWriteBufferRect(
        command_queue: cl_command_queue, buffer: cl_mem, blocking_write: cl_bool,
        buffer_origin: *const usize, host_origin: *const usize, region: *const usize,
        buffer_row_pitch: usize, buffer_slc_pitch: usize, host_row_pitch: usize,
        host_slc_pitch: usize, ptr: *const c_void, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(buffer);
    offered status fn clEnqueueFillBuffer(
        command_queue: cl_command_queue, buffer: cl_mem, pattern: *const c_void,
        pattern_size: usize, offset: usize, size: usize, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(buffer);
    offered status fn clEnqueueCopyBuffer(
        command_queue: cl_command_queue, src_buffer: cl_mem, dst_buffer: cl_mem, src_offset: usize,
        dst_offset: usize, cb: usize, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(src_buffer)
            || ours(dst_buffer);
    offered status fn clEnqueueCopyBufferRect(
        command_queue: cl_command_queue, src_buffer: cl_mem, dst_buffer: cl_mem,
        src_origin: *const usize, dst_origin: *const usize, region: *const usize,
        src_row_pitch: usize, src_slc_pitch: usize, dst_row_pitch: usize, dst_slc_pitch: usize,
        num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(src_buffer)
            || ours(dst_buffer);
    offered object fn clEnqueueMapBuffer(
        command_queue: cl_command_queue, buffer: cl_mem, blocking_map: cl_bool,
        map_flags: cl_map_flags, offset: usize, size: usize, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(buffer);
    offered status fn clEnqueueUnmapMemObject(
        command_queue: cl_command_queue, memobj: cl_mem, mapped_ptr: *mut c_void,
        num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(memobj);
    offered status fn clEnqueueMigrateMemObjects(
        command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem,
        flags: cl_mem_migration_flags, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list)
            || many(mem_objects, num_mem_objects);
    offered status fn clEnqueueNDRangeKernel(
        command_queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint,
        global_work_offset: *const usize, global_work_dims: *const usize,
        local_work_dims: *const usize, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(kernel);
    offered status fn clEnqueueTask(
        command_queue: cl_command_queue, kernel: cl_kernel, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(kernel);
    offered status fn clEnqueueMarker(
        command_queue: cl_command_queue, event: *mut cl_event,
    ) on command_queue;
    offered status fn clEnqueueMarkerWithWaitList(
        command_queue: cl_command_queue, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list);
    offered status fn clEnqueueWaitForEvents(
        command_queue: cl_command_queue, num_events: cl_uint, event_list: *mut cl_event,
    ) on command_queue => beside many(event_list, num_events);
    offered status fn clEnqueueBarrierWithWaitList(
        command_queue: cl_command_queue, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list);
    offered status fn clEnqueueBarrier(command_queue: cl_command_queue) on command_queue;
    offered pointer fn clGetExtensionFunctionAddress(
        func_name: *mut c_char,
    ) on platform_or_first(NONE);
    offered pointer fn clGetExtensionFunctionAddressForPlatform(
        platform: cl_platform_id, func_name: *const c_char,
    ) on platform;

    // Not served by the emulated platform: images, sampling, pipes, shared virtual memory, OpenGL,
    // separate compilation
    refused status fn clCreateSubDevices(
        in_device: cl_device_id, properties: *const cl_device_partition_property,
        num_devices: cl_uint, out_devices: *mut cl_device_id, num_devices_ret: *mut cl_uint,
    ) on in_device;
    refused status fn clSetDefaultDeviceCommandQueue(
        context: cl_context, device: cl_device_id, command_queue: cl_command_queue,
    ) on context => beside ours(device) || ours(command_queue);
    refused status fn clGetDeviceAndHostTimer(
        device: cl_device_id, device_timestamp: *mut cl_ulong, host_timestamp: *mut cl_ulong,
    ) on device;
    refused status fn clGetHostTimer(device: cl_device_id, host_timestamp: *mut cl_ulong) on device;
    refused object fn clCreateCommandQueueWithProperties(
        context: cl_context, device: cl_device_id, properties: *const cl_queue_properties,
    ) on context => beside ours(device);
    local object fn clCreateImage2D(
        context: cl_context, flags: cl_mem_flags, image_format: *mut cl_image_format,
        image_width: usize, image_depth: usize, image_slc_pitch: usize, host_ptr: *mut c_void,
    ) on context;
    local object fn clCreateImage3D(
        context: cl_context, flags: cl_mem_flags, image_format: *mut cl_image_format,
        image_width: usize, image_height: usize, image_depth: usize, image_row_pitch: usize,
        image_slc_pitch: usize, host_ptr: *mut c_void,
    ) on context;
    local object fn clCreateImage(
        context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format,
        image_desc: *const cl_image_desc, host_ptr: *mut c_void,
    ) on context;
    refused object fn clCreatePipe(
        context: cl_context, flags: cl_mem_flags, pipe_packet_size: cl_uint,
        pipe_max_packets: cl_uint, properties: *const cl_pipe_properties,
    ) on context;
    local status fn clGetImageInfo(
        image: cl_mem, param_name: cl_image_info, param_value_size: usize, param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) on image;
    refused status fn clGetPipeInfo(
        pipe: cl_mem, param_name: cl_pipe_info, param_value_size: usize, param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) on pipe;
    refused pointer fn clSVMAlloc(
        context: cl_context, flags: cl_svm_mem_flags, size: usize, alignment: cl_uint,
    ) on context;
    local object fn clCreateSampler(
        context: cl_context, normalize_coords: cl_bool, addressing_mode: cl_addressing_mode,
        filter_mode: cl_filter_mode,
    ) on context;
    refused object fn clCreateSamplerWithProperties(
        context: cl_context, normalized_coords: *const cl_sampler_properties,
    ) on context;
    local status fn clRetainSampler(sampler: cl_sampler) on sampler;
    local status fn clReleaseSampler(sampler: cl_sampler) on sampler;
    local status fn clGetSamplerInfo(
        sampler: cl_sampler, param_name: cl_sampler_info, param_value_size: usize,
        param_value: *mut c_void, param_value_size_ret: *mut usize,
    ) on sampler;
    refused object fn clCreateProgramWithBuiltInKernels(
        context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id,
        kernel_names: *const c_char,
    ) on context => beside many(device_list, num_devices);
    refused object fn clCreateProgramWithIL(
        context: cl_context, il: *const c_void, length: usize,
    ) on context;
    refused status fn clCompileProgram(
        program: cl_program, num_devices: cl_uint, device_list: *const cl_device_id,
        options: *const c_char, num_input_headers: cl_uint, input_headers: *const cl_program,
        header_include_names: *const *const c_char, pfn_notify: Notify, user_data: *mut c_void,
    ) on program => beside many(device_list, num_devices);
    refused object fn clLinkProgram(
        context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id,
        options: *const c_char, num_input_programs: cl_uint, input_programs: *const cl_program,
        pfn_notify: Notify, user_data: *mut c_void,
    ) on context => beside many(device_list, num_devices)
            || many(input_programs, num_input_programs);
    refused object fn clCloneKernel(source_kernel: cl_kernel) on source_kernel;
    refused status fn clSetKernelArgSVMPointer(
        kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void,
    ) on kernel;
    refused status fn clSetKernelExecInfo(
        kernel: cl_kernel, param_name: cl_kernel_exec_info, param_value_size: usize,
        param_value: *const c_void,
    ) on kernel;
    refused status fn clGetKernelSubGroupInfo(
        kernel: cl_kernel, device: cl_device_id, param_name: cl_kernel_sub_group_info,
        input_value_size: usize, input_value: *const c_void, param_value_size: usize,
        param_value: *mut c_void, param_value_size_ret: *mut usize,
    ) on kernel => beside ours(device);
    local status fn clEnqueueReadImage(
        command_queue: cl_command_queue, image: cl_mem, blocking_read: cl_bool,
        origin: *const usize, region: *const usize, row_pitch: usize, slc_pitch: usize,
        ptr: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(image);
    local status fn clEnqueueWriteImage(
        command_queue: cl_command_queue, image: cl_mem, blocking_write: cl_bool,
        origin: *const usize, region: *const usize, input_row_pitch: usize, input_slc_pitch: usize,
        ptr: *const c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(image);
    local status fn clEnqueueFillImage(
        command_queue: cl_command_queue, image: cl_mem, fill_color: *const c_void,
        origin: *const usize, region: *const usize, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(image);
    local status fn clEnqueueCopyImage(
        command_queue: cl_command_queue, src_image: cl_mem, dst_image: cl_mem,
        src_origin: *const usize, dst_origin: *const usize, region: *const usize,
        num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(src_image)
            || ours(dst_image);
    local status fn clEnqueueCopyImageToBuffer(
        command_queue: cl_command_queue, src_image: cl_mem, dst_buffer: cl_mem,
        src_origin: *const usize, region: *const usize, dst_offset: usize,
        num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(src_image)
            || ours(dst_buffer);
    local status fn clEnqueueCopyBufferToImage(
        command_queue: cl_command_queue, src_buffer: cl_mem, dst_image: cl_mem, src_offset: usize,
        dst_origin: *const usize, region: *const usize, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(src_buffer)
            || ours(dst_image);
    local object fn clEnqueueMapImage(
        command_queue: cl_command_queue, image: cl_mem, blocking_map: cl_bool,
        map_flags: cl_map_flags, origin: *const usize, region: *const usize,
        image_row_pitch: *mut usize, image_slc_pitch: *mut usize, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list) || ours(image);
    refused status fn clEnqueueNativeKernel(
        command_queue: cl_command_queue, user_func: NativeKernel, args: *mut c_void, cb_args: usize,
        num_mem_objects: cl_uint, mem_list: *const cl_mem, args_mem_loc: *const *const c_void,
        num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list);
    refused status fn clEnqueueSVMFree(
        command_queue: cl_command_queue, num_svm_pointers: cl_uint,
        svm_pointers: *const *const c_void, pfn_free_func: FreeNotify, user_data: *mut c_void,
        num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list);
    refused status fn clEnqueueSVMMemcpy(
        command_queue: cl_command_queue, blocking_copy: cl_bool, dst_ptr: *mut c_void,
        src_ptr: *const c_void, size: usize, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list);
    refused status fn clEnqueueSVMMemFill(
        command_queue: cl_command_queue, svm_ptr: *mut c_void, pattern: *const c_void,
        pattern_size: usize, size: usize, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list);
    refused status fn clEnqueueSVMMap(
        command_queue: cl_command_queue, blocking_map: cl_bool, flags: cl_map_flags,
        svm_ptr: *mut c_void, size: usize, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list);
    refused status fn clEnqueueSVMUnmap(
        command_queue: cl_command_queue, svm_ptr: *mut c_void, num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list);
    refused status fn clEnqueueSVMMigrateMem(
        command_queue: cl_command_queue, num_svm_pointers: cl_uint,
        svm_pointers: *const *const c_void, sizes: *const usize, flags: cl_mem_migration_flags,
        num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list);
    refused object fn clCreateFromGLBuffer(
        context: cl_context, flags: cl_mem_flags, bufobj: cl_GLuint,
    ) on context;
    refused object fn clCreateFromGLTexture(
        context: cl_context, flags: cl_mem_flags, texture_target: cl_GLenum, miplevel: cl_GLint,
        texture: cl_GLuint,
    ) on context;
    refused status fn clGetGLObjectInfo(
        memobj: cl_mem, gl_object_type: *mut cl_gl_object_type, gl_object_name: *mut cl_GLuint,
    ) on memobj;
    refused status fn clGetGLTextureInfo(
        memobj: cl_mem, param_name: cl_gl_texture_info, param_value_size: usize,
        param_value: *mut c_void, param_value_size_ret: *mut usize,
    ) on memobj;
    refused object fn clCreateFromGLRenderbuffer(
        context: cl_context, flags: cl_mem_flags, renderbuffer: cl_GLuint,
    ) on context;
    refused status fn clEnqueueAcquireGLObjects(
        command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem,
        num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list)
            || many(mem_objects, num_objects);
    refused status fn clEnqueueReleaseGLObjects(
        command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem,
        num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
    ) on command_queue => beside many(event_wait_list, num_events_in_wait_list)
            || many(mem_objects, num_objects);
    refused status fn clGetGLContextInfoKHR(
        properties: *const cl_context_properties, param_name: cl_gl_context_info,
        param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize,
    ) on platform_of(properties);
    refused object fn clCreateFromGLTexture2D(
        context: cl_context, flags: cl_mem_flags, texture_target: cl_GLenum, miplevel: cl_GLint,
        texture: cl_GLuint,
    ) on context;
    refused object fn clCreateFromGLTexture3D(
        context: cl_context, flags: cl_mem_flags, texture_target: cl_GLenum, miplevel: cl_GLint,
        texture: cl_GLuint,
    ) on context;
}
