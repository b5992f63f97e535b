//! Exercise 6.3, a tile in shared memory: the judge's checks as tests.

grading::mirror!(lab6_checks::LAB, "e6_3", env!("CARGO_BIN_EXE_lab6-host"), [field, loads, banks]);
