//! Lab 2's exercises and how they are checked: one module per exercise, named after its section.
//!
//! Nothing here links student code. Kernels are compiled and launched in the judge's own emulator;
//! host functions are asked for through a child process; answers are read from files and compared
//! with computed truth.

#![forbid(unsafe_code)]

mod e2_1_01;
mod e2_1_02;
mod e2_1_03;
mod e2_1_04;
mod e2_1_05;
mod e2_1_06;
mod e2_1_07;
mod e2_1_08;
mod e2_1_09;
mod e2_1_10;
mod e2_1_11;
mod e2_1_12;
mod e2_1_13;
mod e2_2_01;
mod e2_2_02;
mod e2_2_03;
mod e2_2_04;
mod e2_2_05;
mod fir_c;
mod fir_host;
mod fir_rig;
mod ladder;
mod mmt;
mod mmt_study;

use grading::{Lab, Source};

/// The lab, for the command and the tests. Its exercises are in the order in which they are to be
/// solved.
pub static LAB: Lab = Lab {
    id: "lab2",
    package: "lab2-optimization",
    title: "Optimising CUDA C programs",
    host_bin: "lab2-host",
    device: Some(("opencl-device", "opencl-device")),
    nearly: ladder::NEARLY,
    exercises: &[
        e2_1_01::EXERCISE,
        e2_1_02::EXERCISE,
        e2_1_03::EXERCISE,
        e2_1_04::EXERCISE,
        e2_1_05::EXERCISE,
        e2_1_06::EXERCISE,
        e2_1_07::EXERCISE,
        e2_1_08::EXERCISE,
        e2_1_09::EXERCISE,
        e2_1_10::EXERCISE,
        e2_1_11::EXERCISE,
        e2_2_01::EXERCISE,
        e2_2_03::EXERCISE,
        e2_2_02::EXERCISE,
        e2_2_04::EXERCISE,
        e2_2_05::EXERCISE,
        e2_1_12::EXERCISE,
        e2_1_13::EXERCISE,
    ],
    sources: &[
        // Models, files, filter design, and the filters of the CPU.
        ("e2_1_01", Source::Host),
        ("e2_1_02", Source::Host),
        ("e2_1_03", Source::Host),
        ("e2_1_04", Source::Host),
        ("e2_1_05", Source::Host),
        ("e2_1_06.gflops", Source::Host),
        ("e2_1_07.map", Source::Host),
        ("e2_1_11", Source::Host),
        ("e2_2_01.shape", Source::Host),
        ("e2_2_01.flop", Source::Host),
        ("e2_2_01.read_dat", Source::Host),
        ("e2_2_02", Source::Host),
    ],
    elsewhere: &[],
};

/// The lab's studies, for `cargo lab study`.
pub const STUDIES: &[grading::study::Study] = &[fir_rig::STUDY, mmt_study::STUDY];
