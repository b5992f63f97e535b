//! Exercise 3.4.5, the checksum: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_4_05",
    env!("CARGO_BIN_EXE_lab3-host"),
    [direct, blocks, counts, cleared]
);
