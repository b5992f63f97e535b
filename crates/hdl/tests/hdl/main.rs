//! Tests of the crate, one module per subject.

mod conformance;
mod designs;
mod errors;
mod golden;
mod random;
mod simulation;
