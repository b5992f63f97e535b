//! The student's mirror: the judge's checks of lab 6 as tests, a module per exercise; and tests of
//! its programs.

grading::mirror!(lab6_checks::LAB, env!("CARGO_BIN_EXE_lab6-host"), {
    // <checks: `cargo lab sync` writes this list
    e6_1: [field, sphere, once],
    e6_2: [field, sectors, constants, prediction],
    e6_3: [field, loads, banks],
    e6_4: [field, loads, registers, banks, prediction],
    e6_5: [psi, apply, work, energy],
    e6_6: [correlation, counts, normalised],
    e6_7: [order, load, reversal, counts, bytes],
    e6_8: [place, calls, period, fewest, schedule, answers],
    e6_9: [calls, exact, reflector],
    // checks>
});

mod programs {
    mod stencils;
}
