//! Running kernels.

use std::io::Write;
use std::sync::Arc;

use cl_sys::*;
use emulation::findings::{add_fault, add_finding, add_report};
use emulation::{evidence, judge};
use simt::fault::{Fault, FaultKind};
use simt::hir::Space;
use simt::opencl::{self, Arg, LaunchError, LaunchErrorKind, NdRange};
use simt::report::LaunchReport;
use simt::{ExecOptions, KernelInfo, Memory};

use super::kernel::parameter;
use super::platform::CONSTANT;
use super::schedule::{Events, Order, Request, submit};
use super::state::{Emulated, Engine, Kernel, KernelArg, State, emulated};
use crate::failure::{Done, Failure};

const NS_PER_MS: f64 = 1e6;

/// A refused launch as OpenCL reports it.
fn refused(error: LaunchError) -> Failure {
    let code = match error.kind {
        LaunchErrorKind::WorkDimension => CL_INVALID_WORK_DIMENSION,
        LaunchErrorKind::GlobalWorkSize => CL_INVALID_GLOBAL_WORK_SIZE,
        LaunchErrorKind::GlobalOffset => CL_INVALID_GLOBAL_OFFSET,
        LaunchErrorKind::WorkGroupSize => CL_INVALID_WORK_GROUP_SIZE,
        LaunchErrorKind::WorkItemSize => CL_INVALID_WORK_ITEM_SIZE,
        LaunchErrorKind::OutOfResources => CL_OUT_OF_RESOURCES,
        _ => CL_INVALID_KERNEL_ARGS,
    };
    Failure::new(code, error.message)
}

/// The arguments of a launch.
struct Arguments {
    values: Vec<Arg>,
    /// Parameter and handle of each buffer among them.
    buffers: Vec<(usize, usize)>,
}

fn arguments(state: &State, kernel: &Kernel) -> Done<Arguments> {
    let mut buffers = Vec::new();
    let mut args = Vec::new();
    for (index, (arg, param)) in kernel.args.iter().zip(&kernel.info.params).enumerate() {
        let refuse = |line: String| {
            let line = format!("{} of `{}`: {line}", parameter(index, param), kernel.info.symbol);
            Failure::new(CL_INVALID_KERNEL_ARGS, line)
        };
        args.push(match arg {
            None => return Err(refuse("not set (clSetKernelArg)".into())),
            Some(KernelArg::Bytes(bytes)) => Arg::Bytes(bytes.clone()),
            Some(KernelArg::Local(bytes)) => Arg::Local(*bytes),
            Some(KernelArg::Image(handle)) => {
                let found = state.buffer(*handle).map_err(|failure| refuse(failure.line))?;
                buffers.push((index, *handle));
                let about = found.image.as_ref().map_or(0, |image| image.about);
                Arg::Bytes(about.to_le_bytes().to_vec())
            }
            Some(KernelArg::Buffer(None)) => Arg::Bytes(vec![0; 8]),
            Some(KernelArg::Buffer(Some(handle))) => {
                let buffer = state.buffer(*handle).map_err(|failure| refuse(failure.line))?;
                if param.space == Space::Constant && buffer.size > CONSTANT {
                    let line = format!(
                        "{} of `{}`: a buffer of {} bytes is larger than constant memory, \
                         {CONSTANT} bytes",
                        parameter(index, param),
                        kernel.info.symbol,
                        buffer.size
                    );
                    return Err(Failure::new(CL_OUT_OF_RESOURCES, line));
                }
                buffers.push((index, *handle));
                Arg::Bytes(buffer.base.to_le_bytes().to_vec())
            }
        });
    }
    Ok(Arguments { values: args, buffers })
}

/// A kernel that was launched.
struct Asked {
    info: KernelInfo,
    identity: u64,
}

/// Tells a judge's device what the host said by a launch.
fn asked(memory: &Memory, report: &LaunchReport, kernel: &Asked, args: &[Arg], range: &NdRange) {
    let mut pointers = Vec::new();
    let mut scalars: Vec<Vec<u8>> = Vec::new();
    for (param, arg) in kernel.info.params.iter().zip(args) {
        match arg {
            Arg::Bytes(bytes) if param.pointee.is_none() => scalars.push(bytes.clone()),
            Arg::Bytes(bytes) => {
                pointers.extend(bytes[..].try_into().ok().map(u64::from_le_bytes));
            }
            Arg::Local(bytes) => scalars.push(bytes.to_le_bytes().to_vec()),
        }
    }
    let dimensions = u64::from(range.work_dim);
    let sizes = range.offset.iter().chain(&range.global).chain([&dimensions]);
    scalars.extend(sizes.map(|size| size.to_le_bytes().to_vec()));
    let scalars = scalars.iter().map(Vec::as_slice);
    evidence::asked(memory, report, kernel.identity, pointers.into_iter(), scalars);
}

