//! Exercise 3.1.2, CPU prototype: volume of a ball: the judge's checks as tests.

grading::mirror!(
    lab3_checks::LAB,
    "e3_1_02",
    env!("CARGO_BIN_EXE_lab3-host"),
    [at, threads, pi5sigma, streams, grid_chi2, errors]
);
