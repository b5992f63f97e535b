//! Exercise 2.1.9, tiling: the judge's checks as tests.

grading::mirror!(
    lab2_checks::LAB,
    "e2_1_09",
    env!("CARGO_BIN_EXE_lab2-host"),
    [fir_c, n_not_multiple, races, counts, bound]
);
