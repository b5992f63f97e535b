//! Running kernels of OpenCL C: build options, ranges, arguments.
//!
//! A work-group is a block: its work-items lie in warps of 32 in the order of their local ids,
//! local memory is shared memory, private memory is thread-local memory. [`launch`] turns a range
//! and arguments into a [`Launch`]; all checks and counters are those of the executor.

use std::path::PathBuf;

use crate::bytecode::VarInfo;
use crate::device::DeviceModel;
use crate::exec::{ExecOptions, Launch, Range};
use crate::fault::{Fault, FaultKind};
use crate::hir::Space;
use crate::language::{CompileOptions, Language, OpenClVersion};
use crate::memory::{Memory, SHARED_BASE};
use crate::program::{Instance, KernelInfo};
use crate::report::LaunchReport;

/// What `clEnqueueNDRangeKernel` is told. Axes beyond `work_dim` have offset 0 and size 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NdRange {
    /// 1 to 3.
    pub work_dim: u32,
    /// First global id.
    pub offset: [u64; 3],
    /// Work-items.
    pub global: [u64; 3],
    /// Work-items of a group; `None`: chosen by [`work_group`].
    pub local: Option<[u64; 3]>,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// Scalars, vectors and structs by value; `__global` and `__constant` pointers as 8 bytes, an
    /// address in [`Memory`].
    Bytes(Vec<u8>),
    /// Bytes of local memory for a `__local` pointer.
    Local(u64),
}

/// Why a launch is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchError {
    /// Which rule of the OpenCL API is broken.
    pub kind: LaunchErrorKind,
    /// One sentence.
    pub message: String,
}

/// The rules that a launch can break, each with an error code of the OpenCL API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchErrorKind {
    /// `CL_INVALID_WORK_DIMENSION`
    WorkDimension,
    /// `CL_INVALID_GLOBAL_WORK_SIZE`
    GlobalWorkSize,
    /// `CL_INVALID_GLOBAL_OFFSET`
    GlobalOffset,
    /// `CL_INVALID_WORK_GROUP_SIZE`
    WorkGroupSize,
    /// `CL_INVALID_WORK_ITEM_SIZE`
    WorkItemSize,
    /// `CL_INVALID_KERNEL_ARGS`
    ArgCount,
    /// `CL_INVALID_ARG_SIZE`
    ArgSize {
        /// Number of the argument, from 0.
        index: usize,
    },
    /// `CL_INVALID_ARG_VALUE`
    ArgValue {
        /// Number of the argument, from 0.
        index: usize,
    },
    /// `CL_OUT_OF_RESOURCES`
    OutOfResources,
}

fn refuse<T>(kind: LaunchErrorKind, message: String) -> Result<T, LaunchError> {
    Err(LaunchError { kind, message })
}

/// Compiler options from the text that a host gives `clBuildProgram`. Folders after `-I` are
/// relative to the current one.
///
/// # Errors
/// A sentence about an option that does not exist.
pub fn build_options(file: &str, text: &str) -> Result<CompileOptions, String> {
    let mut options = CompileOptions {
        file: file.into(),
        language: Language::OpenClC,
        ..CompileOptions::default()
    };
    let words = split(text)?;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = |rest: &str, what: &str| match rest {
            "" => words.next().cloned().ok_or(format!("{what} is missing after `{word}`")),
            rest => Ok(rest.to_string()),
        };
        if let Some(rest) = word.strip_prefix("-D") {
            options.defines.push(value(rest, "a name")?);
        } else if let Some(rest) = word.strip_prefix("-I") {
            options.include_dirs.push(PathBuf::from(value(rest, "a folder")?));
        } else if let Some(version) = word.strip_prefix("-cl-std=") {
            options.opencl = OpenClVersion::of_option(version).ok_or_else(|| {
                format!(
                    "`{word}`: the emulator compiles OpenCL C 1.0 to 3.0, as in `-cl-std=CL1.2`"
                )
            })?;
        } else {
            match word.as_str() {
                "-cl-mad-enable" => options.contract = true,
                "-cl-fast-relaxed-math" => {
                    options.contract = true;
                    options.defines.push("__FAST_RELAXED_MATH__".into());
                }
                "-cl-single-precision-constant" => options.single_constants = true,
                "-cl-opt-disable"
                | "-cl-denorms-are-zero"
                | "-cl-no-signed-zeros"
                | "-cl-unsafe-math-optimizations"
                | "-cl-finite-math-only"
                | "-cl-strict-aliasing"
                | "-cl-fp32-correctly-rounded-divide-sqrt"
                | "-cl-kernel-arg-info"
                | "-cl-nv-verbose"
                | "-cl-uniform-work-group-size"
                | "-cl-no-subgroup-ifp"
                | "-w"
                | "-Werror"
                | "-g" => {}
                _ => return Err(format!("unknown build option `{word}`")),
            }
        }
    }
    Ok(options)
}

