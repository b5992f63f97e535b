//! Every kind of fault: the kernel that has it, what is said, and the corrected kernel, which runs.

use crate::support::bench::Arg::{I, P};
use crate::support::bench::Bench;
use simt::fault::{Fault, FaultKind};

const N: usize = 64;

/// Runs `body` as the kernel `k(int *x, const int *y, int n)` with 64 elements each (`x` never
/// written).
fn run(body: &str, grid: u32, block: u32) -> Result<simt::report::LaunchReport, Box<Fault>> {
    let text = format!(
        "__constant__ int table[4];\n__device__ int counter;\n\
         extern \"C\" __global__ void k(int *x, const int *y, int n)\n{{\n{body}\n}}\n"
    );
    let mut t = Bench::new(&text);
    t.options.step_limit = 1 << 20;
    let y: Vec<i32> = (0..N as i32).collect();
    let (x, y) = (t.empty::<i32>("x", N), t.buffer("y", &y));
    let report = t.run("k", grid, block, &[P(x), P(y), I(N as i32)])?;
    // The host takes the result: was any of it made of what nobody has written?
    match t.memory.origin(x, 4 * N as u64) {
        Some(fault) => Err(Box::new(fault)),
        None => Ok(report),
    }
}

#[track_caller]
fn faulty(body: &str, grid: u32, block: u32, kind: FaultKind, message: &str) -> Fault {
    let fault = match run(body, grid, block) {
        Ok(_) => panic!("ran to its end: {body}"),
        Err(fault) => *fault,
    };
    assert_eq!(fault.kind, kind, "{}", fault.render());
    assert!(fault.message.contains(message), "{}", fault.render());
    assert!(fault.threads >= 1);
    fault
}

#[track_caller]
fn right(body: &str, grid: u32, block: u32) {
    if let Err(fault) = run(body, grid, block) {
        panic!("{}", fault.render());
    }
}

#[test]
fn out_of_bounds_global() {
    let kind = FaultKind::OutOfBoundsGlobal;
    let f = faulty(
        "x[threadIdx.x] = y[threadIdx.x + 1];",
        1,
        64,
        kind,
        "reads y[64], but y has 64 elements",
    );
    assert_eq!((f.site.unwrap().thread, f.threads), ([63, 0, 0], 1));
    faulty(
        "x[(int)threadIdx.x - 1] = 0;",
        1,
        32,
        kind,
        "thread (0,0,0) of block (0,0,0) writes x[-1], but x has 64",
    );
    faulty("*(int *)0 = 1;", 1, 1, kind, "writes through a null pointer");
    faulty(
        "x[5] = table[threadIdx.x + 4];",
        1,
        1,
        kind,
        "reads table[4], but table has 4 elements",
    );
    faulty("atomicAdd(x + 64 + threadIdx.x, 1);", 1, 32, kind, "atomically updates x[64]");
    right("if (threadIdx.x < 63) x[threadIdx.x] = y[threadIdx.x + 1];", 1, 64);
}

#[test]
fn freed_memory_is_named() {
    let t = Bench::new("extern \"C\" __global__ void k(int *x) { x[3] = 1; }");
    let x = t.empty::<i32>("scratch", 8);
    t.run("k", 1, 1, &[P(x)]).unwrap();
    t.memory.free(x).unwrap();
    let f = t.run("k", 1, 1, &[P(x)]).unwrap_err();
    assert_eq!(f.kind, FaultKind::OutOfBoundsGlobal);
    assert!(f.message.contains("writes x[3] of x, which was freed"), "{}", f.message);
}

#[test]
fn shared_memory_that_the_launch_does_not_give_is_named() {
    let t = Bench::new(
        "extern __shared__ float s[]; extern \"C\" __global__ void k() { s[threadIdx.x] = 1; }",
    );
    let f = t.run("k", 1, 32, &[]).unwrap_err();
    assert_eq!(f.kind, FaultKind::OutOfBoundsShared);
    assert!(f.message.contains("gives s no bytes"), "{}", f.message);
}

