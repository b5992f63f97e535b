//! Exercise 5.2, delay: the judge's checks as tests.

grading::mirror!(lab5_checks::LAB, "e5_2", env!("CARGO_BIN_EXE_lab5-host"), [delay, cost]);
