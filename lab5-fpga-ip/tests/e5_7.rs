//! Exercise 5.7, radix 2: the judge's checks as tests.

grading::mirror!(
    lab5_checks::LAB,
    "e5_7",
    env!("CARGO_BIN_EXE_lab5-host"),
    [addresses, butterfly, transform, cost]
);
