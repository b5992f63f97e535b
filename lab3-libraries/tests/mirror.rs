//! The student's mirror: the judge's checks of lab 3 as tests, a module per exercise; and tests of
//! its programs.

grading::mirror!(lab3_checks::LAB, env!("CARGO_BIN_EXE_lab3-host"), {
    // <checks: `cargo lab sync` writes this list
    e3_1_01: [volume, estimate, degenerate, n_for],
    e3_1_02: [surface, at, threads, pi5sigma, streams, grid_chi2, errors],
    e3_1_03: [hits_equal, sizes, counts, variants],
    e3_1_04: [moments, range, correlation, repro, pi, api_log],
    e3_1_05: [alpha, fit, stats, errors],
    e3_1_06: [points, dyadic, delta, alpha, errors],
    e3_1_07: [points, volumes, branch_free],
    e3_1_08: [inertia, u, f64_sum],
    e3_1_09: [cpu, kernels, counts, on_device, switch],
    e3_2_01: [toeplitz, prefix, zero_cols, errors, support_theorem],
    e3_2_02: [step_invariants, y0, nan, dat_roundtrip],
    e3_2_03: [trace, max_err, api_log, tiny],
    e3_2_04: [no_copy, memory_err, sectors],
    e3_3_01: [states, forms, pow, jump, period, device],
    e3_3_02: [t12, t16, batches, partitions, errors],
    e3_3_03: [t12, t16, ragged, counts, divergence],
    e3_3_04: [t16, ragged, atomics],
    e3_3_05: [verify_logic, cli_errors, t_classes],
    e3_4_01: [values, jump_rows, indexmap, roots, errors],
    e3_4_02: [table, twiddle, ragged, counts],
    e3_4_03: [dft, sizes, roundtrip, parseval],
    e3_4_04: [axes, arrays, roundtrip, counts],
    e3_4_05: [direct, blocks, counts, cleared],
    e3_4_06: [equal, threads_streams, waits, error_path],
    e3_4_07: [t1_t4, verify_logic, layouts, memory],
    // checks>
});

mod programs;