#[test]
fn out_of_bounds_shared_and_local() {
    let shared = "__shared__ int a[4][8]; __shared__ int b[32]; b[threadIdx.x] = 0;\n";
    let kind = FaultKind::OutOfBoundsShared;
    faulty(
        &format!("{shared}a[threadIdx.x / 8][threadIdx.x % 8] = a[n / 16][0];"),
        1,
        32,
        kind,
        "reads a[32], but a has 32 elements",
    );
    faulty(&format!("{shared}int *p = &b[n % 3]; p[n] = 1;"), 1, 1, kind, "b[65]");
    right(&format!("{shared}a[threadIdx.x / 8][threadIdx.x % 8] = 1;"), 1, 32);
    let local = "int a[4] = {1, 2, 3, 4}; x[threadIdx.x] = a[";
    faulty(
        &format!("{local}threadIdx.x];"),
        1,
        32,
        FaultKind::OutOfBoundsLocal,
        "thread (4,0,0) of block (0,0,0) reads a[4], but a has 4 elements",
    );
    right(&format!("{local}threadIdx.x % 4];"), 1, 32);
}

#[test]
fn misaligned() {
    faulty(
        "x[0] = *(const int *)((const char *)y + 2);",
        1,
        1,
        FaultKind::Misaligned,
        "not a multiple of the access size",
    );
    faulty(
        "float4 v = ((const float4 *)(y + 1))[0]; x[0] = v.x;",
        1,
        1,
        FaultKind::Misaligned,
        "not a multiple",
    );
    right("x[0] = *(const int *)((const char *)y + 4);", 1, 1);
}

#[test]
fn uninitialised() {
    let kind = FaultKind::Uninitialised;
    faulty("x[threadIdx.x] += 1;", 1, 32, kind, "reads x[0], which was never written");
    right("x[threadIdx.x] = 0; x[threadIdx.x] += 1;", 1, 32);
    let shared = "__shared__ int s[32];";
    faulty(
        &format!(
            "{shared} if (threadIdx.x != 7) s[threadIdx.x] = 1; __syncthreads(); \
             x[threadIdx.x] = s[31 - threadIdx.x];"
        ),
        1,
        32,
        kind,
        "thread (24,0,0) of block (0,0,0) reads s[7]",
    );
    right(
        &format!(
            "{shared} s[threadIdx.x] = 1; __syncthreads(); x[threadIdx.x] = s[31 - threadIdx.x];"
        ),
        1,
        32,
    );
    faulty(
        "int v; if (threadIdx.x > 3) v = 1; x[threadIdx.x] = v;",
        1,
        32,
        kind,
        "thread (0,0,0) of block (0,0,0) reads the variable v",
    );
    right("int v; if (threadIdx.x > 3) v = 1; else v = 2; x[threadIdx.x] = v;", 1, 32);
    right(
        "int v; for (int i = 0; ; ++i) { v = i; if (i > (int)threadIdx.x) break; } \
         x[threadIdx.x] = v;",
        1,
        32,
    );
    faulty(
        "int a[4]; a[n % 4] = 1; x[threadIdx.x] = a[y[1]];",
        1,
        1,
        kind,
        "reads a[1], which was never written",
    );
    faulty(
        "int v = __shfl_down_sync(0x0000ffff, (int)threadIdx.x, 16); x[threadIdx.x] = v;",
        1,
        16,
        kind,
        "from lane 16, which does not take part",
    );
}

