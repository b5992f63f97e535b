//! Exercise 3.1.4, cuRAND: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_1_04",
    env!("CARGO_BIN_EXE_lab3-host"),
    [moments, range, correlation, repro, pi, api_log]
);
