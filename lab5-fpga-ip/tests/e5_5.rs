//! Exercise 5.5, several bits per clock: the judge's checks as tests.

grading::mirror!(
    lab5_checks::LAB,
    "e5_5",
    env!("CARGO_BIN_EXE_lab5-host"),
    [whole, groups, clocks, cost]
);
