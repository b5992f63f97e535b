//! Exercise 2.1.3, Choosing an audio signal: the judge's checks as tests.

grading::mirror!(
    lab2_checks::LAB,
    "e2_1_03",
    env!("CARGO_BIN_EXE_lab2-host"),
    [accepts, rejects, synth]
);
