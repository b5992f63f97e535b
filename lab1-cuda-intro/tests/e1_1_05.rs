//! Exercise 1.1.5, gross time: the judge's checks as tests.

grading::mirror!(
    lab1_checks::LAB,
    "e1_1_05",
    env!("CARGO_BIN_EXE_lab1-host"),
    [min_of_fake_clock, calls, zero_runs, err_passes, api_log]
);
