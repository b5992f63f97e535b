//! Lab 4's exercises and how they are checked: one module per exercise, named after its section.
//!
//! Nothing here links student code. A child process builds the student's design and hands over its
//! netlist; the judge simulates and counts that netlist in its own process.

#![forbid(unsafe_code)]

mod e4_0;
mod e4_1;
mod e4_2;
mod e4_3;
mod e4_4;
mod e4_5;
mod e4_6;
mod e4_7;
mod ladder;
mod model;
mod rig;
mod study;

use grading::study::TableStudy;
use grading::{Lab, Source};

/// The lab, for the command and the tests. Its exercises are in the order in which they are to be
/// solved.
pub static LAB: Lab = Lab {
    id: "lab4",
    package: "lab4-fpga",
    title: "Arithmetic in an FPGA",
    host_bin: "lab4-host",
    device: None,
    nearly: ladder::NEARLY,
    exercises: &[
        e4_0::EXERCISE,
        e4_1::EXERCISE,
        e4_2::EXERCISE,
        e4_3::EXERCISE,
        e4_4::EXERCISE,
        e4_5::EXERCISE,
        e4_6::EXERCISE,
        e4_7::EXERCISE,
    ],
    sources: &[
        // Netlists, which the judge simulates itself.
        ("", Source::Host),
    ],
    elsewhere: &[],
};

pub use study::experiments;

/// The lab's studies, for `cargo lab study`.
pub const TABLES: &[TableStudy] = &[study::STUDY];
