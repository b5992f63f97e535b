//! Exercise 3.4.2, evolve: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_4_02",
    env!("CARGO_BIN_EXE_lab3-host"),
    [table, twiddle, ragged, counts]
);
