//! Exercise 3.3.5, classes and report: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_3_05",
    env!("CARGO_BIN_EXE_lab3-host"),
    [verify_logic, cli_errors, t_classes]
);
