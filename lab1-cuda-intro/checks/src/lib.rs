//! Lab 1's exercises and how they are checked: one module per exercise, named after its section.
//!
//! Nothing here links student code. Kernels are compiled and launched in the judge's own emulator; host functions are
//! asked for through a child process; answers are read from files and compared with computed truth.

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
mod e1_2_01;
mod e1_2_02;
mod model;

use grading::Lab;

/// The lab, for the command and the tests.
pub static LAB: Lab = Lab {
    id: "lab1",
    package: "lab1-cuda-intro",
    title: "Getting to know the CUDA environment",
    host_bin: "lab1-host",
    // One line per exercise, in the order of the script: `e1_1_01::EXERCISE,`
    exercises: &[],
};
