//! Exercise 1.1.8, floating point arrives: the judge's checks as tests.

grading::mirror!(
    lab1_checks::LAB,
    "e1_1_08",
    env!("CARGO_BIN_EXE_lab1-host"),
    [err0_f32, err_exact, nan, flop, gflops]
);
