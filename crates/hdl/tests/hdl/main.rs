//! Tests of the crate, one module per subject.

mod board;
mod conformance;
mod designs;
mod desk;
mod errors;
mod estimate;
// The labs' example design.
#[path = "../../../../lab4-fpga/src/fpgatop.rs"]
mod fpgatop;
mod golden;
mod interchange;
mod interval;
mod plot;
mod proofs;
mod random;
mod simulation;
mod tools;
