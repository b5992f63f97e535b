//! Exercise 3.1.3, moving the program to the GPU: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_1_03",
    env!("CARGO_BIN_EXE_lab3-host"),
    [hits_equal, sizes, counts, variants]
);
