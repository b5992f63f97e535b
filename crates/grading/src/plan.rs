//! A launch as plain data: what a check has put together, and what the engine carries out.

/// Warp instructions that a launch may take unless the check says otherwise: some seconds of
/// emulation.
pub const STEP_LIMIT: u64 = 20_000_000;

/// One kernel argument.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    /// A buffer: name, initial bytes (`None`: never written), length in bytes, element size.
    Buffer {
        name: String,
        bytes: Option<Vec<u8>>,
        len: usize,
        elem: usize,
        role: Role,
        /// Bytes from the buffer's start to where the pointer points.
        offset: u64,
    },
    /// A value's bytes and its Rust type.
    Scalar { bytes: Vec<u8>, type_name: &'static str },
}

/// What a buffer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Input,
    Output,
    InOut,
}

/// Everything of a launch but the arguments.
#[derive(Clone, Debug)]
pub(crate) struct LaunchPlan {
    pub kernel: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    pub step_limit: u64,
    /// Values of `__constant__` and `__device__` variables.
    pub globals: Vec<(String, Vec<u8>)>,
}
