//! Exercise 1.2.2, Julia set, GPU version: the judge's checks as tests.

grading::mirror!(
    lab1_checks::LAB,
    "e1_2_02",
    env!("CARGO_BIN_EXE_lab1-host"),
    [equals_cpu, odd_dim, stores, simd, no_realloc, plots]
);
