//! The student's mirror: the judge's checks of lab 4 as tests, a module per exercise.

grading::mirror!(lab4_checks::LAB, env!("CARGO_BIN_EXE_lab4-host"), {
    // <checks: `cargo lab sync` writes this list
    e4_0: [run, arithmetic, cost],
    e4_1: [structure, amplitudes, random, cycles, answers],
    e4_2: [amplitudes, no_overflow, any, answers],
    e4_3: [structure, cycles, same, again, answers],
    e4_4: [style, digits, answers],
    e4_5: [structure, programme, negative, random, answers],
    e4_6: [style, mix, answers],
    e4_7: [trace],
    // checks>
});
