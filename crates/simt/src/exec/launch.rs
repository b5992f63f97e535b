//! What is launched, and with which checks and limits.

use crate::bytecode::VarInfo;

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
    /// What only OpenCL has; [`crate::opencl::launch`] fills it.
    pub range: Range,
}

/// The part of a launch that only OpenCL has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// First global id, by axis.
    pub offset: [u32; 3],
    /// Dimensions of the range: 1 to 3.
    pub work_dim: u32,
    /// Where the local arguments lie in shared memory.
    pub(crate) local: Vec<VarInfo>,
}

/// How to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecOptions {
    /// Look for data races. Without it, the result of a kernel that has races may depend on the
    /// number of cores.
    pub races: bool,
    /// Look for reads of values never written.
    pub uninit: bool,
    /// Warp instructions after which a launch is stopped.
    pub step_limit: u64,
    /// Blocks that run at the same time; `None`: as many as cores.
    pub threads: Option<usize>,
    /// Bytes of `printf` output that are kept.
    pub printf_limit: usize,
    /// Report the bytes of global memory that were touched ([`crate::report::Touched`]). Needs
    /// `races`.
    pub touched: bool,
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
            touched: false,
        }
    }
}
