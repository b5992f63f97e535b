//! PoCL, an OpenCL for CPUs, called through the loader library: a second opinion on the kernels of
//! this folder.
//!
//! Only what a case needs: one context, one queue, buffers in and out. The functions and numbers
//! are those of `CL/cl.h`.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_void};
use std::ptr::{null, null_mut};

use libloading::Library;

use crate::support::case::{Arg, Case, Data};

type Handle = *mut c_void;
type Status = i32;

const BUILD_LOG: u32 = 0x1183;
const PLATFORM_NAME: u32 = 0x0902;
const ALL_DEVICES: u64 = 0xffff_ffff;
const READ_WRITE: u64 = 1;
const BLOCKING: u32 = 1;

/// The platform and device.
pub struct Pocl {
    library: Library,
    device: Handle,
    context: Handle,
    queue: Handle,
}

fn check(what: &str, status: Status) -> Result<(), String> {
    if status == 0 { Ok(()) } else { Err(format!("{what}: error {status}")) }
}

/// Calls a function of the library: name, argument types, arguments; all return a status or a
/// handle.
macro_rules! call {
    ($library:expr, $name:literal, ($($t:ty),*) -> $ret:ty, $($arg:expr),*) => {{
        // SAFETY: the signature is that of `CL/cl.h`; pointers stand for live values of the sizes
        // passed with them.
        unsafe {
            let symbol = $library
                .get::<unsafe extern "C" fn($($t),*) -> $ret>(concat!($name, "\0").as_bytes())
                .map_err(|e| e.to_string())?;
            symbol($($arg),*)
        }
    }};
}

impl Pocl {
    /// Opens the loader and finds PoCL among its platforms, or the one that `SIMT_OPENCL` names by
    /// the first letters, as `NVIDIA`.
    pub fn open() -> Result<Pocl, String> {
        let wanted = std::env::var("SIMT_OPENCL").unwrap_or("Portable Computing Language".into());
        // SAFETY: loading the system's OpenCL loader runs its initialisers, which have no
        // preconditions.
        let library = unsafe { Library::new("libOpenCL.so.1") }.map_err(|e| e.to_string())?;
        let mut platforms = [null_mut::<c_void>(); 16];
        let mut count = 0u32;
        check(
            "clGetPlatformIDs",
            call!(library, "clGetPlatformIDs", (u32, *mut Handle, *mut u32) -> Status,
                16, platforms.as_mut_ptr(), &mut count),
        )?;
        for platform in platforms.into_iter().take(count as usize) {
            let mut name = [0u8; 256];
            check(
                "clGetPlatformInfo",
                call!(library, "clGetPlatformInfo",
                    (Handle, u32, usize, *mut c_void, *mut usize) -> Status,
                    platform, PLATFORM_NAME, name.len(), name.as_mut_ptr().cast(), null_mut()),
            )?;
            if !name.starts_with(wanted.as_bytes()) {
                continue;
            }
            let (mut device, mut status) = (null_mut(), 0);
            check(
                "clGetDeviceIDs",
                call!(library, "clGetDeviceIDs",
                    (Handle, u64, u32, *mut Handle, *mut u32) -> Status,
                    platform, ALL_DEVICES, 1, &mut device, null_mut()),
            )?;
            let context = call!(library, "clCreateContext",
                (*const isize, u32, *const Handle, *const c_void, *mut c_void, *mut Status)
                    -> Handle,
                null(), 1, &device, null(), null_mut(), &mut status);
            check("clCreateContext", status)?;
            let queue = call!(library, "clCreateCommandQueue",
                (Handle, Handle, u64, *mut Status) -> Handle, context, device, 0, &mut status);
            check("clCreateCommandQueue", status)?;
            return Ok(Pocl { library, device, context, queue });
        }
        Err(format!("no platform {wanted} (PoCL's package on Debian: pocl-opencl-icd)"))
    }

    fn build(&self, case: &Case) -> Result<Handle, String> {
        let mut status = 0;
        let text = case.text.as_ptr().cast::<c_char>();
        let length = case.text.len();
        let program = call!(self.library, "clCreateProgramWithSource",
            (Handle, u32, *const *const c_char, *const usize, *mut Status) -> Handle,
            self.context, 1, &text, &length, &mut status);
        check("clCreateProgramWithSource", status)?;
        // As the emulator does by default: no contraction that the source does not ask for.
        let version = if case.options.contains("-cl-std=") { "" } else { "-cl-std=CL1.2 " };
        let options =
            CString::new(format!("{version}{}", case.options)).map_err(|e| e.to_string())?;
        let status = call!(self.library, "clBuildProgram",
            (Handle, u32, *const Handle, *const c_char, *const c_void, *mut c_void) -> Status,
            program, 1, &self.device, options.as_ptr(), null(), null_mut());
        if status != 0 {
            let mut log = vec![0u8; 8192];
            call!(self.library, "clGetProgramBuildInfo",
                (Handle, Handle, u32, usize, *mut c_void, *mut usize) -> Status,
                program, self.device, BUILD_LOG, log.len(), log.as_mut_ptr().cast(), null_mut());
            let log = String::from_utf8_lossy(&log);
            return Err(format!("clBuildProgram: error {status}\n{}", log.trim_end_matches('\0')));
        }
        Ok(program)
    }

