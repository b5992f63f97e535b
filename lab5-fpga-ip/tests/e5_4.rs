//! Exercise 5.4, distributed arithmetic: the judge's checks as tests.

grading::mirror!(
    lab5_checks::LAB,
    "e5_4",
    env!("CARGO_BIN_EXE_lab5-host"),
    [table, serial, clocks, cost]
);
