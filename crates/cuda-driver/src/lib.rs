//! The CUDA driver API: forwarded to a real driver, or served by simt.

pub mod wire;
