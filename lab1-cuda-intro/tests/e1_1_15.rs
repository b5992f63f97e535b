//! Exercise 1.1.15, the same kernel in OpenCL C: the judge's checks as tests.

grading::mirror!(lab1_checks::LAB, "e1_1_15", env!("CARGO_BIN_EXE_lab1-host"), [right, counts]);
