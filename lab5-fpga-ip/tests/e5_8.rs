//! Exercise 5.8, radix 4: the judge's checks as tests.

grading::mirror!(
    lab5_checks::LAB,
    "e5_8",
    env!("CARGO_BIN_EXE_lab5-host"),
    [addresses, butterfly, transform, cost, answers]
);
