//! Exercise 3.2.2, matching pursuit prototype: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_2_02",
    env!("CARGO_BIN_EXE_lab3-host"),
    [step_invariants, y0, nan, dat_roundtrip]
);
