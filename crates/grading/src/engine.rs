//! Between the rig and `simt`: compiles, makes the buffers of one launch in a memory of their own,
//! launches, reads back.

use simt::device::DeviceModel;
use simt::fault::{Fault, FaultKind, ThreadAction};
use simt::pattern::Pattern;
use simt::report::LaunchReport;
use simt::{ExecOptions, Instance, Launch, Memory, MemoryError, Program};

use crate::plan::{Argument, LaunchPlan};
use crate::{Class, Finding};

/// Device memory of a kernel file's own, beside the check's buffers, in bytes. Memory of the host
/// is taken only as far as it is written, but a stranger's file may write all.
const OWN: u64 = 256 << 20;

/// What a launch left: its report, and bytes and first never-written byte of each buffer argument.
#[derive(Debug)]
pub(crate) struct Done {
    pub report: LaunchReport,
    pub buffers: Vec<(Vec<u8>, Option<u64>)>,
}

/// A launch with everything it needs in a memory of its own.
struct Stage {
    memory: Memory,
    instance: Instance,
    launch: Launch,
    options: ExecOptions,
    /// Address and bytes of each buffer argument; `None` for one of no elements.
    buffers: Vec<Option<(u64, usize)>>,
}

fn stage(program: &Program, plan: &LaunchPlan, args: &[Argument]) -> Result<Stage, Finding> {
    let of_check = args.iter().map(|arg| match arg {
        Argument::Buffer { len, .. } => *len as u64,
        Argument::Scalar { .. } => 0,
    });
    let memory = Memory::new(OWN + of_check.sum::<u64>());
    let instance = Instance::load(program, &memory).map_err(|error| match error {
        MemoryError::OutOfMemory { .. } => {
            let text =
                format!("the file's variables take more than {} MB of device memory", OWN >> 20);
            Finding::new(Class::Memory, text)
        }
        other => setup(other),
    })?;
    for (name, bytes) in &plan.globals {
        let Some((address, size)) = instance.global(name) else {
            return Err(Finding::wrong(format!("there is no variable {name} at file scope")));
        };
        if bytes.len() as u64 > size {
            return Err(Finding::wrong(format!(
                "{name} has {size} bytes, the exercise copies {} to it",
                bytes.len()
            )));
        }
        memory.write(address, bytes).map_err(setup)?;
    }
    let mut passed = Vec::new();
    let mut buffers = Vec::new();
    for arg in args {
        match arg {
            Argument::Scalar { bytes, .. } => passed.push(bytes.clone()),
            // As on a real device, a buffer of no elements is a null pointer.
            Argument::Buffer { len: 0, .. } => {
                passed.push(0u64.to_le_bytes().to_vec());
                buffers.push(None);
            }
            Argument::Buffer { name, bytes, len, offset, .. } => {
                let base = memory.alloc(*len as u64, name).map_err(setup)?;
                if let Some(bytes) = bytes {
                    memory.write(base, bytes).map_err(setup)?;
                }
                passed.push(base.wrapping_add(*offset).to_le_bytes().to_vec());
                buffers.push(Some((base, *len)));
            }
        }
    }
    let launch = Launch {
        grid: plan.grid,
        block: plan.block,
        dynamic_shared: plan.dynamic_shared,
        args: passed,
        ..Launch::default()
    };
    let options = ExecOptions { step_limit: plan.step_limit, ..ExecOptions::default() };
    Ok(Stage { memory, instance, launch, options, buffers })
}

fn device() -> Result<&'static DeviceModel, Finding> {
    simt::device::model("h200").ok_or_else(|| Finding::grader("no model h200"))
}

/// The costliest request of each source line; none if the launch faults.
pub(crate) fn patterns(
    program: &Program,
    plan: &LaunchPlan,
    args: &[Argument],
) -> Result<Vec<Pattern>, Finding> {
    let Stage { memory, instance, launch, options, .. } = stage(program, plan, args)?;
    let found = simt::patterns(device()?, &memory, &instance, &plan.kernel, &launch, &options);
    Ok(found.unwrap_or_default())
}

/// One launch on fresh memory. The inner error is the kernel's fault, the outer one the check's
/// mistake.
pub(crate) fn launch(
    program: &Program,
    plan: &LaunchPlan,
    args: &[Argument],
) -> Result<Result<Done, Box<Fault>>, Finding> {
    let Stage { memory, instance, launch, options, buffers } = stage(program, plan, args)?;
    let device = device()?;
    let report = match simt::launch(device, &memory, &instance, &plan.kernel, &launch, &options) {
        Ok(report) => report,
        Err(fault) => return Ok(Err(fault)),
    };
    // The check reads every buffer: there it shows that a kernel has made something of
    // never-written memory.
    if let Some(fault) = buffers.iter().flatten().find_map(|(at, n)| memory.origin(*at, *n as u64))
    {
        return Ok(Err(Box::new(fault)));
    }
    let read = |buffer: Option<(u64, usize)>| {
        let Some((base, len)) = buffer else { return Ok((Vec::new(), None)) };
        let mut bytes = vec![0; len];
        let state = memory.read(base, &mut bytes)?;
        Ok((bytes, state.first_unwritten))
    };
    let buffers: Result<_, MemoryError> = buffers.into_iter().map(read).collect();
    Ok(Ok(Done { report, buffers: buffers.map_err(setup)? }))
}

fn setup(error: MemoryError) -> Finding {
    Finding::grader(format!("setting up the launch: {error}"))
}

/// True for a store out of its buffer.
pub(crate) fn is_store(fault: &Fault) -> bool {
    let stores = fault.site.as_ref().is_some_and(|site| site.action == ThreadAction::Writes);
    fault.kind == FaultKind::OutOfBoundsGlobal && stores
}
