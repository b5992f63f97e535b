//! Exercise 1.1.9, profiling: the judge's checks as tests.

grading::mirror!(
    lab1_checks::LAB,
    "e1_1_09",
    env!("CARGO_BIN_EXE_lab1-host"),
    [answers, efficiency_1_2_8]
);
