//! Exercise 1.1.3, bigger vectors, many blocks: the judge's checks as tests.

grading::mirror!(
    lab1_checks::LAB,
    "e1_1_03",
    env!("CARGO_BIN_EXE_lab1-host"),
    [multi, verify, single_ok, single_refused, n0, overflow_err, counts]
);
