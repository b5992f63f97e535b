//! The emulated driver: one device of `simt` behind the functions of the driver API.
//!
//! One mutex guards the bookkeeping ([`State`]); kernels run outside of it, one at a time. Each
//! file holds the functions of one noun. A function here returns what the exported one of the same
//! name turns into a result code.
#![allow(non_snake_case)]

mod context;
mod device;
mod event;
mod image;
mod launch;
mod library;
mod memory;
mod module;
mod occupancy;
mod order;
mod refused;
mod state;
mod stream;
mod transfer;

pub(crate) use context::*;
pub(crate) use device::*;
pub(crate) use event::*;
pub(crate) use launch::*;
pub use library::{Operation, room};
pub(crate) use memory::*;
pub(crate) use module::*;
pub(crate) use occupancy::*;
pub(crate) use refused::*;
pub(crate) use state::give;
pub(crate) use stream::*;
pub(crate) use transfer::*;

/// The GPU that the emulated device stands in for.
///
/// # Errors
/// `LAB_GPU` or `LAB_DEVICE_MEMORY` has a value that means nothing.
pub fn device_model() -> Result<&'static simt::device::DeviceModel, String> {
    state::driver().map(|d| d.device).map_err(|failure| failure.line)
}
