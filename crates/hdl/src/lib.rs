//! Hardware described in Rust.
//!
//! A [`Module`] collects signals, registers, memories, processes and instances; [`Module::build`] checks it and gives
//! a [`Block`]. From a block come a cycle-accurate [`Simulator`],
//! and VHDL and Verilog ([`write`]).
//!
//! ```
//! use hdl::{Module, Simulator, signed};
//!
//! let m = Module::new("average2");
//! m.doc("Mean of the present and the last sample, rounded down.");
//! let x = m.input("x", signed(16));
//! let last = x.reg("last");
//! let sum = (x.extend(17) + last.extend(17)).named("sum");
//! m.output("y", sum.slice(16, 1));
//! let block = m.build().unwrap();
//!
//! let mut sim = Simulator::new(&block);
//! sim.set("x", 10).unwrap();
//! sim.step();
//! sim.set("x", 21).unwrap();
//! assert_eq!(sim.get("y").unwrap(), 15);
//! ```
#![forbid(unsafe_code)]

pub mod board;
mod check;
mod error;
mod flat;
mod ir;
mod module;
mod names;
mod signal;
mod sim;
mod trace;
mod types;
pub mod write;

pub use error::{BuildError, BuildErrors, UseError};
pub use ir::{Block, Port};
pub use module::{Instance, Module, Ram, Reg, States, Wire};
pub use signal::{Operand, Sig};
pub use sim::{Probe, Simulator};
pub use trace::Trace;
pub use types::{MAX_WIDTH, Type, bit, signed, unsigned};
