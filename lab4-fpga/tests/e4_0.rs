//! Exercise 4.0, the example: the judge's checks as tests.

grading::mirror!(
    lab4_checks::LAB,
    "e4_0",
    env!("CARGO_BIN_EXE_lab4-host"),
    [run, arithmetic, cost]
);
