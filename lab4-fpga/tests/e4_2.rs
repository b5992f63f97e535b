//! Exercise 4.2, the dynamic range: the judge's checks as tests.

grading::mirror!(
    lab4_checks::LAB,
    "e4_2",
    env!("CARGO_BIN_EXE_lab4-host"),
    [amplitudes, no_overflow, answers]
);
