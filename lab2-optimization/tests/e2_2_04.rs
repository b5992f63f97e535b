//! Exercise 2.2.4, symmetry: the judge's checks as tests.

grading::mirror!(
    lab2_checks::LAB,
    "e2_2_04",
    env!("CARGO_BIN_EXE_lab2-host"),
    [mmt_c, once, symmetric, counts]
);
