//! Exercise 5.3, a multiplier per tap: the judge's checks as tests.

grading::mirror!(
    lab5_checks::LAB,
    "e5_3",
    env!("CARGO_BIN_EXE_lab5-host"),
    [systolic, transposed, gaps, structure, board]
);
