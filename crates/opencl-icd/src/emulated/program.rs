//! Programs: OpenCL C that is compiled when it is built.

use std::os::raw::{c_char, c_uchar, c_void};
use std::sync::Arc;

use cl_sys::*;
use emulation::trace::note_sources;
use emulation::{evidence, judge, programs};
use simt::Instance;
use simt::hir::Space;

use super::callbacks::later;
use super::held;
use super::info::{self, Room, text};
use super::memory::memory_failure;
use super::platform::check_device;
use super::state::{Build, DEVICE, Emulated, Object, Program, State, emulated};
use crate::failure::{Done, Failure};
use crate::notify::Notify;

pub(crate) unsafe fn clCreateProgramWithSource(
    context: cl_context,
    count: cl_uint,
    strings: *const *const c_char,
    lengths: *const usize,
) -> Done<*mut c_void> {
    let mut state = emulated()?.lock();
    state.context(context as usize)?;
    // SAFETY: the caller's list.
    let strings = unsafe { info::list("source strings", strings, count) }?;
    if strings.is_empty() || strings.iter().any(|s| s.is_null()) {
        return Err(Failure::value("a program without a source, or with a null string in it"));
    }
    let mut source = Vec::new();
    for (i, string) in strings.into_iter().enumerate() {
        // SAFETY: the caller's list of `count` lengths.
        let length = if lengths.is_null() { 0 } else { unsafe { lengths.add(i).read_unaligned() } };
        // SAFETY: the caller's string of that length, or one that ends in NUL.
        source.extend_from_slice(unsafe {
            match length {
                0 => std::ffi::CStr::from_ptr(string).to_bytes(),
                _ => std::slice::from_raw_parts(string.cast::<u8>(), length),
            }
        });
    }
    while source.last() == Some(&0) {
        source.pop();
    }
    let source = String::from_utf8(source).map_err(|e| {
        Failure::value(format!("the source is not UTF-8 (byte {})", e.utf8_error().valid_up_to()))
    })?;
    let program = Program {
        context: context as usize,
        source,
        options: String::new(),
        log: String::new(),
        build: Build::None,
    };
    Ok(state.add(Object::Program(program)) as *mut c_void)
}

/// What a binary begins with; behind it stand the length of the options in a line, the options, and
/// the source.
const BINARY: &str = "OpenCL C for the emulated device\n";

/// The "binary" of a program that is built; empty for one that is not, and on a judge's device.
fn binary(program: &Program) -> Vec<u8> {
    let Program { options, source, .. } = program;
    match &program.build {
        Build::Done(_) if !judge::is_one() => {
            format!("{BINARY}{}\n{options}{source}", options.len()).into_bytes()
        }
        _ => Vec::new(),
    }
}

/// Options and source of a binary.
fn from_binary(bytes: &[u8]) -> Option<(String, String)> {
    let text = std::str::from_utf8(bytes).ok()?.strip_prefix(BINARY)?;
    let (length, rest) = text.split_once('\n')?;
    let (options, source) = rest.split_at_checked(length.parse().ok()?)?;
    Some((options.to_owned(), source.to_owned()))
}

pub(crate) unsafe fn clCreateProgramWithBinary(
    context: cl_context,
    num_devices: cl_uint,
    devices: *const cl_device_id,
    lengths: *const usize,
    binaries: *const *const c_uchar,
    status: *mut cl_int,
) -> Done<*mut c_void> {
    let mut state = emulated()?.lock();
    state.context(context as usize)?;
    // SAFETY: the caller's list.
    for device in unsafe { info::list("devices", devices, num_devices) }? {
        check_device(device)?;
    }
    let given = !(judge::is_one() || num_devices == 0 || lengths.is_null() || binaries.is_null());
    let found = given.then(|| {
        // SAFETY: the caller's lists have an entry for each device, of which there is one.
        let (length, at) = unsafe { (lengths.read_unaligned(), binaries.read_unaligned()) };
        // SAFETY: the caller's binary.
        (!at.is_null()).then(|| unsafe { std::slice::from_raw_parts(at, length) })
    });
    let found = found.flatten().and_then(from_binary);
    if !status.is_null() && num_devices > 0 {
        let word = if found.is_some() { CL_SUCCESS } else { CL_INVALID_BINARY };
        // SAFETY: one entry for each device.
        unsafe { status.write_unaligned(word) };
    }
    let Some((options, source)) = found else {
        let line = "the emulated device runs OpenCL C and no binaries but its own: make the \
            program with clCreateProgramWithSource";
        return Err(Failure::new(CL_INVALID_BINARY, line));
    };
    let (context, log, build) = (context as usize, String::new(), Build::None);
    let program = Program { context, source, options, log, build };
    Ok(state.add(Object::Program(program)) as *mut c_void)
}

