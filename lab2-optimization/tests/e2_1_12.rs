//! Exercise 2.1.12, the tiled filter in OpenCL C: the judge's checks as tests.

grading::mirror!(
    lab2_checks::LAB,
    "e2_1_12",
    env!("CARGO_BIN_EXE_lab2-host"),
    [right, races, counts]
);
