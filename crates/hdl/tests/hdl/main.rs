//! Tests of the crate, one module per subject.

mod designs;
mod errors;
mod random;
mod simulation;
