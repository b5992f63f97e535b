//! Exercise 3.3.2, EP on the CPU: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_3_02",
    env!("CARGO_BIN_EXE_lab3-host"),
    [t12, t16, partitions, errors]
);
