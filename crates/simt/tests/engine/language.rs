//! What of CUDA C++ is understood: each file of `tests/language` shows some of it, and its results
//! are known.

use crate::corpus::{options, report, wrong_results};
use crate::support::case::{Case, execute};

/// A warp's sum as it was written before Volta; `%` is the word under test.
const WARP_SUM: &str = "
//@ buffer x i32 32 iota 0 1
//@ run sum <<<1, 32>>> (x)
__global__ void sum(int *x)
{
    __shared__ % int all[64];
    int t = threadIdx.x;
    all[t] = x[t];
    all[t + 32] = 0;
    all[t] += all[t + 16];
    x[t] = all[t];
}
";

#[test]
fn a_race_on_volatile_says_what_volatile_does() {
    let said = |word: &str| {
        let case = Case::parse_as("sum", &WARP_SUM.replace('%', word), false).expect("a case");
        let program = case.compile().expect("compiles");
        execute(&case, &program, &options(1)).expect_err("a race").to_string()
    };
    let text = "`volatile` makes each access happen, but orders none";
    assert!(said("volatile").contains(text), "{}", said("volatile"));
    assert!(said("").contains("RACE-S") && !said("").contains(text), "{}", said(""));
}

#[test]
fn volatile_is_part_of_a_kernels_symbol() {
    let text = "__global__ void k(volatile float *a, const volatile int *b, volatile float *c) {}";
    let program = simt::Program::compile(text, &simt::CompileOptions::default()).expect("compiles");
    assert_eq!(program.kernels()[0].symbol, "_Z1kPVfPVKiS0_");
}

#[test]
fn integers_of_128_bits_are_types_of_the_language_in_symbols() {
    let text = "__global__ void k(unsigned __int128 a, __int128 *b, __int128 *c) {}";
    let program = simt::Program::compile(text, &simt::CompileOptions::default()).expect("compiles");
    assert_eq!(program.kernels()[0].symbol, "_Z1koPnS_");
}

#[test]
fn names_that_an_opencl_host_gives_are_asked_for() {
    let said = |text: &str| {
        let options = simt::CompileOptions {
            file: "k.cl".into(),
            language: simt::Language::OpenClC,
            ..Default::default()
        };
        simt::Program::compile(text, &options).expect_err("refused").to_string()
    };
    let value = said("__kernel void k(__global int *a) { a[0] = TILE_WIDTH; }");
    assert!(value.contains("-D TILE_WIDTH=VALUE"), "{value}");
    let ty = said("__kernel void k(__global FPTYPE *a) { a[0] = 1; }");
    assert!(ty.contains("-D FPTYPE=VALUE"), "{ty}");
    let small = said("__kernel void k(__global int *a) { a[0] = width; }");
    assert!(!small.contains("-D width"), "{small}");
}

#[test]
fn old_shuffles_are_for_old_gpus() {
    let text = "__global__ void k(int *a) { a[threadIdx.x] = __shfl_down(a[threadIdx.x], 1); }";
    let mut options = simt::CompileOptions::default();
    let refusal = simt::Program::compile(text, &options).expect_err("refused").to_string();
    assert!(refusal.contains("compute_70 and later do not have it"), "{refusal}");
    assert!(refusal.contains("-D__CUDA_ARCH__=600"), "{refusal}");
    options.defines.push("__CUDA_ARCH__=600".into());
    simt::Program::compile(text, &options).expect("an old GPU has it");
}

/// Each block writes its word, waits for the grid, and reads its neighbour's.
const NEIGHBOURS: &str = "
//@ buffer x i32 4 zero
//@ run next <<<4, 1>>> (x)
#include <cooperative_groups.h>
__global__ void next(int *x)
{
    auto grid = cooperative_groups::this_grid();
    x[blockIdx.x] = 1;
    FIRST
    int n = x[(blockIdx.x + 1) % 4];
    SECOND
    x[blockIdx.x] = n + 1;
}
";

#[test]
fn a_barrier_of_the_grid_orders_blocks_and_its_absence_is_found() {
    let said = |first: &str, second: &str, blocks: &str| {
        let text = NEIGHBOURS.replace("FIRST", first).replace("SECOND", second);
        let text = text.replace("<<<4", &format!("<<<{blocks}"));
        let case = Case::parse_as("next", &text, false).expect("a case");
        let program = case.compile().expect("compiles");
        execute(&case, &program, &options(2)).err().map(|stop| stop.to_string())
    };
    let sync = "grid.sync();";
    assert_eq!(said(sync, sync, "4"), None);
    for (first, second) in [(sync, ""), ("", sync)] {
        let text = said(first, second, "4").expect("a race");
        assert!(text.contains("RACE-G"), "{text}");
    }
    let text = said("if (blockIdx.x == 2) return; grid.sync();", sync, "4").expect("a fault");
    let want = "block (0,0,0) waits for the whole grid, but block (2,0,0) has ended";
    assert!(text.contains(want), "{text}");
    let text = said(sync, sync, "100000").expect("refused");
    assert!(text.contains("all 100000 blocks must run at once"), "{text}");
}

#[test]
fn what_the_language_offers_gives_the_right_results() {
    let filter = std::env::var("CORPUS").unwrap_or_default();
    let cases = Case::folder(&Case::corpus_dir().join("../language")).expect("the folder");
    let mut failures = Vec::new();
    for case in cases.iter().filter(|c| c.name.contains(&filter)) {
        assert!(!case.expected.is_empty(), "{} is not checked", case.name);
        let wrong = match case.compile() {
            Err(e) => vec![e.to_string()],
            Ok(program) => match execute(case, &program, &options(2)) {
                Ok(outcome) => wrong_results(case, &outcome),
                Err(stop) => vec![stop.to_string()],
            },
        };
        if !wrong.is_empty() {
            failures.push(format!("== {}\n{}", case.name, wrong.join("\n")));
        }
    }
    report(failures, cases.len());
}
