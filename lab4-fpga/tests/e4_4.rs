//! Exercise 4.4, multiplication in logic cells: the judge's checks as tests.

grading::mirror!(lab4_checks::LAB, "e4_4", env!("CARGO_BIN_EXE_lab4-host"), [style, answers]);
