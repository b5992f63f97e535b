//! Plain reads that meet another thread's store in no order: which of them are a race, and which a
//! remark.

use crate::corpus::options;
use crate::support::case::{Case, Stop, execute};

/// A kernel of 4 warps in 2 blocks; `v` is the same for several threads.
fn run(body: &str) -> Result<usize, String> {
    let text = format!(
        "//@ buffer a i32 64 zero
//@ buffer b i32 128 zero
//@ buffer n i32 4 zero
//@ run k <<<2, 64>>> (a, b, n, 5, -1)
__device__ int twice(int x) {{ return 2 * x; }}
extern \"C\" __global__ void k(int *a, int *b, int *n, int now, int none)
{{
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    int v = u * 7 % 16;
    {body}
}}
"
    );
    let case = Case::parse_as("tested", &text, false).expect("a case");
    let program = case.compile().unwrap_or_else(|e| panic!("{body}\n{e}"));
    let outcome = [1, 3].map(|threads| execute(&case, &program, &options(threads)));
    let [alone, three] = outcome.map(|outcome| match outcome {
        Ok(outcome) => Ok(outcome.reports.iter().map(|r| r.harmless_races.len()).sum()),
        Err(Stop::Fault(fault)) => Err(fault.kind.code().to_string()),
        Err(other) => panic!("{body}\n{other}"),
    });
    assert_eq!(alone, three, "{body}");
    alone
}

#[test]
fn reads_whose_order_makes_no_difference_are_a_remark() {
    for body in [
        "if (a[v] == 0) a[v] = now;",
        "if (a[v] == 0) { a[v] = now + 1; *n = 1; }",
        "if (!a[v]) { a[v] = now; b[v] = v; }",
        "if (u < 100 && a[v] != now) a[v] = now;",
        "if (a[v] < now) a[v] = twice(now);",
        "#pragma unroll\n for (int k = 0; k < 3; ++k) if (a[v + k] == 0) a[v + k] = now;",
        // The registers of the constants are set elsewhere, too.
        "b[u] = b[u] * 3 + u; if (a[v] < now * 3 + 1) a[v] = now * 3 + 1; b[u] -= now * 3;",
        // What comes later is no matter of the test's.
        "if (a[v] == 0) a[v] = now; switch (u & 1) { case 1: b[u] = u && n[1] ? v : u; }",
        "if (a[v] == 0) a[v] = now; int x; if (u & 1) x = n[1] + v; else x = u * v; b[u] = x * x;",
        // The test says the same before and after.
        "if (a[u / 2] == -1) b[u] = 1; a[v] = now;",
        "b[u] = a[v] > 9; a[(v + 1) % 16] = now;",
        "b[u] = (a[v] & 8) == 0; a[(v + 1) % 16] = now;",
        // Nobody asks for the value.
        "int x = a[v]; a[(v + 1) % 16] = now; x = u; b[u] = x;",
        "for (int k = 0; k < 3; ++k) v = a[v & k] > 99; a[0] = now;",
        "long long x = 1ll; x = a[(!v || !1) & 7] > 99; if (a[v & 7] < 59) a[v & 7] = 59;",
    ] {
        assert!(matches!(run(body), Ok(1..)), "{body}: {:?}", run(body));
    }
}

#[test]
fn reads_whose_order_can_be_seen_are_a_race() {
    for body in [
        // Another value for each thread, or each order.
        "if (a[v] == 0) a[v] = u + 1;",
        "if (a[v] == 0) a[v] = now; else a[v] = none;",
        "if (a[v] == 0) a[v] = now; if (a[v] == 0) a[v] = none;",
        "if (a[v] == 0) a[v] = b[u] + u;",
        "int x = now; if (u > 64) x = none; if (a[v] < x) a[v] = now;",
        // Threads are told apart by more than the word.
        "if (a[v] == 0) { a[v] = now; atomicAdd(n, 1); }",
        "if (a[v] == 0) { a[v] = now; b[u] = 1; }",
        "if (a[v] == 0) { a[v] = now; b[atomicAdd(n, 1)] = v; }",
        "int mine = 0; if (a[v] == 0) { a[v] = now; mine = 1; } b[u] = mine;",
        "int mine = 0; if (a[v] == 0) { a[v] = now; ++mine; } if (mine) b[u] = 1;",
        "if (a[v] == 0) { a[v] = now; } else { b[u] = 1; }",
        "if (a[v] == 0) { a[v] = now; if (u > 3) *n = 1; }",
        "if (a[v] == 0) { a[v] = now; printf(\"%d\", v); }",
        // The value itself is kept, or another word is stored than was tested.
        "b[u] = a[v]; a[(v + 1) % 16] = now;",
        "int old = a[v]; if (old == 0) a[v] = now; b[u] = old;",
        "if (a[v] == 0) a[(v + 1) % 16] = now;",
        "if (a[v] == 0) v = 3; a[v] = now;",
        // The test says something else after the store.
        "b[u] = a[v] > 3; a[(v + 1) % 16] = now;",
        "if (a[v] == now) b[u] = 1; a[(v + 1) % 16] = now;",
        "while (a[v] != now) { a[v] = now; ++b[u]; }",
        // Plain reads beside an atomic stay a race.
        "if (a[v] == 0) atomicExch(&a[v], now);",
    ] {
        assert_eq!(run(body), Err("RACE-G".into()), "{body}");
    }
}

/// What is harmless does not hide what is not.
#[test]
fn a_later_race_is_still_found() {
    let body = "if (a[v] == 0) { a[v] = now; *n = 1; } b[u / 2] += 1;";
    assert_eq!(run(body), Err("RACE-G".into()));
}
