//! Exercise 3.1.5, spread against the number of points: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_1_05",
    env!("CARGO_BIN_EXE_lab3-host"),
    [alpha, fit, stats, errors]
);
