//! Exercise 5.6, start-up: the judge's checks as tests.

grading::mirror!(lab5_checks::LAB, "e5_6", env!("CARGO_BIN_EXE_lab5-host"), [answers]);
