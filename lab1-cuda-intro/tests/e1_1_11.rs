//! Exercise 1.1.11, the compilation path: the judge's checks as tests.

grading::mirror!(
    lab1_checks::LAB,
    "e1_1_11",
    env!("CARGO_BIN_EXE_lab1-host"),
    [entries, target, mangled, comments, empty, answers]
);
