//! Exercise 5.11, by hand in VHDL: the judge's checks as tests.

grading::mirror!(lab5_checks::LAB, "e5_11", env!("CARGO_BIN_EXE_lab5-host"), [trace]);
