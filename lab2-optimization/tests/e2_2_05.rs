//! Exercise 2.2.5, influence of the configuration: the judge's checks as tests.

grading::mirror!(
    lab2_checks::LAB,
    "e2_2_05",
    env!("CARGO_BIN_EXE_lab2-host"),
    [rows, divisible, model, answers]
);
