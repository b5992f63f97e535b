//! Exercise 4.1, the first filter: the judge's checks as tests.

grading::mirror!(
    lab4_checks::LAB,
    "e4_1",
    env!("CARGO_BIN_EXE_lab4-host"),
    [structure, amplitudes, random, cycles, answers]
);