#[test]
fn races_in_shared_memory() {
    let kind = FaultKind::RaceShared;
    let body = |barrier: &str| {
        format!(
            "__shared__ int s[64]; s[threadIdx.x] = y[threadIdx.x]; {barrier} \
             x[threadIdx.x] = s[63 - threadIdx.x];"
        )
    };
    // That its first reader finds nothing there is the lesser evil.
    let f = faulty(&body(""), 1, 64, kind, "s[32]");
    assert_eq!(f.site.unwrap().thread, [32, 0, 0]);
    let body = |barrier: &str| {
        format!(
            "__shared__ int s[64]; s[threadIdx.x] = 0; __syncthreads(); \
             s[threadIdx.x] = y[threadIdx.x]; {barrier} x[threadIdx.x] = s[63 - threadIdx.x];"
        )
    };
    let f = faulty(
        &body(""),
        1,
        64,
        kind,
        "thread (32,0,0) of block (0,0,0) writes s[32], which thread (31,0,0) has read with no \
         barrier between",
    );
    assert_eq!(f.other.unwrap().thread, [31, 0, 0]);
    right(&body("__syncthreads();"), 1, 64);
    // One warp: a barrier of the warp is needed, and enough.
    let body = |sync: &str| {
        format!(
            "__shared__ int s[32]; s[threadIdx.x] = y[threadIdx.x]; {sync} \
             x[threadIdx.x] = s[31 - threadIdx.x];"
        )
    };
    faulty(
        &body(""),
        1,
        32,
        kind,
        "thread (0,0,0) of block (0,0,0) reads s[31], which thread (31,0,0) has written with no \
         barrier between",
    );
    right(&body("__syncwarp();"), 1, 32);
    // Who stores the same value as others leaves nothing to chance; nor do atomics.
    right("__shared__ int s; s = 1; x[0] = 2;", 1, 64);
    faulty(
        "__shared__ int s; s = 1 + threadIdx.x / 4; x[0] = 2;",
        1,
        8,
        kind,
        "8 threads of block (0,0,0) write s at the same time",
    );
    right(
        "__shared__ int s; if (threadIdx.x == 0) s = 0; __syncthreads(); atomicAdd(&s, 1); \
         __syncthreads(); if (threadIdx.x == 0) x[0] = s;",
        1,
        64,
    );
    faulty(
        "__shared__ int s; if (threadIdx.x == 0) s = 0; __syncthreads(); atomicAdd(&s, 1); \
         if (threadIdx.x == 0) x[0] = s;",
        1,
        64,
        kind,
        "s",
    );
    // Bytes of one word belong to different threads.
    right("__shared__ char s[32]; s[threadIdx.x] = 1; x[threadIdx.x] = s[threadIdx.x];", 1, 32);
}

#[test]
fn races_in_global_memory() {
    let kind = FaultKind::RaceGlobal;
    let f = faulty(
        "x[0] = threadIdx.x;",
        1,
        5,
        kind,
        "5 threads of block (0,0,0) write x[0] at the same time",
    );
    assert_eq!(f.threads, 5);
    let f = faulty(
        "if (threadIdx.x == 0) x[3] = blockIdx.x;",
        2,
        32,
        kind,
        "thread (0,0,0) of block (1,0,0) writes x[3], which thread (0,0,0) of block (0,0,0) has \
         written: nothing orders the two blocks",
    );
    assert_eq!((f.site.unwrap().block, f.other.unwrap().block), ([1, 0, 0], [0, 0, 0]));
    right("if (threadIdx.x == 0) x[3 + blockIdx.x] = 1;", 2, 32);
    right("if (threadIdx.x == 0) x[3] = 1;", 2, 32);
    let f = faulty("x[threadIdx.x] = 1; x[63 - threadIdx.x] += 1;", 1, 64, kind, "x[32]");
    assert_eq!(f.site.unwrap().at.line, 5);
    let f = faulty(
        "x[threadIdx.x] = 1; __syncthreads(); x[threadIdx.x] = 2; int v = x[63 - threadIdx.x]; \
         x[threadIdx.x] = v;",
        1,
        64,
        kind,
        "which thread (31,0,0) has read",
    );
    assert_eq!(f.site.unwrap().thread, [32, 0, 0]);
    right(
        "x[threadIdx.x] = 1; __syncthreads(); int v = x[63 - threadIdx.x]; __syncthreads(); \
         x[threadIdx.x] = v;",
        1,
        64,
    );
    // One value by several lanes: the race is with the reader, so the message names it.
    faulty(
        "x[threadIdx.x] = 0; __syncwarp(); if (x[threadIdx.x / 2] == 0) x[threadIdx.x / 4] = 7;",
        1,
        8,
        kind,
        "thread (0,0,0) of block (0,0,0) writes x[0], which thread (1,0,0) has read with no",
    );
    right("atomicAdd(&counter, 1);", 4, 64);
    faulty(
        "atomicAdd(&counter, 1); if (threadIdx.x == 1 && blockIdx.x == 1) x[0] = counter;",
        2,
        64,
        kind,
        "counter",
    );
}

#[test]
fn a_plain_access_beside_an_atomic_is_explained() {
    faulty(
        "atomicAdd(&counter, 1); if (threadIdx.x == 1 && blockIdx.x == 1) x[0] = counter;",
        2,
        64,
        FaultKind::RaceGlobal,
        "has atomically updated with no __syncwarp() or barrier between; \
         an atomic orders nothing for a plain access",
    );
}

