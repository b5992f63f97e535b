//! Launches.

use std::io::Write;

use emulation::{evidence, findings, judge};
use simt::device::DeviceModel;
use simt::fault::{Fault, FaultKind};
use simt::report::LaunchReport;
use simt::{ExecOptions, KernelInfo, Launch, ParamInfo};

use super::context::{PRINTF_SIZE, limit_of};
use super::memory;
use super::module::{Kernel, kernel};
use super::order::Extent;
use super::state::{Driver, Engine, State, driver};
use crate::abi::{Handle, Pointers};
use crate::arguments::{self, Slot};
use crate::code;
use crate::failure::{Done, Failure};

/// Where the arguments of a kernel stand; empty for a handle that is none.
pub(crate) fn parameter_slots(function: Handle) -> Vec<Slot> {
    let find = || -> Done<Vec<Slot>> {
        let driver = driver()?;
        let state = driver.lock();
        Ok(slots(&kernel(driver, &state, function)?.info))
    };
    find().unwrap_or_default()
}

/// The largest block of a kernel, 0 for a handle that is none.
pub(crate) fn largest_block(function: Handle) -> u32 {
    let find = || -> Done<u32> {
        let driver = driver()?;
        let info = kernel(driver, &driver.lock(), function)?.info;
        Ok(info.max_threads.unwrap_or(u32::MAX).min(driver.device.max_threads_per_block))
    };
    find().unwrap_or(0)
}

fn slots(info: &KernelInfo) -> Vec<Slot> {
    let mut end = 0usize;
    let slot = |p: &ParamInfo| {
        let offset = end.next_multiple_of(p.align.max(1) as usize);
        end = offset + p.size as usize;
        Slot { name: p.name.clone(), type_name: p.type_name.clone(), offset, size: p.size as usize }
    };
    info.params.iter().map(slot).collect()
}

#[allow(clippy::too_many_arguments)] // the driver API's own list
pub(crate) unsafe fn cuLaunchKernel(
    function: Handle,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: Handle,
    params: Pointers,
    extra: Pointers,
) -> Done {
    let driver = driver()?;
    let state = driver.lock();
    let context = state.context()?;
    let stream = state.stream_handle(stream)?;
    let kernel = kernel(driver, &state, function)?;
    let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
    check(driver.device, &kernel, shared)?;
    let slots = slots(&kernel.info);
    // SAFETY: the caller's arguments.
    let args = unsafe { arguments::read(&kernel.info.symbol, &slots, params, extra) }?;
    let printf_limit = limit_of(&state.contexts[&context], PRINTF_SIZE)?;
    drop(state);

    // One kernel at a time; other threads may go on with the driver meanwhile.
    let engine = driver.lock_engine();
    let mut state = driver.lock();
    state.context()?;
    name_buffers(driver, &mut state, &kernel.info, &args);
    let mirrored = memory::to_device(driver, &mut state, &args)?;
    // With one stream everything is in order, and nobody asks who touched what.
    let several = state.streams.keys().any(|other| *other != stream);
    let touched = several || evidence::is_kept();
    drop(state);
    let launch = Launch { grid, block, dynamic_shared: shared, args, ..Launch::default() };
    let options = ExecOptions {
        printf_limit,
        step_limit: driver.step_limit,
        touched,
        ..ExecOptions::default()
    };
    let Kernel { instance, info, identity, .. } = &kernel;
    let result =
        simt::launch(driver.device, &driver.memory, instance, &info.symbol, &launch, &options);
    let mut state = driver.lock();
    let written = result.as_ref().ok().map(|report| report.written.as_slice());
    memory::to_host(driver, &state, &mirrored, written);
    drop(engine);
    match result {
        Ok(mut report) => {
            evidence::launched(&driver.memory, &report);
            let (pointers, scalars): (Vec<_>, Vec<_>) =
                info.params.iter().zip(&launch.args).partition(|(p, _)| p.pointee.is_some());
            let address = |bytes: &Vec<u8>| Some(u64::from_le_bytes(bytes[..].try_into().ok()?));
            let pointers = pointers.iter().filter_map(|(_, bytes)| address(bytes));
            let scalars = scalars.iter().map(|(_, bytes)| bytes.as_slice());
            evidence::asked(&driver.memory, &report, *identity, pointers, scalars);
            if !several {
                report.touched.clear();
            }
            done(driver, &mut state, stream, &report);
            drop(state);
            if !judge::is_one() {
                print(&report);
            }
            findings::add_report(report);
            Ok(())
        }
        Err(fault) => Err(failed(&mut state, context, *fault)),
    }
}

