//! Checks of exercise 3.3.2: EP on the CPU.

use grading::{Call, Check, Evidence, Exercise, Finding, Outcome, Trial, expect, host, trace};
use rand::RngExt;
use serde::Deserialize;
use serde_json::json;

use crate::ep::{Found, part, truth};
use crate::own::written;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.3.2",
    key: "e3_3_02",
    title: "Sequential and parallel EP",
    points: 3,
    files: &[FILE],
    todo: "Write batch and ep_cpu in src/e3_3_02.rs.",
    hints: &[
        ("a", "a batch of NK pairs uses 2 NK numbers: its seed is that many steps on"),
        ("b", "the first number of a pair is x, the second y"),
        ("c", "take absolute values: the ring is that of max(|X|, |Y|)"),
        ("d", "the index is the larger of |X| and |Y|, not their sum"),
        ("o", "add the batches' results in their order: then the number of threads does not show"),
        (
            "p",
            "a pool of so many threads, `rayon::ThreadPoolBuilder::new().num_threads(threads)`, \
             and `into_par_iter` over the batches in it",
        ),
        ("own", "write it yourself: what the crate npb has is there to be compared with"),
        ("r", "refuse a batch that is larger than the whole"),
    ],
    checks: &[
        Check { name: "t12", what: "2^12 pairs", weight: 1, run: t12 },
        Check { name: "t16", what: "2^16 pairs", weight: 1, run: t16 },
        Check { name: "batches", what: "a batch by itself", weight: 2, run: batches },
        Check {
            name: "partitions",
            what: "the same in other batches, on other threads",
            weight: 3,
            run: partitions,
        },
        Check { name: "errors", what: "a batch larger than the whole", weight: 1, run: errors },
    ],
};

const FILE: &str = "src/e3_3_02.rs";
const CALL: &str = "e3_3_02.ep_cpu";

/// The benchmark must be the student's own.
fn own(t: &Trial) -> Result<(), Finding> {
    written(t, FILE, &["npb"])
}

fn class(t: &Trial, m: u32, mk: u32) -> Outcome {
    own(t)?;
    let found = Found::of(&t.call(CALL, &json!([m, mk, 2]))?)?;
    let (want, size) = truth(1, 1 << m);
    let hint = |f: Finding| {
        let [sx, sy] = found.sums();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-6 * size;
        let total = found.q.iter().sum::<u64>();
        if close(sx, want.sy) && close(sy, want.sx) && !close(sx, sy) {
            f.hint("b")
        } else if close(sx, want.sx) && close(sy, want.sy) {
            // The sums are right, so are the pairs: it is the ring.
            if found.q[0] > want.q[0] { f.hint("c") } else { f.hint("d") }
        } else if total != want.pairs() {
            f.hint("a")
        } else {
            f
        }
    };
    found.compare(&format!("2^{m} pairs in batches of 2^{mk}"), &want, size).map_err(hint)
}

fn t12(t: &Trial) -> Outcome {
    class(t, 12, 6)
}

fn t16(t: &Trial) -> Outcome {
    class(t, 16, 8)
}

/// A batch begins where it has to, without those before it.
fn batches(t: &Trial) -> Outcome {
    own(t)?;
    let mut rng = t.rng();
    for _ in 0..12 {
        let (mk, kk) = (rng.random_range(0..12), rng.random_range(0..1u64 << 30));
        let found = Found::of(&t.call("e3_3_02.batch", &json!([mk, kk]))?)?;
        let (want, size) = part(kk, 1 << mk);
        found
            .compare(&format!("batch {kk} of 2^{mk} pairs"), &want, size)
            .map_err(|f| f.hint("a"))?;
    }
    Ok(Evidence::new("12 batches of up to 2^11 pairs, the last of them far behind"))
}

/// What the handler has seen of the threads.
#[derive(Deserialize)]
struct Together {
    result: Found,
    /// Batches that were under way at the same time.
    together: usize,
    /// Threads that ran a batch.
    seen: usize,
}

/// So many threads as are asked for run batches, all at the same time.
fn on_threads(t: &Trial) -> Result<(), Finding> {
    let (want, size) = truth(1, 1 << 14);
    // No pool that is there anyway has both numbers.
    for threads in [5, 2] {
        let reply = t.call("e3_3_02.together", &json!([14, 8, threads]))?;
        let Together { result, together, seen } = trace::value(&reply)?;
        expect::that(together == threads && seen == threads, || {
            format!(
                "64 batches, {threads} threads asked for: batches ran on {seen}, at most \
                 {together} of them at a time"
            )
        })
        .map_err(|f| f.hint("p"))?;
        let what = format!("2^14 pairs on {threads} threads");
        result.compare(&what, &want, size).map_err(|f| f.hint("a"))?;
    }
    Ok(())
}

fn partitions(t: &Trial) -> Outcome {
    own(t)?;
    on_threads(t)?;
    let (want, size) = truth(1, 1 << 14);
    let cases: Vec<[u32; 3]> =
        [4, 7, 10, 12, 14].into_iter().flat_map(|mk| [1, 2, 3, 5].map(|n| [14, mk, n])).collect();
    let calls: Vec<Call> = cases.iter().map(|c| Call::new(CALL, &json!(c))).collect();
    let mut of_batch: Option<(u32, [f64; 2])> = None;
    for ([m, mk, threads], reply) in cases.iter().zip(t.host(&calls)?) {
        let found = Found::of(&reply)?;
        let what = format!("2^{m} pairs in batches of 2^{mk} on {threads} threads");
        found.compare(&what, &want, size).map_err(|f| f.hint("a"))?;
        match of_batch {
            Some((of, sums)) if of == *mk => expect::that(sums == found.sums(), || {
                format!("{what}: the sums are {:?}, on one thread {sums:?}", found.sums())
            })
            .map_err(|f| f.hint("o"))?,
            _ => of_batch = Some((*mk, found.sums())),
        }
    }
    Ok(Evidence::new(
        "batches of 2^4 to 2^14 on 1 to 5 threads: equal counts; equal sums on any number of \
         threads; 5 batches at a time on 5 threads",
    ))
}

fn errors(t: &Trial) -> Outcome {
    // Whoever refuses everything has refused nothing.
    Found::of(&t.call(CALL, &json!([4, 4, 1]))?)?;
    for (m, mk) in [(12, 13), (0, 1)] {
        let reply = t.call(CALL, &json!([m, mk, 1]))?;
        host::error(&reply).map_err(|f| Finding { hint: None, ..f }.hint("r"))?;
    }
    Ok(Evidence::new("m = 12, mk = 13 is refused"))
}
