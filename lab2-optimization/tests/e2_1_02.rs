//! Exercise 2.1.2, FIR on the CPU: the judge's checks as tests.

grading::mirror!(
    lab2_checks::LAB,
    "e2_1_02",
    env!("CARGO_BIN_EXE_lab2-host"),
    [fir_c, testfir, reader, writer, nan]
);