/// What a real driver refuses beyond the limits that `simt` checks: shared memory that was not
/// asked for. Registers are an estimate here, and an estimate is no reason to refuse.
fn check(device: &DeviceModel, kernel: &Kernel, shared: u32) -> Done {
    let name = &kernel.info.symbol;
    if shared > kernel.max_dynamic_shared && shared <= device.shared_per_block_optin {
        return Err(Failure::invalid(format!(
            "`{name}` is launched with {shared} bytes of dynamic shared memory beside {} static \
             ones, but may have {} (more after `cuFuncSetAttribute`)",
            kernel.info.static_shared, kernel.max_dynamic_shared
        )));
    }
    Ok(())
}

/// Buffers are called as the kernel's parameters that point at them, in faults and findings from
/// here on.
fn name_buffers(driver: &Driver, state: &mut State, info: &KernelInfo, args: &[Vec<u8>]) {
    let mut named = Vec::new();
    for (param, bytes) in info.params.iter().zip(args) {
        let (Some(element), Ok(bytes)) = (&param.pointee, <[u8; 8]>::try_from(bytes.as_slice()))
        else {
            continue;
        };
        let Some(found) = driver.memory.find(u64::from_le_bytes(bytes)) else { continue };
        if named.contains(&found.base) {
            continue;
        }
        named.push(found.base);
        if let Some(note) = state.allocations.get_mut(&found.base) {
            note.element = Some(element.clone());
            driver.memory.rename(found.base, &param.name);
        }
    }
}

fn done(driver: &Driver, state: &mut State, stream: usize, report: &LaunchReport) {
    let issued = state.issue(stream, Engine::Compute, report.predicted_ms);
    let what = format!("kernel `{}`", report.kernel);
    for (list, writes) in [(&report.read, false), (&report.written, true)] {
        for base in list {
            let followed = report.touched.iter().find(|t| t.base == *base);
            let ranges = followed.map(|t| if writes { &t.written } else { &t.read });
            let extent = match ranges {
                Some(ranges) if !ranges.is_empty() => Extent::Parts(ranges.clone()),
                _ => {
                    let size = state.allocations.get(base).map_or(0, |note| note.size);
                    Extent::Some { size }
                }
            };
            state.touch(&driver.memory, &issued, *base, extent, writes, &what);
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
    let code = match fault.kind {
        FaultKind::BadLaunch => code::INVALID_VALUE,
        FaultKind::OutOfMemory => code::OUT_OF_MEMORY,
        FaultKind::OutOfBoundsGlobal
        | FaultKind::OutOfBoundsShared
        | FaultKind::OutOfBoundsLocal
        | FaultKind::ReadOnly => code::ILLEGAL_ADDRESS,
        FaultKind::Misaligned => code::MISALIGNED_ADDRESS,
        FaultKind::StepLimit => code::LAUNCH_TIMEOUT,
        FaultKind::Assert => code::ASSERT,
        _ => code::LAUNCH_FAILED,
    };
    if matches!(fault.kind, FaultKind::BadLaunch | FaultKind::OutOfMemory) {
        return Failure::new(code, fault.message);
    }
    let failure = Failure::fault(code, &fault);
    findings::add_fault(fault);
    if let Some(context) = state.contexts.get_mut(&context) {
        context.fault = Some(failure.clone());
    }
    failure
}