pub(crate) unsafe fn clRetainProgram(program: cl_program) -> Done {
    held::retain(program, State::program)
}

pub(crate) unsafe fn clReleaseProgram(program: cl_program) -> Done {
    held::release(program, State::program)
}

/// A source that says its name, as labkit's do: `#line 1 "kernels/add.cl"` in its first line (ocl
/// puts empty ones before it). Every OpenCL compiler understands that.
fn named(source: &str) -> (&str, &str) {
    let rest = source.trim_start().strip_prefix("#line 1 \"");
    rest.and_then(|rest| rest.split_once("\"\n")).unwrap_or(("program.cl", source))
}

/// Notes that the host gave all that is there: buffers and programs' variables as they are, and the
/// texts of programs, in which tables of constants stand.
pub(crate) fn given_again() {
    let Ok(emulated) = emulated() else { return };
    let state = emulated.lock();
    let left = |address, bytes| evidence::left(&emulated.memory, address, bytes);
    for entry in state.objects.values() {
        match &entry.object {
            Object::Buffer(buffer) if buffer.parent.is_none() => left(buffer.base, buffer.size),
            Object::Program(program) => {
                texts_given(&program.source, &program.options);
                let Build::Done(instance) = &program.build else { continue };
                let globals = instance.program().globals();
                let variables = globals.iter().filter(|g| g.space != Space::Constant);
                variables
                    .filter_map(|g| instance.global(&g.name))
                    .for_each(|(address, bytes)| left(address, bytes));
            }
            _ => {}
        }
    }
}

fn texts_given(source: &str, options: &str) {
    evidence::text(source);
    if let Ok(options) = simt::opencl::build_options("", options) {
        options.defines.iter().for_each(|define| evidence::text(define));
    }
}

/// Compiles; returns the program with the compiler's warnings.
fn compile(emulated: &Emulated, source: &str, options: &str) -> Done<(Instance, String)> {
    let (file, source) = named(source);
    texts_given(source, options);
    let mut options = simt::opencl::build_options(file, options)
        .map_err(|line| Failure::new(CL_INVALID_BUILD_OPTIONS, line))?;
    options.include_dirs.retain(|dir| judge::may_read(dir));
    let compiled = programs::compile(source, &options).map_err(|error| {
        let report = error.to_string();
        let line = report.lines().next().unwrap_or("the program does not compile").to_owned();
        Failure { code: CL_BUILD_PROGRAM_FAILURE, line, report }
    })?;
    note_sources(compiled.sources());
    let warnings = compiled.warnings().iter().map(|w| w.render(compiled.sources())).collect();
    let instance = Instance::load(&compiled, &emulated.memory).map_err(|e| memory_failure(&e))?;
    Ok((instance, warnings))
}

pub(crate) unsafe fn clBuildProgram(
    program: cl_program,
    num_devices: cl_uint,
    devices: *const cl_device_id,
    options: *const c_char,
    notify: Notify,
    data: *mut c_void,
) -> Done {
    // SAFETY: the caller's text.
    let mut options = unsafe { text(options) };
    // SAFETY: the caller's list.
    for device in unsafe { info::list("devices", devices, num_devices) }? {
        check_device(device)?;
    }
    if notify.is_none() && !data.is_null() {
        return Err(Failure::value("data for a callback, but no callback"));
    }
    let emulated = emulated()?;
    let mut state = emulated.lock();
    let handle = program as usize;
    let found = state.program(handle)?;
    let source = found.source.clone();
    if options.is_empty() && matches!(found.build, Build::None) {
        // Those of a binary.
        options.clone_from(&found.options);
    }
    let kernels = state.objects.values().filter(
        |entry| matches!(&entry.object, Object::Kernel(kernel) if kernel.program == handle),
    );
    if kernels.count() > 0 {
        let line = "the program has kernels: release them before it is built again";
        return Err(Failure::new(CL_INVALID_OPERATION, line));
    }
    let result = compile(emulated, &source, &options);
    let program = state.program_mut(handle)?;
    program.options = options;
    let (build, log, result) = match result {
        Ok((instance, warnings)) => (Build::Done(Arc::new(instance)), warnings, Ok(())),
        Err(failure) => (Build::Failed, failure.text().to_owned(), Err(failure)),
    };
    let old = std::mem::replace(&mut program.build, build);
    program.log = log;
    if let Build::Done(instance) = old
        && let Some(instance) = Arc::into_inner(instance)
    {
        instance.unload(&emulated.memory);
    }
    if let Some(notify) = notify {
        let data = data as usize;
        // SAFETY: the program's function, called as the manual says, with the data that it gave for
        // that.
        later(Box::new(move || unsafe { notify(handle as cl_program, data as *mut c_void) }));
    }
    result
}

