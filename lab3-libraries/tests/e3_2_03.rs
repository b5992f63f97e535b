//! Exercise 3.2.3, implementation with BLAS calls: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_2_03",
    env!("CARGO_BIN_EXE_lab3-host"),
    [trace, max_err, api_log, tiny]
);
