//! Exercise 5.10, the tables: the judge's checks as tests.

grading::mirror!(lab5_checks::LAB, "e5_10", env!("CARGO_BIN_EXE_lab5-host"), [answers]);
