//! Exercise 3.1.6, quasi-random numbers: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_1_06",
    env!("CARGO_BIN_EXE_lab3-host"),
    [points, dyadic, delta, alpha, errors]
);
