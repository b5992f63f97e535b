//! Exercise 2.1.8, coefficients in constant memory: the judge's checks as tests.

grading::mirror!(
    lab2_checks::LAB,
    "e2_1_08",
    env!("CARGO_BIN_EXE_lab2-host"),
    [fir_c, order_err, two_filters, counts]
);
