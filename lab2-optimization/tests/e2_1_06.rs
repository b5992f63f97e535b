//! Exercise 2.1.6, first (naive) CUDA version: the judge's checks as tests.

grading::mirror!(
    lab2_checks::LAB,
    "e2_1_06",
    env!("CARGO_BIN_EXE_lab2-host"),
    [fir_c, faults, api_log, counts, edges]
);
