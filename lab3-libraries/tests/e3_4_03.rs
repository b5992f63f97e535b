//! Exercise 3.4.3, the transform of a line: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_4_03",
    env!("CARGO_BIN_EXE_lab3-host"),
    [dft, sizes, roundtrip, parseval]
);
