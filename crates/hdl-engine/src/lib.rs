//! The inner loop of hdl's simulator: a short program of fixed-size instructions that runs once per
//! clock.
//!
//! A crate of its own so that it alone is compiled for speed; `hdl` makes the programs and gives
//! signals their names. A machine computes every signal of a cycle, until it has run for a while:
//! then a plan computes what the edge and the watched signals need, in fewer and faster steps.
#![forbid(unsafe_code)]

mod cover;
mod graph;
mod layout;
mod machine;
mod plan;
mod program;
mod run;

pub use machine::Machine;
pub use program::{Code, Instruction, Memory, Program, Source};
