//! Checks of exercise 2.1.1: compute to global memory access ratio of FIR filtering.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect, trace};
use rand::RngExt;
use serde_json::json;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.1.1",
    key: "e2_1_01",
    title: "CGMA of FIR filtering",
    points: 5,
    files: &["src/e2_1_01.rs"],
    todo: "Write the formulas in src/e2_1_01.rs: products and the four ratios.",
    hints: &[
        ("a", "a filter of order n has n+1 coefficients"),
        ("b", "the first n outputs have fewer products: there is no input before the first sample"),
        ("c", "a block of K outputs needs n + K samples, not K"),
        ("s", "with_store adds one access per output"),
        ("i", "touched once: 2 len + n + 1 values with the store, len + n + 1 without"),
    ],
    checks: &[
        Check { name: "products", what: "number of products", weight: 1, run: products },
        Check { name: "ratios", what: "the four ratios, loads only", weight: 2, run: ratios },
        Check {
            name: "with_store",
            what: "the four ratios with the store",
            weight: 1,
            run: with_store,
        },
        Check {
            name: "edge_cases",
            what: "n = 0, and signals shorter than the filter",
            weight: 1,
            run: edge_cases,
        },
    ],
};

/// Products of a filter of order `n` over `len` samples, counted one output at a time.
fn count(len: u64, n: u64) -> u64 {
    (0..len).map(|i| i.min(n) + 1).sum()
}

fn product(t: &Trial, len: u64, n: u64) -> Result<(), Finding> {
    let got: u64 = trace::value(&t.call("e2_1_01.products", &json!({ "len": len, "n": n }))?)?;
    let want = count(len, n);
    expect::that(got == want, || format!("products({len}, {n}): expected {want}, found {got}"))
        .map_err(|f| match got {
            _ if got == (n + 1) * len || (len <= n && got != n * len) => f.hint("b"),
            _ => f.hint("a"),
        })
}

fn products(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    product(t, 9, 3)?;
    product(t, 2048, 1024)?;
    for _ in 0..4 {
        let n = rng.random_range(1..300);
        product(t, rng.random_range(n + 1..2000), n)?;
    }
    Ok(Evidence::new(format!("2048 samples, order 1024: {} products", count(2048, 1024))))
}

/// Operations and accesses to global memory, exactly; whoever divides them once has the nearest
/// `f64`.
fn quotients(len: u64, n: u64, k: u64, with_store: bool) -> [(&'static str, u64, u64); 4] {
    let taps = n + 1;
    let store = u64::from(with_store);
    [
        ("cgma_naive", 2 * taps, 2 * taps + store),
        ("cgma_const", 2 * taps, taps + store),
        ("cgma_tiled", 2 * taps * k, n + k + store * k),
        ("cgma_ideal", 2 * taps * len, len + taps + store * len),
    ]
}

fn ratio(t: &Trial, len: u64, n: u64, k: u64, with_store: bool) -> Result<(), Finding> {
    let request = json!({ "len": len, "n": n, "k": k, "with_store": with_store });
    let reply = t.call("e2_1_01.ratios", &request)?;
    let loads = quotients(len, n, k, false);
    let truth = quotients(len, n, k, with_store);
    let bits: Vec<u64> = trace::list(&reply, truth.len())?;
    for (i, (&bits, &(name, flop, accesses))) in bits.iter().zip(&truth).enumerate() {
        let (got, want) = (f64::from_bits(bits), flop as f64 / accesses as f64);
        if (got - want).abs() <= 1e-12 * want {
            continue;
        }
        let near = |flop: u64, accesses: u64| {
            (got - flop as f64 / accesses as f64).abs() <= 1e-12 * want.max(got)
        };
        let finding = Finding::wrong(format!(
            "{name} (len {len}, n {n}, K {k}, with_store {with_store}): expected {flop}/{accesses} \
             = {want:.6}, found {got:.6}"
        ));
        return Err(if with_store && near(loads[i].1, loads[i].2) {
            finding.hint("s")
        } else if name == "cgma_tiled" && near(flop, k + u64::from(with_store) * k) {
            finding.hint("c")
        } else if name == "cgma_ideal" {
            finding.hint("i")
        } else {
            finding.hint("a")
        });
    }
    Ok(())
}

fn ratios(t: &Trial) -> Outcome {
    six(t, false)
}

fn with_store(t: &Trial) -> Outcome {
    six(t, true)
}

/// The case of the handout and five random ones.
fn six(t: &Trial, with_store: bool) -> Outcome {
    let mut rng = t.rng();
    ratio(t, 1 << 20, 1024, 512, with_store)?;
    for _ in 0..5 {
        let n = rng.random_range(1..3000);
        ratio(t, rng.random_range(n + 1..100_000), n, 32 * rng.random_range(1..33), with_store)?;
    }
    let shown = quotients(1 << 20, 1024, 512, with_store)
        .map(|(name, flop, accesses)| format!("{name} {:.2}", flop as f64 / accesses as f64));
    Ok(Evidence::new(format!("n = 1024, K = 512: {}", shown.join(", "))))
}

fn edge_cases(t: &Trial) -> Outcome {
    for (len, n) in [(0, 0), (0, 7), (1, 0), (1, 7), (7, 7), (8, 7), (5, 1024)] {
        product(t, len, n)?;
    }
    for (len, n, k) in [(1, 0, 32), (5, 1024, 32), (100, 100, 1024)] {
        ratio(t, len, n, k, false)?;
        ratio(t, len, n, k, true)?;
    }
    Ok(Evidence::new("n = 0, and signals no longer than the filter"))
}
