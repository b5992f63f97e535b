//! Exercise 4.7, by hand in VHDL: the judge's checks as tests.

grading::mirror!(lab4_checks::LAB, "e4_7", env!("CARGO_BIN_EXE_lab4-host"), [trace]);
