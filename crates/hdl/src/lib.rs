#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod board;
mod check;
pub mod desk;
pub mod diagram;
mod error;
pub mod estimate;
mod facts;
mod flat;
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
pub use ir::{Block, Port};
pub use module::{Instance, Module, Ram, Reg, States, Wire};
pub use signal::{Operand, Sig};
pub use sim::{Probe, Simulator};
pub use trace::{Trace, timing};
pub use types::{MAX_WIDTH, Type, bit, signed, unsigned};