#[test]
fn the_worst_is_told_first_and_the_rest_with_it() {
    let kind = FaultKind::OutOfBoundsGlobal;
    let body =
        "x[0] = threadIdx.x;\nif (x[5] > 0) x[6] = 0;\n__syncthreads(); x[threadIdx.x + 40] = 1;";
    let f = faulty(body, 1, 32, kind, "writes x[64]");
    let also: Vec<(FaultKind, u32)> =
        f.also.iter().map(|f| (f.kind, f.site.as_ref().unwrap().at.line)).collect();
    assert_eq!(also, [(FaultKind::RaceGlobal, 5), (FaultKind::Uninitialised, 6)]);
    assert!(f.render().matches("fault[").count() == 3, "{}", f.render());
    // Both sides of one race are one finding.
    let f =
        faulty("x[threadIdx.x] = 1; x[threadIdx.x] = x[0] + 1;", 1, 64, FaultKind::RaceGlobal, "");
    assert!(f.also.is_empty(), "{}", f.render());
}

#[test]
fn never_written_values_may_be_copied_and_not_used() {
    let kind = FaultKind::Uninitialised;
    let used = |end: &str| format!("x[9], which was never written, and {end}");
    let f = faulty("if (x[9] > n) x[1] = y[0];", 1, 1, kind, &used("takes a branch by it"));
    assert!(f.message.starts_with("thread (0,0,0) of block (0,0,0) reads x[9]"), "{}", f.message);
    // Another thread uses what one has read.
    let passed_on = "__shared__ int s[32]; s[threadIdx.x] = threadIdx.x ? 1 : x[9]; \
                     __syncthreads(); if (threadIdx.x == 31 && s[0] > n) x[1] = 0;";
    let by = "thread (31,0,0) of block (0,0,0) has a value from where thread (0,0,0) of block \
              (0,0,0) reads x[9], which was never written, and takes a branch by it";
    faulty(passed_on, 1, 32, kind, by);
    faulty("x[x[9] & 63] = y[0];", 1, 1, kind, &used("takes it for an address"));
    faulty("x[1] = y[x[9]];", 1, 1, kind, &used("takes it for an address"));
    faulty("printf(\"%d\", x[9]);", 1, 1, kind, &used("prints it"));
    faulty("atomicCAS(&x[0], x[9], 1);", 1, 1, kind, &used("compares it"));
    faulty("if (__any_sync(1, x[9])) x[1] = 0;", 1, 1, kind, &used("takes a branch by it"));
    faulty("x[1] = x[9] * 2 + 1;", 1, 1, kind, "reads x[9], which was never written");
    right("int v = x[9] * 2; if (n == 63) x[1] = v; x[2] = n < 0 ? v : 7;", 1, 1);
    right("x[1] = x[9]; x[1] = 5;", 1, 1);
    right("x[1] = (x[9] & 0) | 3;", 1, 1);
    right("__shared__ int s[8]; s[1] = s[2]; x[0] = y[1];", 1, 1);
}

#[test]
fn the_last_block_may_read_what_the_others_fenced() {
    let body = |fence: &str| {
        format!(
            "__shared__ bool last; if (threadIdx.x == 0) {{ x[blockIdx.x] = blockIdx.x; {fence}\n\
             last = atomicAdd(&counter, 1) == gridDim.x - 1; }} __syncthreads();\n\
             if (last && threadIdx.x < gridDim.x) {{ int v = x[threadIdx.x]; \
             x[32 + threadIdx.x] = v; }}\n\
             if (last && threadIdx.x == 0) counter = 0;"
        )
    };
    right(&body("__threadfence();"), 8, 32);
    faulty(&body(""), 8, 32, FaultKind::RaceGlobal, "nothing orders the two blocks");
}

/// Threads that take a lock in turn are in order, if they fence what they did before they give it
/// back.
#[test]
fn a_lock_orders_the_threads_of_a_block() {
    let turns = |fence: &str| {
        format!(
            "if (threadIdx.x == 0) x[0] = 0;
            __syncthreads();
            for (int lane = 0; lane < 32; lane++) {{
                if (threadIdx.x % 32 == lane) {{
                    while (atomicCAS(&counter, 0, 1) != 0);
                    {fence}
                    x[0] += y[lane];
                    {fence}
                    atomicExch(&counter, 0);
                }}
            }}"
        )
    };
    right(&turns("__threadfence();"), 1, 64);
    faulty(&turns(""), 1, 64, FaultKind::RaceGlobal, "reads x[0], which thread (0,0,0)");
}

