//! Exercise 5.9, on the board: the judge's checks as tests.

grading::mirror!(lab5_checks::LAB, "e5_9", env!("CARGO_BIN_EXE_lab5-host"), [words, again, fits]);
