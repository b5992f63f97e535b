//! Exercise 2.2.1, starting version of C = A A^T: the judge's checks as tests.

grading::mirror!(
    lab2_checks::LAB,
    "e2_2_01",
    env!("CARGO_BIN_EXE_lab2-host"),
    [mmt_c, reader, flop, counts, answers]
);
