//! Exercise 1.1.6, net time with events: the judge's checks as tests.

grading::mirror!(
    lab1_checks::LAB,
    "e1_1_06",
    env!("CARGO_BIN_EXE_lab1-host"),
    [order, stream, finite, net_le_gross, plot]
);
