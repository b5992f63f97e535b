//! Lab 5's exercises and how they are checked: one module per exercise, named after its section.
//!
//! Nothing here links student code. A child process builds the student's cores and hands over their
//! netlists; the judge simulates and counts them in its own process, and compares with the integer
//! models of `ipcores`.

#![forbid(unsafe_code)]

mod e5_1;
mod e5_10;
mod e5_11;
mod e5_2;
mod e5_3;
mod e5_4;
mod e5_5;
mod e5_6;
mod e5_7;
mod e5_8;
mod e5_9;
mod fft;
mod fir;
mod ladder;
mod study;

use grading::study::TableStudy;
use grading::{Lab, Source};

/// The lab, for the command and the tests. Its exercises are in the order in which they are to be
/// solved.
pub static LAB: Lab = Lab {
    id: "lab5",
    package: "lab5-fpga-ip",
    title: "Library cores in an FPGA",
    host_bin: "lab5-host",
    device: None,
    nearly: ladder::NEARLY,
    exercises: &[
        e5_1::EXERCISE,
        e5_2::EXERCISE,
        e5_3::EXERCISE,
        e5_4::EXERCISE,
        e5_5::EXERCISE,
        e5_6::EXERCISE,
        e5_7::EXERCISE,
        e5_8::EXERCISE,
        e5_9::EXERCISE,
        e5_10::EXERCISE,
        e5_11::EXERCISE,
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