/// # Safety
/// The caller's list of events and out-pointer.
unsafe fn enqueue(
    name: &'static str,
    kind: u32,
    queue: cl_command_queue,
    kernel: cl_kernel,
    range: NdRange,
    events: Events,
) -> Done {
    let emulated = emulated()?;
    let state = emulated.lock();
    let context = state.queue(queue as usize)?.context;
    let found = state.kernel(kernel as usize)?;
    if found.context != context {
        return Err(Failure::new(
            CL_INVALID_CONTEXT,
            "queue and kernel belong to different contexts",
        ));
    }
    let Arguments { values: args, buffers } = arguments(&state, found)?;
    opencl::check(emulated.device, &found.info, &range, &args).map_err(refused)?;
    let instance = Arc::clone(&found.instance);
    let kernel = Asked { info: found.info.clone(), identity: found.identity };
    let mut holds: Vec<usize> = buffers.iter().map(|(_, handle)| *handle).collect();
    // The program's variables must stay.
    holds.push(found.program);
    let work = move |emulated: &Emulated, state: &mut State| {
        for (index, handle) in &buffers {
            let param = &kernel.info.params[*index];
            let Ok(buffer) = state.buffer_mut(*handle) else { continue };
            buffer.element.clone_from(&param.pointee);
            emulated.memory.rename(buffer.base, &param.name);
        }
        let (step_limit, touched) = (emulated.step_limit, evidence::is_kept());
        let options = ExecOptions { step_limit, touched, ..ExecOptions::default() };
        let (device, memory) = (emulated.device, &emulated.memory);
        let symbol = &kernel.info.symbol;
        let result = opencl::launch(device, memory, &instance, symbol, &range, &args, &options);
        match result {
            Ok(mut report) => {
                let time = report.predicted_ms * NS_PER_MS;
                evidence::launched(memory, &report);
                asked(memory, &report, &kernel, &args, &range);
                report.touched.clear();
                misused(state, &buffers, &report);
                if !judge::is_one() {
                    print(&report);
                }
                add_report(report);
                Ok(time)
            }
            Err(fault) => Err(failed(state, context, *fault)),
        }
    };
    let request = Request {
        name,
        kind,
        queue,
        events,
        blocking: false,
        engine: Engine::Compute,
        order: Order::Plain,
        holds,
        work: Box::new(work),
    };
    // SAFETY: the caller's promise.
    unsafe { submit(emulated, state, request) }
}

/// Reports buffers that a kernel used against their flags, which has no defined result on a real
/// device.
fn misused(state: &State, buffers: &[(usize, usize)], report: &LaunchReport) {
    for (_, handle) in buffers {
        let Ok(buffer) = state.buffer(*handle) else { continue };
        // A part shares its memory with others, whose flags may be different.
        if buffer.parent.is_some() {
            continue;
        }
        let wrong = [
            (CL_MEM_READ_ONLY, &report.written, "written", "CL_MEM_READ_ONLY"),
            (CL_MEM_WRITE_ONLY, &report.read, "read", "CL_MEM_WRITE_ONLY"),
        ];
        for (flag, touched, verb, name) in wrong {
            if buffer.flags & flag != 0 && touched.contains(&buffer.base) {
                let message = format!(
                    "a buffer made with {name} is {verb} by kernel `{}`: what happens then is not \
                     defined",
                    report.kernel
                );
                add_finding(FaultKind::ReadOnly, "clEnqueueNDRangeKernel", message, None);
            }
        }
    }
}

fn print(report: &LaunchReport) {
    if !report.printf.is_empty() {
        // As on a real device: the text goes to standard output, and a closed pipe is nobody's
        // fault.
        print!("{}", report.printf);
        let _ = std::io::stdout().flush();
    }
    if report.printf_lost > 0 {
        eprintln!(
            "note: {} lines of printf from kernel `{}` did not fit into the buffer",
            report.printf_lost, report.kernel
        );
    }
}

/// A fault spoils the context; a refused launch does not.
fn failed(state: &mut State, context: usize, fault: Fault) -> Failure {
    if matches!(fault.kind, FaultKind::BadLaunch | FaultKind::OutOfMemory) {
        return Failure::new(CL_OUT_OF_RESOURCES, fault.message);
    }
    let failure = Failure::fault(CL_OUT_OF_RESOURCES, &fault);
    add_fault(fault);
    if let Ok(context) = state.context_mut(context) {
        context.fault = Some(failure.clone());
    }
    failure
}

/// Sizes of an NDRange; `None` for null.
///
/// # Safety
/// `at` is null or has `dimensions` entries.
unsafe fn sizes(at: *const usize, dimensions: cl_uint, unused: u64) -> Option<[u64; 3]> {
    if at.is_null() {
        return None;
    }
    let mut sizes = [unused; 3];
    for (i, size) in sizes.iter_mut().enumerate().take(dimensions as usize) {
        // SAFETY: the caller's list.
        *size = unsafe { at.add(i).read_unaligned() } as u64;
    }
    Some(sizes)
}

pub(crate) unsafe fn clEnqueueNDRangeKernel(
    queue: cl_command_queue,
    kernel: cl_kernel,
    work_dim: cl_uint,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    if !(1..=3).contains(&work_dim) {
        let line = format!("an NDRange has 1, 2 or 3 dimensions, not {work_dim}");
        return Err(Failure::new(CL_INVALID_WORK_DIMENSION, line));
    }
    // SAFETY: the caller's lists of `work_dim` sizes.
    let (offset, global, local) = unsafe {
        (sizes(offset, work_dim, 0), sizes(global, work_dim, 1), sizes(local, work_dim, 1))
    };
    let Some(global) = global else {
        return Err(Failure::new(CL_INVALID_GLOBAL_WORK_SIZE, "the global size is null"));
    };
    let range = NdRange { work_dim, offset: offset.unwrap_or_default(), global, local };
    let events = Events { count, list, event };
    let name = "clEnqueueNDRangeKernel";
    // SAFETY: the caller's list and out-pointer.
    unsafe { enqueue(name, CL_COMMAND_NDRANGE_KERNEL, queue, kernel, range, events) }
}

pub(crate) unsafe fn clEnqueueTask(
    queue: cl_command_queue,
    kernel: cl_kernel,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Done {
    let range = NdRange { work_dim: 1, offset: [0; 3], global: [1; 3], local: Some([1; 3]) };
    let events = Events { count, list, event };
    // SAFETY: the caller's list and out-pointer.
    unsafe { enqueue("clEnqueueTask", CL_COMMAND_TASK, queue, kernel, range, events) }
}
