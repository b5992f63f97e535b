//! Exercise 3.4.4, three-kernel passes: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_4_04",
    env!("CARGO_BIN_EXE_lab3-host"),
    [axes, arrays, roundtrip, counts]
);
