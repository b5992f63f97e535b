//! Exercise 2.1.11, further attempts: the judge's checks as tests.

grading::mirror!(
    lab2_checks::LAB,
    "e2_1_11",
    env!("CARGO_BIN_EXE_lab2-host"),
    [resources, occupancy40, suggestion, errors, answers, bonus]
);
