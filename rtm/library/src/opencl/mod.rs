//! OpenCL: the migration's back end ([`engine`]) on the devices of this machine ([`device`]: chosen
//! by a word; programs, buffers, launches, times of events).

pub mod device;
pub mod engine;

pub use device::{Device, Session};
pub use engine::OpenCl;