/// Names of the kernels, in the order of the source.
fn kernel_names(program: &Program) -> Done<Vec<String>> {
    match &program.build {
        Build::Done(instance) => {
            Ok(instance.program().kernels().iter().map(|k| k.symbol.clone()).collect())
        }
        _ => Err(Failure::new(CL_INVALID_PROGRAM_EXECUTABLE, "the program is not built")),
    }
}

pub(crate) unsafe fn clGetProgramInfo(
    program: cl_program,
    question: cl_program_info,
    size: usize,
    at: *mut c_void,
    size_ret: *mut usize,
) -> Done {
    let room = Room { size, at, size_ret };
    let state = emulated()?.lock();
    let found = state.program(program as usize)?;
    // SAFETY: the caller's room.
    unsafe {
        match question {
            CL_PROGRAM_REFERENCE_COUNT => room.give(state.count(program as usize)),
            CL_PROGRAM_CONTEXT => room.give(found.context),
            CL_PROGRAM_NUM_DEVICES => room.give(1u32),
            CL_PROGRAM_DEVICES => room.give(DEVICE),
            CL_PROGRAM_SOURCE => room.give(found.source.as_str()),
            CL_PROGRAM_NUM_KERNELS => room.give(kernel_names(found)?.len()),
            CL_PROGRAM_KERNEL_NAMES => room.give(kernel_names(found)?.join(";").as_str()),
            CL_PROGRAM_BINARY_SIZES => room.give(binary(found).len()),
            CL_PROGRAM_BINARIES => {
                // The caller's list has a pointer for each device, or null.
                if !at.is_null() && size >= size_of::<*mut u8>() {
                    let to = at.cast::<*mut u8>().read_unaligned();
                    let bytes = binary(found);
                    if !to.is_null() {
                        std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
                    }
                }
                Room { at: std::ptr::null_mut(), ..room }.give(size_of::<*mut u8>())
            }
            _ => Err(Failure::value(format!("programs have no information {question:#x}"))),
        }
    }
}

pub(crate) unsafe fn clGetProgramBuildInfo(
    program: cl_program,
    device: cl_device_id,
    question: cl_program_build_info,
    size: usize,
    at: *mut c_void,
    size_ret: *mut usize,
) -> Done {
    let room = Room { size, at, size_ret };
    let state = emulated()?.lock();
    let found = state.program(program as usize)?;
    check_device(device)?;
    let (status, kind) = match &found.build {
        Build::None => (CL_BUILD_NONE, CL_PROGRAM_BINARY_TYPE_NONE),
        Build::Failed => (CL_BUILD_ERROR, CL_PROGRAM_BINARY_TYPE_NONE),
        Build::Done(_) => (CL_BUILD_SUCCESS, CL_PROGRAM_BINARY_TYPE_EXECUTABLE),
    };
    // SAFETY: the caller's room.
    unsafe {
        match question {
            CL_PROGRAM_BUILD_STATUS => room.give(status),
            CL_PROGRAM_BUILD_OPTIONS => room.give(found.options.as_str()),
            CL_PROGRAM_BUILD_LOG => room.give(found.log.as_str()),
            CL_PROGRAM_BINARY_TYPE => room.give(kind as u32),
            _ => Err(Failure::value(format!("builds have no information {question:#x}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn a_source_may_say_its_name() {
        assert_eq!(named("#line 1 \"kernels/a.cl\"\nint x;\n"), ("kernels/a.cl", "int x;\n"));
        assert_eq!(named("\n\n#line 1 \"a.cl\"\n\nint x;"), ("a.cl", "\nint x;"));
        assert_eq!(named("int x;\n"), ("program.cl", "int x;\n"));
        assert_eq!(named("#line 2 \"a\"\n"), ("program.cl", "#line 2 \"a\"\n"));
    }
}
