//! The student's mirror: the judge's checks of lab 2 as tests, a module per exercise; and tests of
//! its programs.

grading::mirror!(lab2_checks::LAB, env!("CARGO_BIN_EXE_lab2-host"), {
    // <checks: `cargo lab sync` writes this list
    e2_1_01: [products, ratios, with_store, edge_cases],
    e2_1_02: [fir_c, testfir, reader, writer, nan],
    e2_1_03: [accepts, rejects, synth],
    e2_1_04: [highpass, noise, hum, designs, file, wav],
    e2_1_05: [par_equals_seq, threads, timing],
    e2_1_06: [fir_c, faults, api_log, counts, edges],
    e2_1_07: [fir_c, map, sentinel, counts],
    e2_1_08: [fir_c, order_err, two_filters, counts],
    e2_1_09: [fir_c, n_not_multiple, races, counts, bound],
    e2_1_10: [fir_c, wrong_n, br_exec, inst_ratio],
    e2_1_11: [resources, occupancy40, suggestion, errors, answers, bonus],
    e2_2_01: [mmt_c, reader, flop, counts, answers],
    e2_2_03: [mmt_c, sectors, prediction],
    e2_2_02: [mmt_c, wavefronts, best_pad],
    e2_2_04: [mmt_c, once, symmetric, counts],
    e2_2_05: [rows, divisible, model, answers],
    e2_1_12: [right, races, counts],
    e2_1_13: [right, launches, once, time, errors],
    // checks>
});

mod programs;
