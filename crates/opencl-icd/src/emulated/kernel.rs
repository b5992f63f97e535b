//! Kernels and their arguments.

use std::os::raw::{c_char, c_void};
use std::sync::Arc;

use cl_sys::*;
use emulation::evidence;
use simt::hir::Space;
use simt::{KernelInfo, ParamInfo};

use super::held;
use super::info::{self, Room, text};
use super::platform::check_device;
use super::state::{Build, Kernel, KernelArg, Object, State, emulated};
use crate::failure::{Done, Failure};

fn make(state: &mut State, program: usize, info: KernelInfo) -> Done<usize> {
    let found = state.program(program)?;
    let Build::Done(instance) = &found.build else {
        return Err(Failure::new(CL_INVALID_PROGRAM_EXECUTABLE, "the program is not built"));
    };
    let kernel = Kernel {
        context: found.context,
        program,
        instance: Arc::clone(instance),
        identity: evidence::identity(&found.source, &found.options),
        args: vec![None; info.params.len()],
        info,
    };
    Ok(state.add(Object::Kernel(Box::new(kernel))))
}

/// The kernels of a built program.
fn kernels(state: &State, program: usize) -> Done<Vec<KernelInfo>> {
    match &state.program(program)?.build {
        Build::Done(instance) => Ok(instance.program().kernels().to_vec()),
        _ => Err(Failure::new(CL_INVALID_PROGRAM_EXECUTABLE, "the program is not built")),
    }
}

pub(crate) unsafe fn clCreateKernel(program: cl_program, name: *const c_char) -> Done<*mut c_void> {
    let mut state = emulated()?.lock();
    if name.is_null() {
        return Err(Failure::value("the kernel's name is null"));
    }
    // SAFETY: the caller's text.
    let name = unsafe { text(name) };
    let all = kernels(&state, program as usize)?;
    let names: Vec<String> = all.iter().map(|k| k.symbol.clone()).collect();
    let Some(info) = all.into_iter().find(|k| k.symbol == name) else {
        let line = format!("there is no kernel `{name}` in this program ({})", names.join(", "));
        return Err(Failure::new(CL_INVALID_KERNEL_NAME, line));
    };
    Ok(make(&mut state, program as usize, info)? as *mut c_void)
}

pub(crate) unsafe fn clCreateKernelsInProgram(
    program: cl_program,
    room: cl_uint,
    at: *mut cl_kernel,
    number: *mut cl_uint,
) -> Done {
    let mut state = emulated()?.lock();
    let all = kernels(&state, program as usize)?;
    let mut made = vec![0; all.len()];
    if !at.is_null() {
        if (room as usize) < all.len() {
            let line = format!("there are {} kernels, and room for {room}", all.len());
            return Err(Failure::value(line));
        }
        for (handle, info) in made.iter_mut().zip(all) {
            *handle = make(&mut state, program as usize, info)?;
        }
    } else if number.is_null() {
        return Ok(());
    }
    if made.is_empty() {
        let line = "the program has no kernels";
        return Err(Failure::new(CL_INVALID_KERNEL_DEFINITION, line));
    }
    // SAFETY: the caller's out-pointers.
    unsafe { info::give_list(&made, room, at, number) }
}

pub(crate) unsafe fn clRetainKernel(kernel: cl_kernel) -> Done {
    held::retain(kernel, State::kernel)
}

pub(crate) unsafe fn clReleaseKernel(kernel: cl_kernel) -> Done {
    held::release(kernel, State::kernel)
}

/// A parameter as messages name it.
pub(super) fn parameter(index: usize, param: &ParamInfo) -> String {
    let constant = if param.pointee.is_some() && param.is_const { "const " } else { "" };
    format!("argument {index}, `{}{constant}{} {}`", qualifier(param), param.type_name, param.name)
}

/// The kind of image that a parameter of this type takes, if it takes one.
fn image_kind(type_name: &str) -> Option<u32> {
    Some(match type_name {
        "image1d_t" => CL_MEM_OBJECT_IMAGE1D,
        "image1d_array_t" => CL_MEM_OBJECT_IMAGE1D_ARRAY,
        "image1d_buffer_t" => CL_MEM_OBJECT_IMAGE1D_BUFFER,
        "image2d_t" => CL_MEM_OBJECT_IMAGE2D,
        "image2d_array_t" => CL_MEM_OBJECT_IMAGE2D_ARRAY,
        "image3d_t" => CL_MEM_OBJECT_IMAGE3D,
        _ => return None,
    })
}

fn qualifier(param: &ParamInfo) -> &'static str {
    match (&param.pointee, param.space) {
        (Some(_), Space::Global) => "__global ",
        (Some(_), Space::Constant) => "__constant ",
        (Some(_), Space::Shared) => "__local ",
        _ => "",
    }
}

