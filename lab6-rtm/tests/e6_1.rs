//! Exercise 6.1, the naive stencil: the judge's checks as tests.

grading::mirror!(lab6_checks::LAB, "e6_1", env!("CARGO_BIN_EXE_lab6-host"), [field, sphere, once]);
