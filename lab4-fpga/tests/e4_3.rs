//! Exercise 4.3, one word per clock: the judge's checks as tests.

grading::mirror!(
    lab4_checks::LAB,
    "e4_3",
    env!("CARGO_BIN_EXE_lab4-host"),
    [structure, cycles, same, again, answers]
);
