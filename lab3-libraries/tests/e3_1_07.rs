//! Exercise 3.1.7, volumes of other solids: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_1_07",
    env!("CARGO_BIN_EXE_lab3-host"),
    [points, volumes, branch_free]
);