pub(crate) unsafe fn clSetKernelArg(
    kernel: cl_kernel,
    index: cl_uint,
    size: usize,
    value: *const c_void,
) -> Done {
    let mut state = emulated()?.lock();
    let handle = kernel as usize;
    let kernel = state.kernel(handle)?;
    let (name, context, index) = (&kernel.info.symbol, kernel.context, index as usize);
    let Some(param) = kernel.info.params.get(index) else {
        let line =
            format!("`{name}` has {} arguments, and none with index {index}", kernel.args.len());
        return Err(Failure::new(CL_INVALID_ARG_INDEX, line));
    };
    let refuse = |code, line: String| {
        Err(Failure::new(code, format!("{} of `{name}`: {line}", parameter(index, param))))
    };
    let image = image_kind(&param.type_name);
    let arg = match (&param.pointee, param.space) {
        (Some(_), Space::Shared) => {
            if !value.is_null() {
                return refuse(
                    CL_INVALID_ARG_VALUE,
                    "local memory has a size, but no value".into(),
                );
            }
            if size == 0 {
                return refuse(CL_INVALID_ARG_SIZE, "0 bytes of local memory".into());
            }
            KernelArg::Local(size as u64)
        }
        (Some(_), _) => {
            if size != size_of::<cl_mem>() {
                let line = format!(
                    "expected a buffer (a cl_mem of 8 bytes), found a value of {size} bytes"
                );
                return refuse(CL_INVALID_ARG_SIZE, line);
            }
            let buffer = match value.is_null() {
                true => 0,
                // SAFETY: the caller's value of `size` bytes.
                false => unsafe { value.cast::<usize>().read_unaligned() },
            };
            if buffer == 0 {
                KernelArg::Buffer(None)
            } else {
                let found = match state.buffer(buffer) {
                    Ok(found) => found,
                    Err(failure) => return refuse(CL_INVALID_MEM_OBJECT, failure.line),
                };
                if found.image.is_some() {
                    return refuse(
                        CL_INVALID_MEM_OBJECT,
                        "expected a buffer, found an image".into(),
                    );
                }
                if found.context != context {
                    return refuse(
                        CL_INVALID_MEM_OBJECT,
                        "the buffer belongs to another context".into(),
                    );
                }
                KernelArg::Buffer(Some(buffer))
            }
        }
        (None, _) if image.is_some() => {
            let handle = match size == size_of::<cl_mem>() && !value.is_null() {
                // SAFETY: the caller's value of `size` bytes.
                true => unsafe { value.cast::<usize>().read_unaligned() },
                false => return refuse(CL_INVALID_ARG_SIZE, "expected an image (a cl_mem)".into()),
            };
            match state.buffer(handle) {
                Ok(found) if found.image.as_ref().map(|i| i.kind) == image => {
                    KernelArg::Image(handle)
                }
                Ok(_) => {
                    let line = "this is a memory object of another kind".into();
                    return refuse(CL_INVALID_MEM_OBJECT, line);
                }
                Err(failure) => return refuse(CL_INVALID_MEM_OBJECT, failure.line),
            }
        }
        (None, _) if param.type_name == "sampler_t" => {
            let handle = match size == size_of::<cl_sampler>() && !value.is_null() {
                // SAFETY: the caller's value of `size` bytes.
                true => unsafe { value.cast::<usize>().read_unaligned() },
                false => return refuse(CL_INVALID_ARG_SIZE, "expected a cl_sampler".into()),
            };
            match state.sampler(handle) {
                Ok(found) => KernelArg::Bytes(found.word().to_le_bytes().to_vec()),
                Err(failure) => return refuse(CL_INVALID_SAMPLER, failure.line),
            }
        }
        (None, _) => {
            if size != param.size as usize {
                let line = format!("expected {} bytes, found {size}", param.size);
                return refuse(CL_INVALID_ARG_SIZE, line);
            }
            if value.is_null() {
                return refuse(CL_INVALID_ARG_VALUE, "the pointer to the value is null".into());
            }
            // SAFETY: the caller's value of `size` bytes.
            KernelArg::Bytes(
                unsafe { std::slice::from_raw_parts(value.cast::<u8>(), size) }.to_vec(),
            )
        }
    };
    state.kernel_mut(handle)?.args[index] = Some(arg);
    Ok(())
}

