//! Exercise 2.2.2, bank conflicts: the judge's checks as tests.

grading::mirror!(
    lab2_checks::LAB,
    "e2_2_02",
    env!("CARGO_BIN_EXE_lab2-host"),
    [mmt_c, wavefronts, best_pad]
);
