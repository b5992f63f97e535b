//! Exercise 3.3.3, the paper's design: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_3_03",
    env!("CARGO_BIN_EXE_lab3-host"),
    [t12, t16, ragged, counts, divergence]
);
