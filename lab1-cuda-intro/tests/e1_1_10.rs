//! Exercise 1.1.10, debugging: the judge's checks as tests.

grading::mirror!(
    lab1_checks::LAB,
    "e1_1_10",
    env!("CARGO_BIN_EXE_lab1-host"),
    [transcript, hits, mask, fixed_kernel]
);
