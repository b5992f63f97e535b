//! Exercise 6.4, a queue in registers: the judge's checks as tests.

grading::mirror!(
    lab6_checks::LAB,
    "e6_4",
    env!("CARGO_BIN_EXE_lab6-host"),
    [field, loads, registers, banks, prediction]
);
