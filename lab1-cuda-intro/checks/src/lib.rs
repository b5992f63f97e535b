//! Lab 1's exercises and how they are checked: one module per exercise, named after its section.
//!
//! Nothing here links student code. Kernels are compiled and launched in the judge's own emulator;
//! host functions are asked for through a child process; answers are read from files and compared
//! with computed truth.

#![forbid(unsafe_code)]

mod e1_1_01;
mod e1_1_02;
mod e1_1_03;
mod e1_1_04;
mod e1_1_05;
mod e1_1_06;
mod e1_1_07;
mod e1_1_08;
mod e1_1_09;
mod e1_1_10;
mod e1_1_11;
mod e1_1_12;
mod e1_1_13;
mod e1_1_14;
mod e1_1_15;
mod e1_2_01;
mod e1_2_02;
mod julia;
mod ladder;
mod model;
mod ptx;
mod vectors;

use grading::{Lab, Source};

/// The lab, for the command and the tests. Its exercises are in the order in which they are to be
/// solved.
pub static LAB: Lab = Lab {
    id: "lab1",
    package: "lab1-cuda-intro",
    title: "Getting to know the CUDA environment",
    host_bin: "lab1-host",
    device: None,
    nearly: ladder::NEARLY,
    exercises: &[
        e1_1_01::EXERCISE,
        e1_1_02::EXERCISE,
        e1_1_03::EXERCISE,
        e1_1_04::EXERCISE,
        e1_1_05::EXERCISE,
        e1_1_06::EXERCISE,
        e1_1_07::EXERCISE,
        e1_1_08::EXERCISE,
        e1_1_09::EXERCISE,
        e1_1_10::EXERCISE,
        e1_1_11::EXERCISE,
        e1_1_12::EXERCISE,
        e1_1_13::EXERCISE,
        e1_1_14::EXERCISE,
        e1_1_15::EXERCISE,
        e1_2_01::EXERCISE,
        e1_2_02::EXERCISE,
    ],
    sources: &[
        // Helpers, statistics, rates, texts, and the pictures of the CPU.
        ("e1_1_02.device_line", Source::Host),
        ("e1_1_03.fill", Source::Host),
        ("e1_1_03.verify", Source::Host),
        ("e1_1_05.best_of", Source::Host),
        ("e1_1_08.fill", Source::Host),
        ("e1_1_08.max_abs_err", Source::Host),
        ("e1_1_08.max_abs_err_exact", Source::Host),
        ("e1_1_08.gflops", Source::Host),
        ("e1_1_09", Source::Host),
        ("e1_1_11", Source::Host),
        ("e1_1_12", Source::Host),
        ("e1_1_14.max_abs_err", Source::Host),
        ("e1_2_01", Source::Host),
        // Times, and the log of calls.
        ("e1_1_05.gross_time", Source::Both),
        ("e1_1_06", Source::Both),
    ],
    elsewhere: &["e1_1_13", "e1_1_14"],
};
