//! Exercise 1.2.1, Julia set, CPU version: the judge's checks as tests.

grading::mirror!(
    lab1_checks::LAB,
    "e1_2_01",
    env!("CARGO_BIN_EXE_lab1-host"),
    [prisoners, symmetry, nan, keys, odd_dim, cli_errors]
);
