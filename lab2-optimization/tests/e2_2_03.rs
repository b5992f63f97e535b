//! Exercise 2.2.3, coalescing global accesses: the judge's checks as tests.

grading::mirror!(
    lab2_checks::LAB,
    "e2_2_03",
    env!("CARGO_BIN_EXE_lab2-host"),
    [mmt_c, sectors, prediction]
);
