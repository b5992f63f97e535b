//! Exercise 2.1.1, CGMA of FIR filtering: the judge's checks as tests.

grading::mirror!(
    lab2_checks::LAB,
    "e2_1_01",
    env!("CARGO_BIN_EXE_lab2-host"),
    [products, ratios, with_store, edge_cases]
);
