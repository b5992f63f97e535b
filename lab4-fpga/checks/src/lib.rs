//! Lab 4's exercises and how they are checked: one module per exercise, named after its section.
//!
//! Nothing here links student code. A child process builds the student's design and hands over its netlist; the judge
//! simulates and counts that netlist in its own process.

mod e4_0;
mod e4_1;
mod model;
mod rig;

use grading::Lab;
use grading::study::TableStudy;

/// The lab, for the command and the tests. Its exercises are in the order in which they are to be solved.
pub static LAB: Lab = Lab {
    id: "lab4",
    package: "lab4-fpga",
    title: "Arithmetic in an FPGA",
    host_bin: "lab4-host",
    exercises: &[e4_0::EXERCISE, e4_1::EXERCISE],
};

/// The lab's studies, for `cargo lab study`.
pub const TABLES: &[TableStudy] = &[];