pub(crate) unsafe fn clGetKernelInfo(
    kernel: cl_kernel,
    question: cl_kernel_info,
    size: usize,
    at: *mut c_void,
    size_ret: *mut usize,
) -> Done {
    let room = Room { size, at, size_ret };
    let state = emulated()?.lock();
    let found = state.kernel(kernel as usize)?;
    // SAFETY: the caller's room.
    unsafe {
        match question {
            CL_KERNEL_FUNCTION_NAME => room.give(found.info.symbol.as_str()),
            CL_KERNEL_NUM_ARGS => room.give(found.args.len() as u32),
            CL_KERNEL_REFERENCE_COUNT => room.give(state.count(kernel as usize)),
            CL_KERNEL_CONTEXT => room.give(found.context),
            CL_KERNEL_PROGRAM => room.give(found.program),
            CL_KERNEL_ATTRIBUTES => room.give(found.info.attributes.join(" ").as_str()),
            _ => Err(Failure::value(format!("kernels have no information {question:#x}"))),
        }
    }
}

pub(crate) unsafe fn clGetKernelArgInfo(
    kernel: cl_kernel,
    index: cl_uint,
    question: cl_kernel_arg_info,
    size: usize,
    at: *mut c_void,
    size_ret: *mut usize,
) -> Done {
    let room = Room { size, at, size_ret };
    let state = emulated()?.lock();
    let found = state.kernel(kernel as usize)?;
    let Some(param) = found.info.params.get(index as usize) else {
        let line = format!("`{}` has no argument with index {index}", found.info.symbol);
        return Err(Failure::new(CL_INVALID_ARG_INDEX, line));
    };
    let address = match (&param.pointee, param.space) {
        (Some(_), Space::Global) => CL_KERNEL_ARG_ADDRESS_GLOBAL,
        (Some(_), Space::Constant) => CL_KERNEL_ARG_ADDRESS_CONSTANT,
        (Some(_), Space::Shared) => CL_KERNEL_ARG_ADDRESS_LOCAL,
        _ => CL_KERNEL_ARG_ADDRESS_PRIVATE,
    };
    // The qualifiers of what a pointer points to; those of a value are nobody's business.
    let flag = |set: bool, flag: u64| if set && param.pointee.is_some() { flag } else { 0 };
    let qualifiers =
        flag(param.is_const || param.space == Space::Constant, CL_KERNEL_ARG_TYPE_CONST)
            | flag(param.is_restrict, CL_KERNEL_ARG_TYPE_RESTRICT)
            | flag(param.is_volatile, CL_KERNEL_ARG_TYPE_VOLATILE);
    // SAFETY: the caller's room.
    unsafe {
        match question {
            CL_KERNEL_ARG_ADDRESS_QUALIFIER => room.give(address),
            CL_KERNEL_ARG_ACCESS_QUALIFIER => room.give(CL_KERNEL_ARG_ACCESS_NONE),
            CL_KERNEL_ARG_TYPE_NAME => room.give(param.type_name.as_str()),
            CL_KERNEL_ARG_TYPE_QUALIFIER => room.give(qualifiers),
            CL_KERNEL_ARG_NAME => room.give(param.name.as_str()),
            _ => Err(Failure::value(format!("arguments have no information {question:#x}"))),
        }
    }
}

pub(crate) unsafe fn clGetKernelWorkGroupInfo(
    kernel: cl_kernel,
    device: cl_device_id,
    question: cl_kernel_work_group_info,
    size: usize,
    at: *mut c_void,
    size_ret: *mut usize,
) -> Done {
    let room = Room { size, at, size_ret };
    let emulated = emulated()?;
    let state = emulated.lock();
    let found = state.kernel(kernel as usize)?;
    if !device.is_null() {
        check_device(device)?;
    }
    let local_args = found.args.iter().flatten().map(|arg| match arg {
        KernelArg::Local(bytes) => *bytes,
        _ => 0,
    });
    let local = u64::from(found.info.static_shared) + local_args.sum::<u64>();
    let most = emulated.device.max_threads_per_block;
    let required = found.info.work_group;
    // SAFETY: the caller's room.
    unsafe {
        match question {
            CL_KERNEL_WORK_GROUP_SIZE => {
                let required = required.map(|size| size.iter().product());
                room.give(required.or(found.info.max_threads).unwrap_or(most).min(most) as usize)
            }
            CL_KERNEL_COMPILE_WORK_GROUP_SIZE => {
                room.give(required.unwrap_or_default().map(|n| n as usize).as_slice())
            }
            CL_KERNEL_LOCAL_MEM_SIZE => room.give(local),
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => room.give(32usize),
            CL_KERNEL_PRIVATE_MEM_SIZE => room.give(u64::from(found.info.local_bytes)),
            _ => Err(Failure::value(format!("work groups have no information {question:#x}"))),
        }
    }
}
