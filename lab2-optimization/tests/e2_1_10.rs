//! Exercise 2.1.10, static order and unrolling: the judge's checks as tests.

grading::mirror!(
    lab2_checks::LAB,
    "e2_1_10",
    env!("CARGO_BIN_EXE_lab2-host"),
    [fir_c, wrong_n, br_exec, inst_ratio]
);
