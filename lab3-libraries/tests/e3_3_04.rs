//! Exercise 3.3.4, a better reduction: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_3_04",
    env!("CARGO_BIN_EXE_lab3-host"),
    [t16, ragged, atomics]
);
