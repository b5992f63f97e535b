//! Exercise 1.1.13, compiling from the command line: the judge's checks as tests.

grading::mirror!(
    lab1_checks::LAB,
    "e1_1_13",
    env!("CARGO_BIN_EXE_lab1-host"),
    [lines_run, macros, error_code, bad_options]
);
