//! Exercise 6.8, checkpoints: the judge's checks as tests.

grading::mirror!(
    lab6_checks::LAB,
    "e6_8",
    env!("CARGO_BIN_EXE_lab6-host"),
    [place, calls, period, fewest, schedule, answers]
);