#[test]
fn divergent_barriers() {
    let kind = FaultKind::DivergentBarrier;
    let f = faulty(
        "if (threadIdx.x < 16)\n__syncthreads();\nx[threadIdx.x] = 1;",
        1,
        32,
        kind,
        "thread (0,0,0) of block (0,0,0) waits at the barrier, but thread (16,0,0)",
    );
    assert_eq!((f.site.unwrap().at.line, f.other.unwrap().at.line), (6, 5));
    faulty(
        "if (threadIdx.x < 32) __syncthreads(); else { x[threadIdx.x] = 1; __syncthreads(); }",
        1,
        64,
        kind,
        "waits at one barrier and thread (32,0,0)",
    );
    right("if (threadIdx.x >= 16) return; __syncthreads(); x[threadIdx.x] = 1;", 1, 32);
    right("if (blockIdx.x == 0) __syncthreads(); x[threadIdx.x + 32 * blockIdx.x] = 1;", 2, 32);
    faulty(
        "if (threadIdx.x < 16) __syncwarp();",
        1,
        32,
        kind,
        "thread (16,0,0), (17,0,0), (18,0,0), ... does not reach it",
    );
    right("if (threadIdx.x < 16) __syncwarp(0xffff);", 1, 32);
    faulty(
        "x[threadIdx.x] = __shfl_sync(1, (int)threadIdx.x, 0);",
        1,
        32,
        kind,
        "is not in the mask 0x00000001",
    );
}

#[test]
fn the_others() {
    faulty("while (n > 0) x[threadIdx.x] = 1;", 1, 32, FaultKind::StepLimit, "does it ever end?");
    let waits = "if (blockIdx.x > 0) atomicAdd(&counter, 1); \
                 else while (atomicAdd(&counter, 0) < gridDim.x - 1);";
    right(waits, 40, 1024);
    let crowded = "of the 400 blocks at most 264 run at once";
    let f = faulty(waits, 400, 1024, FaultKind::StepLimit, crowded);
    assert!(f.message.ends_with("when an earlier one has ended"), "{}", f.message);
    faulty(
        "x[threadIdx.x] = 7 / y[threadIdx.x];",
        1,
        32,
        FaultKind::DivisionByZero,
        "thread (0,0,0) of block (0,0,0) divides an integer by zero",
    );
    right("x[threadIdx.x] = 7 / (y[threadIdx.x] + 1);", 1, 32);
    let f = faulty(
        "assert(threadIdx.x < 5);",
        1,
        32,
        FaultKind::Assert,
        "k.cu:5: k: block: [0,0,0], thread: [5,0,0] Assertion `threadIdx.x < 5` failed",
    );
    assert_eq!(f.threads, 27);
    right("assert(threadIdx.x < 32);", 1, 32);
    faulty(
        "if (threadIdx.x == 3) __trap();",
        1,
        32,
        FaultKind::Trap,
        "thread (3,0,0) of block (0,0,0) executes __trap()",
    );
    faulty(
        "int *p = (int *)table; p[threadIdx.x] = 1;",
        1,
        4,
        FaultKind::ReadOnly,
        "writes table[0], which is in constant memory",
    );
}

#[test]
fn the_first_fault_does_not_depend_on_the_number_of_threads() {
    let text = "extern \"C\" __global__ void k(int *x) { int i = blockIdx.x * blockDim.x + \
                threadIdx.x; x[i] += 1; if (blockIdx.x >= 20) x[i + 4096] = 1; }";
    let mut seen = Vec::new();
    for threads in [1, 2, 4] {
        let mut t = Bench::new(text);
        t.options.threads = Some(threads);
        let x = t.buffer("x", &vec![1i32; 4096]);
        seen.push(t.run("k", 64, 64, &[P(x)]).unwrap_err());
        // What the good blocks wrote stays.
        assert_eq!(t.read::<i32>(x, 64 * 20), vec![2; 64 * 20]);
    }
    assert_eq!(seen[0].site.as_ref().unwrap().block, [20, 0, 0]);
    assert_eq!(seen[0].threads, 44 * 64);
    assert!(seen.iter().all(|f| *f == seen[0]));
}
