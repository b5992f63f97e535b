//! Exercise 3.4.6, concurrent set-up: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_4_06",
    env!("CARGO_BIN_EXE_lab3-host"),
    [equal, threads_streams, waits, error_path]
);
