//! Exercise 3.1.8, moments of inertia: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_1_08",
    env!("CARGO_BIN_EXE_lab3-host"),
    [inertia, u, f64_sum]
);
