//! Exercise 6.5, absorbing layers: the judge's checks as tests.

grading::mirror!(
    lab6_checks::LAB,
    "e6_5",
    env!("CARGO_BIN_EXE_lab6-host"),
    [psi, apply, work, energy]
);
