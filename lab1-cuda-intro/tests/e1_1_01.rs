//! Exercise 1.1.1, create, build and run the project: the judge's checks as tests.

grading::mirror!(
    lab1_checks::LAB,
    "e1_1_01",
    env!("CARGO_BIN_EXE_lab1-host"),
    [prints_line, five, sums, counts]
);
