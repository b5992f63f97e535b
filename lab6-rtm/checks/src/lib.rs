//! Lab 6's exercises and how they are checked: one module per exercise, named after its section.
//!
//! Nothing here links student code. Kernels are compiled and launched in the judge's own emulator;
//! host functions are asked for through a child process; answers are read from files and compared
//! with computed truth.

#![forbid(unsafe_code)]

mod compare;
mod e6_1;
mod e6_2;
mod e6_3;
mod e6_4;
mod e6_5;
mod e6_6;
mod e6_7;
mod e6_8;
mod e6_9;
mod ladder;
mod shot;
mod stencil;

use grading::{Lab, Source};

/// The lab, for the command and the tests. Its exercises are in the order in which they are to be
/// solved.
pub static LAB: Lab = Lab {
    id: "lab6",
    package: "lab6-rtm",
    title: "Capstone: the kernels of reverse time migration",
    host_bin: "lab6-host",
    device: None,
    nearly: ladder::NEARLY,
    exercises: &[
        e6_1::EXERCISE,
        e6_2::EXERCISE,
        e6_3::EXERCISE,
        e6_4::EXERCISE,
        e6_5::EXERCISE,
        e6_6::EXERCISE,
        e6_7::EXERCISE,
        e6_8::EXERCISE,
        e6_9::EXERCISE,
    ],
    sources: &[
        // Plans of what is stored when.
        ("e6_8", Source::Host),
    ],
    elsewhere: &[],
};
