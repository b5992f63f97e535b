//! Running kernels: launch checks, blocks, warps, and the report.

use crate::device::DeviceModel;
use crate::fault::{Fault, FaultKind};
use crate::memory::Memory;
pub use crate::program::Instance;
use crate::report::LaunchReport;

/// A launch: what stands between `<<<` and `>>>`, and the arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// Blocks, by axis.
    pub grid: [u32; 3],
    /// Threads of a block, by axis.
    pub block: [u32; 3],
    /// Bytes of `extern __shared__` memory.
    pub dynamic_shared: u32,
    /// The bytes of each argument, little-endian.
    pub args: Vec<Vec<u8>>,
}

/// How to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecOptions {
    /// Look for data races. Without it, the result of a kernel that has races may depend on the number of cores.
    pub races: bool,
    /// Look for reads of values never written.
    pub uninit: bool,
    /// Warp instructions after which a launch is stopped.
    pub step_limit: u64,
    /// Blocks that run at the same time; `None`: as many as cores.
    pub threads: Option<usize>,
    /// Bytes of `printf` output that are kept.
    pub printf_limit: usize,
}

impl Default for ExecOptions {
    /// All checks on, 2^28 warp instructions, 1 MiB of output.
    fn default() -> ExecOptions {
        ExecOptions {
            races: true,
            uninit: true,
            step_limit: 1 << 28,
            threads: None,
            printf_limit: 1 << 20,
        }
    }
}

/// Runs the kernel `symbol` to its end.
///
/// # Errors
/// A refused launch, or the first fault in block order. The memory stays valid; what the kernel wrote before stays.
pub fn launch(
    _device: &DeviceModel,
    _memory: &Memory,
    _instance: &Instance,
    symbol: &str,
    _launch: &Launch,
    _options: &ExecOptions,
) -> Result<LaunchReport, Box<Fault>> {
    Err(Box::new(Fault {
        kind: FaultKind::BadLaunch,
        kernel: symbol.into(),
        message: "the executor is not there yet".into(),
        site: None,
        other: None,
        target: None,
        threads: 1,
    }))
}
