//! The student's mirror: the judge's checks of lab 1 as tests, a module per exercise; and tests of
//! what is given.

grading::mirror!(lab1_checks::LAB, env!("CARGO_BIN_EXE_lab1-host"), {
    // <checks: `cargo lab sync` writes this list
    e1_1_01: [prints_line, five, sums, counts],
    e1_1_02: [i32, f32, f64, length_err, bad_name, device_line, counts, answers],
    e1_1_03: [multi, verify, single_ok, single_refused, n0, overflow_err, counts],
    e1_1_04: [fault_answers, guarded_sizes, canary, counts],
    e1_1_05: [min_of_fake_clock, calls, zero_runs, err_passes, api_log],
    e1_1_06: [order, stream, finite, net_le_gross, plot],
    e1_1_07: [sixty_lines, values, clk_groups, lane0_63, dur],
    e1_1_08: [err0_f32, err_exact, nan, flop, gflops, dur],
    e1_1_09: [answers, efficiency_1_2_8],
    e1_1_10: [transcript, hits, mask, fixed_kernel],
    e1_1_11: [entries, target, mangled, comments, empty, answers],
    e1_1_12: [histogram, useful, predicates, sass],
    e1_1_13: [lines_run, macros, error_code, bad_options],
    e1_1_14: [api_only, old_cases, no_realloc, one_load],
    e1_1_15: [right, counts],
    e1_2_01: [prisoners, symmetry, nan, keys, odd_dim, cli_errors],
    e1_2_02: [equals_cpu, odd_dim, stores, simd, no_realloc, plots],
    // checks>
});

mod given {
    mod julia;
    mod ptx;
}
mod programs {
    mod vecadd;
}
