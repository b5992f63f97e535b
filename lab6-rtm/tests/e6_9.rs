//! Exercise 6.9, a shot is migrated: the judge's checks as tests.

grading::mirror!(
    lab6_checks::LAB,
    "e6_9",
    env!("CARGO_BIN_EXE_lab6-host"),
    [calls, exact, reflector]
);
