//! Exercise 3.4.7, the whole benchmark: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_4_07",
    env!("CARGO_BIN_EXE_lab3-host"),
    [t1_t4, verify_logic, layouts, memory]
);