/// Words of a command line, with double quotes around blanks.
fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let (mut word, mut open, mut begun) = (String::new(), false, false);
    for c in text.chars() {
        match c {
            '"' => {
                open = !open;
                begun = true;
            }
            c if c.is_whitespace() && !open => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            c => {
                word.push(c);
                begun = true;
            }
        }
    }
    if open {
        return Err("a `\"` in the build options is never closed".into());
    }
    if begun {
        words.push(word);
    }
    Ok(words)
}

/// Work-group size of a launch: as given, or as the kernel requires, or the largest that divides
/// the range.
///
/// # Errors
/// If the range, the size or the kernel's attribute do not fit together or the device.
pub fn work_group(
    device: &DeviceModel,
    kernel: &KernelInfo,
    range: &NdRange,
) -> Result<[u32; 3], LaunchError> {
    use LaunchErrorKind as K;
    let name = &kernel.name;
    if !(1..=3).contains(&range.work_dim) {
        return refuse(
            K::WorkDimension,
            format!("a range has 1 to 3 dimensions, not {}", range.work_dim),
        );
    }
    let dims = range.work_dim as usize;
    for axis in 0..3 {
        let (size, offset) = (range.global[axis], range.offset[axis]);
        if axis >= dims && (size != 1 || offset != 0) {
            return refuse(
                K::WorkDimension,
                format!("`{name}`: dimension {axis} is not used and must have size 1"),
            );
        }
        if size == 0 {
            return refuse(
                K::GlobalWorkSize,
                format!("`{name}` was started with 0 work-items in dimension {axis}"),
            );
        }
        if size.saturating_add(offset) > i32::MAX as u64 {
            let kind = if offset == 0 { K::GlobalWorkSize } else { K::GlobalOffset };
            return refuse(kind, format!("`{name}`: global ids beyond 2^31 - 1 are not supported"));
        }
    }
    let most = kernel.max_threads.unwrap_or(u32::MAX).min(device.max_threads_per_block);
    let local = match (range.local, kernel.work_group) {
        (Some(local), Some(required)) if local != required.map(u64::from) => {
            return refuse(
                K::WorkGroupSize,
                format!("`{name}` requires work-groups of {required:?}, not {local:?}"),
            );
        }
        (Some(local), _) => local,
        (None, Some(required)) => required.map(u64::from),
        (None, None) => {
            let mut left = u64::from(most.min(256));
            let mut local = [1; 3];
            for (axis, slot) in local.iter_mut().enumerate().take(dims) {
                let cap = left.min(u64::from(device.max_block[axis]));
                let fits = |n: &u64| range.global[axis].is_multiple_of(*n);
                *slot = (1..=cap).rev().find(fits).unwrap_or(1);
                left /= *slot;
            }
            local
        }
    };
    for axis in 0..3 {
        let (n, max) = (local[axis], u64::from(device.max_block[axis]));
        if n == 0 || axis >= dims && n != 1 {
            return refuse(
                K::WorkGroupSize,
                format!("`{name}`: a work-group of {local:?} makes no sense"),
            );
        }
        if n > max {
            return refuse(
                K::WorkItemSize,
                format!(
                    "`{name}`: a work-group of {n} in dimension {axis} is too large: at most {max}"
                ),
            );
        }
        if !range.global[axis].is_multiple_of(n) {
            return refuse(
                K::WorkGroupSize,
                format!(
                    "`{name}`: {} work-items in dimension {axis} are not divisible into groups of \
                     {n}: round the global size up, and let the kernel leave the extra work-items \
                     out",
                    range.global[axis]
                ),
            );
        }
    }
    let items: u64 = local.iter().product();
    if items > u64::from(most) {
        return refuse(
            K::WorkGroupSize,
            format!("`{name}`: a work-group of {items} work-items is too large: at most {most}"),
        );
    }
    Ok(local.map(|n| n as u32))
}

