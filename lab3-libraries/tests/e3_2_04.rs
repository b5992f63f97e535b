//! Exercise 3.2.4, performance: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_2_04",
    env!("CARGO_BIN_EXE_lab3-host"),
    [no_copy, memory_err, sectors]
);
