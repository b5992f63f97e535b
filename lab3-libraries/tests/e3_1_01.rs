//! Exercise 3.1.1, the problem: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_1_01",
    env!("CARGO_BIN_EXE_lab3-host"),
    [volume, estimate, degenerate, n_for]
);
