//! Exercise 3.3.1, the generator and its jump: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_3_01",
    env!("CARGO_BIN_EXE_lab3-host"),
    [states, forms, pow, jump, period, device]
);
