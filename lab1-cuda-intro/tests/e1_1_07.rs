//! Exercise 1.1.7, printing from a kernel: the judge's checks as tests.

grading::mirror!(
    lab1_checks::LAB,
    "e1_1_07",
    env!("CARGO_BIN_EXE_lab1-host"),
    [sixty_lines, values, clk_groups, lane0_63, dur]
);
