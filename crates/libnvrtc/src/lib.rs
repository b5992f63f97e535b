//! NVRTC's functions under the name of its library, for programs that compile their kernels at run
//! time: with `libcuda.so.1` of crates/libcuda they run on the emulated device as they are.
//! Compiling checks the source and writes the log; the "PTX" is the source itself with its options,
//! which that device's driver reads.
#![allow(non_snake_case)]

mod options;
mod program;

use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use program::{Program, Refusal};

type Handle = *mut Program;
type Text = *const c_char;
type Done = Result<(), Refusal>;

/// The version of CUDA whose behaviour is followed.
const VERSION: (c_int, c_int) = (13, 0);

/// Runs a call; a panic must not cross the border, which would end the process.
fn code(call: impl FnOnce() -> Done) -> i32 {
    let done = catch_unwind(AssertUnwindSafe(call)).unwrap_or(Err(Refusal::Internal));
    done.map_or_else(|refusal| refusal as i32, |()| 0)
}

/// # Safety
/// `at` is null or may be written.
unsafe fn give<T>(at: *mut T, value: T) -> Done {
    if at.is_null() {
        return Err(Refusal::InvalidInput);
    }
    // SAFETY: not null, and the caller's to write.
    unsafe { at.write_unaligned(value) };
    Ok(())
}

/// # Safety
/// `at` is null or ends in NUL.
unsafe fn text(at: Text) -> Result<String, Refusal> {
    if at.is_null() {
        return Err(Refusal::InvalidInput);
    }
    // SAFETY: not null, so it ends in NUL.
    Ok(unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned())
}

/// # Safety
/// `at` is null or has `count` texts.
unsafe fn texts(at: *const Text, count: c_int) -> Result<Vec<String>, Refusal> {
    let count = usize::try_from(count).map_err(|_| Refusal::InvalidInput)?;
    if count > 0 && at.is_null() {
        return Err(Refusal::InvalidInput);
    }
    // SAFETY: within the caller's list.
    (0..count).map(|i| unsafe { text(at.add(i).read()) }).collect()
}

/// # Safety
/// `handle` is null or came from `nvrtcCreateProgram` and was not destroyed, and nobody else uses
/// it now.
unsafe fn program<'a>(handle: Handle) -> Result<&'a mut Program, Refusal> {
    // SAFETY: as above.
    unsafe { handle.as_mut() }.ok_or(Refusal::InvalidProgram)
}

/// Writes a text with its NUL.
///
/// # Safety
/// `to` is null or has room, of which `nvrtcGet...Size` has told.
unsafe fn copy(from: &CString, to: *mut c_char) -> Done {
    if to.is_null() {
        return Err(Refusal::InvalidInput);
    }
    let bytes = from.as_bytes_with_nul();
    // SAFETY: the caller's room.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), bytes.len()) };
    Ok(())
}

fn image(program: &Program) -> Result<&CString, Refusal> {
    program.image.as_ref().ok_or(Refusal::InvalidProgram)
}

fn archs() -> Vec<c_int> {
    let number = |d: &simt::device::DeviceModel| (d.cc.0 * 10 + d.cc.1) as c_int;
    let mut list: Vec<c_int> = simt::device::models().iter().map(number).collect();
    list.sort_unstable();
    list.dedup();
    list
}

macro_rules! exported {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($arg: $ty),*) -> i32 {
            // SAFETY: the caller keeps NVRTC's contract of this function.
            code(|| unsafe { $body })
        }
    )*};
}

exported! {
    fn nvrtcVersion(major: *mut c_int, minor: *mut c_int) {
        give(major, VERSION.0)?;
        give(minor, VERSION.1)
    }

    fn nvrtcGetNumSupportedArchs(count: *mut c_int) {
        give(count, archs().len() as c_int)
    }

    fn nvrtcGetSupportedArchs(list: *mut c_int) {
        archs().into_iter().enumerate().try_for_each(|(i, arch)| give(list.wrapping_add(i), arch))
    }

    fn nvrtcCreateProgram(
        handle: *mut Handle, source: Text, name: Text, count: c_int, headers: *const Text,
        includes: *const Text,
    ) {
        let name = if name.is_null() { "default_program".into() } else { text(name)? };
        let headers = texts(includes, count)?.into_iter().zip(texts(headers, count)?).collect();
        let program = Program::new(name, text(source)?, headers);
        if handle.is_null() {
            return Err(Refusal::InvalidInput);
        }
        give(handle, Box::into_raw(Box::new(program)))
    }

    fn nvrtcDestroyProgram(handle: *mut Handle) {
        if handle.is_null() || handle.read_unaligned().is_null() {
            return Err(Refusal::InvalidProgram);
        }
        drop(Box::from_raw(handle.read_unaligned()));
        give(handle, std::ptr::null_mut())
    }

    fn nvrtcCompileProgram(handle: Handle, count: c_int, options: *const Text) {
        let options = texts(options, count)?;
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        program(handle)?.compile(&options)
    }

    fn nvrtcGetPTXSize(handle: Handle, bytes: *mut usize) {
        give(bytes, image(program(handle)?)?.as_bytes_with_nul().len())
    }

    fn nvrtcGetPTX(handle: Handle, ptx: *mut c_char) {
        copy(image(program(handle)?)?, ptx)
    }

    fn nvrtcGetCUBINSize(handle: Handle, bytes: *mut usize) {
        give(bytes, image(program(handle)?)?.as_bytes_with_nul().len())
    }

    fn nvrtcGetCUBIN(handle: Handle, cubin: *mut c_char) {
        copy(image(program(handle)?)?, cubin)
    }

    fn nvrtcGetProgramLogSize(handle: Handle, bytes: *mut usize) {
        give(bytes, program(handle)?.log.as_bytes_with_nul().len())
    }

    fn nvrtcGetProgramLog(handle: Handle, log: *mut c_char) {
        copy(&program(handle)?.log, log)
    }

    fn nvrtcAddNameExpression(handle: Handle, expression: Text) {
        program(handle)?.add_name(&text(expression)?)
    }

    fn nvrtcGetLoweredName(handle: Handle, expression: Text, lowered: *mut Text) {
        give(lowered, program(handle)?.lowered(&text(expression)?)?.as_ptr())
    }
}

/// What a result code means; static, ends in NUL.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn nvrtcGetErrorString(result: i32) -> Text {
    let text = match result {
        0 => c"NVRTC_SUCCESS",
        1 => c"NVRTC_ERROR_OUT_OF_MEMORY",
        2 => c"NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        3 => c"NVRTC_ERROR_INVALID_INPUT",
        4 => c"NVRTC_ERROR_INVALID_PROGRAM",
        5 => c"NVRTC_ERROR_INVALID_OPTION",
        6 => c"NVRTC_ERROR_COMPILATION",
        7 => c"NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        8 => c"NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        9 => c"NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        10 => c"NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        11 => c"NVRTC_ERROR_INTERNAL_ERROR",
        _ => c"NVRTC_ERROR unknown",
    };
    text.as_ptr()
}
