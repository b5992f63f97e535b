//! Exercise 2.1.4, Spoiling and restoring the signal: the judge's checks as tests.

grading::mirror!(
    lab2_checks::LAB,
    "e2_1_04",
    env!("CARGO_BIN_EXE_lab2-host"),
    [highpass, noise, hum, designs, file, wav]
);
