//! Exercise 3.2.1, the problem: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_2_01",
    env!("CARGO_BIN_EXE_lab3-host"),
    [toeplitz, prefix, zero_cols, errors, support_theorem]
);
