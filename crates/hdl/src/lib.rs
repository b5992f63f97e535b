#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod board;
mod check;
pub mod desk;
pub mod diagram;
mod draft;
mod error;
pub mod estimate;
mod facts;
mod flat;
mod handles;
pub mod inspect;
mod interchange;
pub mod interval;
mod ir;
mod module;
mod names;
pub mod plot;
mod signal;
mod sim;
pub mod stimulus;
pub mod tools;
mod trace;
mod types;
pub mod write;

pub use error::{BuildError, BuildErrors, UseError};
pub use handles::{Module, Reg, Sig, Wire};
pub use ir::{Block, Port};
pub use module::{Instance, Ram, States};
pub use signal::Operand;
pub use sim::{Probe, Simulator};
pub use trace::{Trace, timing};
pub use types::{MAX_WIDTH, Type, bit, signed, unsigned};
