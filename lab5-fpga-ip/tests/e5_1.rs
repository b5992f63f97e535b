//! Exercise 5.1, magnitude: the judge's checks as tests.

grading::mirror!(
    lab5_checks::LAB,
    "e5_1",
    env!("CARGO_BIN_EXE_lab5-host"),
    [formula, pipeline, cost, answers]
);
