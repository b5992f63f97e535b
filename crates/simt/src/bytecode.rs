//! Register bytecode, 32 lanes wide.

/// Code of one kernel.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Registers of a thread, an estimate.
    pub registers: u32,
    /// Static shared memory in bytes.
    pub static_shared: u32,
    /// Thread-local memory in bytes.
    pub local_bytes: u32,
}
