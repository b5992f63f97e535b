//! Exercise 6.6, the imaging condition: the judge's checks as tests.

grading::mirror!(
    lab6_checks::LAB,
    "e6_6",
    env!("CARGO_BIN_EXE_lab6-host"),
    [correlation, counts, normalised]
);
