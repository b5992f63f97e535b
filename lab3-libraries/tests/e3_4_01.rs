//! Exercise 3.4.1, the set-up arrays: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_4_01",
    env!("CARGO_BIN_EXE_lab3-host"),
    [values, jump_rows, indexmap, roots, errors]
);
