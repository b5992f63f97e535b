//! The student's mirror: the judge's checks of lab 5 as tests, a module per exercise.

grading::mirror!(lab5_checks::LAB, env!("CARGO_BIN_EXE_lab5-host"), {
    // <checks: `cargo lab sync` writes this list
    e5_1: [answers, formula, pipeline, cost],
    e5_2: [delay, cost],
    e5_3: [systolic, transposed, gaps, structure, board],
    e5_4: [table, serial, clocks, cost],
    e5_5: [whole, groups, clocks, cost],
    e5_6: [answers],
    e5_7: [addresses, butterfly, transform, cost],
    e5_8: [addresses, butterfly, transform, cost, answers],
    e5_9: [words, again, fits],
    e5_10: [answers],
    e5_11: [trace],
    // checks>
});
