//! Exercise 6.2, threads along the rows: the judge's checks as tests.

grading::mirror!(
    lab6_checks::LAB,
    "e6_2",
    env!("CARGO_BIN_EXE_lab6-host"),
    [field, sectors, constants, prediction]
);
