//! Exercise 1.1.14, refactoring: the judge's checks as tests.

grading::mirror!(
    lab1_checks::LAB,
    "e1_1_14",
    env!("CARGO_BIN_EXE_lab1-host"),
    [api_only, old_cases, no_realloc, one_load]
);
