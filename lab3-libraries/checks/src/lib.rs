//! Lab 3's exercises and how they are checked: one module per exercise, named after its section.
//!
//! Nothing here links student code. Kernels are compiled and launched in the judge's own emulator; host functions are
//! asked for through a child process; answers are read from files and compared with computed truth.

// 3.1, Monte Carlo integration.
mod e3_1_01;

// 3.2, compressive sensing.

// 3.3, EP.

// 3.4, FT.

use grading::Lab;

/// The lab, for the command and the tests. Its exercises are in the order in which they are to be solved.
pub static LAB: Lab = Lab {
    id: "lab3",
    package: "lab3-libraries",
    title: "High-level libraries and two NAS benchmarks",
    host_bin: "lab3-host",
    exercises: &[
        // 3.1, Monte Carlo integration.
        e3_1_01::EXERCISE,
        // 3.2, compressive sensing.

        // 3.3, EP.

        // 3.4, FT.
    ],
};
