//! Exercise 4.5, variable coefficients: the judge's checks as tests.

grading::mirror!(
    lab4_checks::LAB,
    "e4_5",
    env!("CARGO_BIN_EXE_lab4-host"),
    [structure, programme, negative, random, answers]
);