/// All checks of a launch; the work-group size.
///
/// # Errors
/// As [`work_group`]; also arguments that do not fit the parameters, and too much local memory.
pub fn check(
    device: &DeviceModel,
    kernel: &KernelInfo,
    range: &NdRange,
    args: &[Arg],
) -> Result<[u32; 3], LaunchError> {
    use LaunchErrorKind as K;
    let name = &kernel.name;
    let local = work_group(device, kernel, range)?;
    if args.len() != kernel.params.len() {
        let names: Vec<&str> = kernel.params.iter().map(|p| p.name.as_str()).collect();
        return refuse(
            K::ArgCount,
            format!(
                "`{name}` has {} parameters ({}), but {} arguments were set",
                kernel.params.len(),
                names.join(", "),
                args.len()
            ),
        );
    }
    let mut bytes = u64::from(kernel.static_shared);
    for (index, (param, arg)) in kernel.params.iter().zip(args).enumerate() {
        let local = param.pointee.is_some() && param.space == Space::Shared;
        match arg {
            Arg::Local(_) if !local => {
                return refuse(
                    K::ArgValue { index },
                    format!(
                        "argument {index} of `{name}`: `{}` is a `{}`, not a `__local` pointer, \
                         and needs a value",
                        param.name, param.type_name
                    ),
                );
            }
            Arg::Local(0) => {
                return refuse(
                    K::ArgSize { index },
                    format!(
                        "argument {index} of `{name}`: `{}` gets 0 bytes of local memory",
                        param.name
                    ),
                );
            }
            Arg::Local(n) => bytes = bytes.next_multiple_of(16).saturating_add(*n),
            Arg::Bytes(_) if local => {
                return refuse(
                    K::ArgValue { index },
                    format!(
                        "argument {index} of `{name}`: `{}` is a `__local` pointer: give its size \
                         in bytes and no value",
                        param.name
                    ),
                );
            }
            Arg::Bytes(value) if value.len() != param.size as usize => {
                return refuse(
                    K::ArgSize { index },
                    format!(
                        "argument {index} of `{name}`: `{}` is a `{}` of {} bytes, but {} bytes \
                         were given",
                        param.name,
                        param.type_name,
                        param.size,
                        value.len()
                    ),
                );
            }
            Arg::Bytes(_) => {}
        }
    }
    let max = u64::from(device.shared_per_block_optin);
    if bytes > max {
        return refuse(
            K::OutOfResources,
            format!(
                "`{name}` asks for {bytes} bytes of local memory per work-group: at most {max}"
            ),
        );
    }
    Ok(local)
}

/// Bytes between two local arguments that belong to neither: what reaches beyond one does not land
/// in the next.
const GAP: u32 = 256;

/// Turns a range and arguments into what the executor runs.
///
/// # Errors
/// As [`check`].
pub fn prepare(
    device: &DeviceModel,
    kernel: &KernelInfo,
    range: &NdRange,
    args: &[Arg],
) -> Result<Launch, LaunchError> {
    let block = check(device, kernel, range, args)?;
    let mut end = kernel.static_shared;
    let mut dynamic = 0u32;
    let mut vars = Vec::new();
    let mut bytes = Vec::with_capacity(args.len());
    for (param, arg) in kernel.params.iter().zip(args) {
        bytes.push(match arg {
            Arg::Bytes(value) => value.clone(),
            Arg::Local(n) => {
                let size = *n as u32;
                // The same banks as without the gaps: rows of 128 bytes stay rows.
                let offset = (end + GAP).next_multiple_of(128);
                end = offset + size;
                dynamic = dynamic.next_multiple_of(16) + size;
                let elem = param.pointee.as_ref().map_or(1, |p| p.1.max(1));
                vars.push(VarInfo {
                    name: param.name.clone(),
                    offset,
                    size,
                    dims: vec![u64::from(size / elem)],
                    elem,
                });
                (SHARED_BASE + u64::from(offset)).to_le_bytes().to_vec()
            }
        });
    }
    let grid = std::array::from_fn(|axis| (range.global[axis] / u64::from(block[axis])) as u32);
    let offset = range.offset.map(|n| n as u32);
    let range = Range { offset, work_dim: range.work_dim, local: vars };
    Ok(Launch { grid, block, dynamic_shared: dynamic, args: bytes, range })
}

/// Runs a kernel over a range.
///
/// # Errors
/// As [`crate::launch`]; what [`check`] refuses is a fault of kind `BadLaunch` with its sentence.
pub fn launch(
    device: &DeviceModel,
    memory: &Memory,
    instance: &Instance,
    kernel: &str,
    range: &NdRange,
    args: &[Arg],
    options: &ExecOptions,
) -> Result<LaunchReport, Box<Fault>> {
    let refused = |message: String| {
        Box::new(Fault {
            kind: FaultKind::BadLaunch,
            kernel: kernel.into(),
            message,
            site: None,
            other: None,
            target: None,
            threads: 1,
            also: Vec::new(),
        })
    };
    let Some(info) = instance.program().kernel(kernel) else {
        return Err(refused(format!("there is no kernel `{kernel}` in this program")));
    };
    let launch = prepare(device, info, range, args).map_err(|e| refused(e.message))?;
    crate::exec::launch(device, memory, instance, kernel, &launch, options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_options_are_read() {
        let o =
            build_options("k.cl", "-DN=4 -D T=float -I inc -cl-mad-enable -D\"A=b c\" -w").unwrap();
        assert_eq!(o.defines, ["N=4", "T=float", "A=b c"]);
        assert_eq!(o.include_dirs, [PathBuf::from("inc")]);
        assert!(o.contract && o.language == Language::OpenClC);
        assert!(build_options("k.cl", "-cl-std=CLC++").is_err());
        assert!(build_options("k.cl", "-cl-nonsense").unwrap_err().contains("-cl-nonsense"));
        assert!(build_options("k.cl", "-D").is_err());
    }
}
