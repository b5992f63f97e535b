//! Exercise 1.1.2, make the program presentable: the judge's checks as tests.

grading::mirror!(
    lab1_checks::LAB,
    "e1_1_02",
    env!("CARGO_BIN_EXE_lab1-host"),
    [i32, f32, f64, length_err, bad_name, device_line, counts, answers]
);
