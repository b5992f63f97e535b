//! Exercise 1.1.4, the memory checker: the judge's checks as tests.

grading::mirror!(
    lab1_checks::LAB,
    "e1_1_04",
    env!("CARGO_BIN_EXE_lab1-host"),
    [fault_answers, guarded_sizes, canary, counts]
);
