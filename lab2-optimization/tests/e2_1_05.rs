//! Exercise 2.1.5, Running the CPU filter on audio: the judge's checks as tests.

grading::mirror!(
    lab2_checks::LAB,
    "e2_1_05",
    env!("CARGO_BIN_EXE_lab2-host"),
    [par_equals_seq, threads, timing]
);
