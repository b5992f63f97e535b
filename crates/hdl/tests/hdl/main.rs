//! Tests of the crate, one module per subject.

mod board;
mod conformance;
mod designs;
mod errors;
mod estimate;
mod golden;
mod random;
mod simulation;