    /// Does all runs of a case; the contents of its buffers at the end.
    pub fn run(&self, case: &Case) -> Result<BTreeMap<String, Data>, String> {
        let program = self.build(case)?;
        let mut status = 0;
        let mut buffers = BTreeMap::new();
        for b in &case.buffers {
            let size = b.count * b.elem.size();
            let memory = call!(self.library, "clCreateBuffer",
                (Handle, u64, usize, *mut c_void, *mut Status) -> Handle,
                self.context, READ_WRITE, size, null_mut(), &mut status);
            check("clCreateBuffer", status)?;
            let bytes = b.generator.bytes(b.elem, b.count)?.unwrap_or_else(|| vec![0; size]);
            check(
                "clEnqueueWriteBuffer",
                call!(self.library, "clEnqueueWriteBuffer",
                    (Handle, Handle, u32, usize, usize, *const c_void, u32, *const Handle,
                        *mut Handle) -> Status,
                    self.queue, memory, BLOCKING, 0, size, bytes.as_ptr().cast(), 0, null(),
                    null_mut()),
            )?;
            buffers.insert(b.name.clone(), memory);
        }
        // The types of numbers come from our own compiler.
        let ours = case.compile().map_err(|e| e.to_string())?;
        for run in &case.runs {
            let name = CString::new(run.kernel.clone()).map_err(|e| e.to_string())?;
            let kernel = call!(self.library, "clCreateKernel",
                (Handle, *const c_char, *mut Status) -> Handle,
                program, name.as_ptr(), &mut status);
            check("clCreateKernel", status)?;
            let info = ours.kernel(&run.kernel).ok_or("no such kernel")?;
            for (k, (arg, param)) in run.args.iter().zip(&info.params).enumerate() {
                let bytes;
                let (size, pointer): (usize, *const c_void) = match arg {
                    Arg::Local(n) => (*n as usize, null()),
                    Arg::Buffer { name, .. } => {
                        (size_of::<Handle>(), (&raw const buffers[name]).cast())
                    }
                    Arg::Number(word) => {
                        bytes = crate::support::case::number_bytes(word, param)?;
                        (bytes.len(), bytes.as_ptr().cast())
                    }
                    Arg::Variable => return Err("`for` is not supported here".into()),
                };
                check(
                    "clSetKernelArg",
                    call!(self.library, "clSetKernelArg",
                    (Handle, u32, usize, *const c_void) -> Status,
                    kernel, k as u32, size, pointer),
                )?;
            }
            let range = run.range();
            let sizes = |v: [u64; 3]| v.map(|n| n as usize);
            let (offset, global) = (sizes(range.offset), sizes(range.global));
            let local = sizes(range.local.unwrap_or([1; 3]));
            check(
                &run.kernel,
                call!(self.library, "clEnqueueNDRangeKernel",
                    (Handle, Handle, u32, *const usize, *const usize, *const usize, u32,
                        *const Handle, *mut Handle) -> Status,
                    self.queue, kernel, range.work_dim, offset.as_ptr(), global.as_ptr(),
                    local.as_ptr(), 0, null(), null_mut()),
            )?;
            check("clFinish", call!(self.library, "clFinish", (Handle) -> Status, self.queue))?;
        }
        let mut out = BTreeMap::new();
        for b in &case.buffers {
            let mut bytes = vec![0u8; b.count * b.elem.size()];
            check(
                "clEnqueueReadBuffer",
                call!(self.library, "clEnqueueReadBuffer",
                    (Handle, Handle, u32, usize, usize, *mut c_void, u32, *const Handle,
                        *mut Handle) -> Status,
                    self.queue, buffers[&b.name], BLOCKING, 0, bytes.len(),
                    bytes.as_mut_ptr().cast(), 0, null(), null_mut()),
            )?;
            out.insert(b.name.clone(), Data::from_bytes(b.elem, &bytes));
        }
        Ok(out)
    }
}
