//! Exercise 1.1.12, reading machine code: the judge's checks as tests.

grading::mirror!(
    lab1_checks::LAB,
    "e1_1_12",
    env!("CARGO_BIN_EXE_lab1-host"),
    [histogram, useful, predicates, sass]
);
