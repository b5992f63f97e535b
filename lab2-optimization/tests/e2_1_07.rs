//! Exercise 2.1.7, padding instead of tests: the judge's checks as tests.

grading::mirror!(
    lab2_checks::LAB,
    "e2_1_07",
    env!("CARGO_BIN_EXE_lab2-host"),
    [fir_c, map, sentinel, counts]
);
