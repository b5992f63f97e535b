//! Exercise 4.6, variable coefficients in blocks: the judge's checks as tests.

grading::mirror!(lab4_checks::LAB, "e4_6", env!("CARGO_BIN_EXE_lab4-host"), [style, answers]);
