//! Exercise 6.7, the shell: the judge's checks as tests.

grading::mirror!(
    lab6_checks::LAB,
    "e6_7",
    env!("CARGO_BIN_EXE_lab6-host"),
    [order, load, reversal, counts, bytes]
);
