//! Checks of exercise 2.1.5: running the CPU filter on audio.

use grading::{Call, Check, Evidence, Exercise, Finding, Outcome, Trial, expect, trace};
use rand::RngExt;
use references::fir::single;
use serde::Deserialize;
use serde_json::json;

use crate::fir_c::{self, Case};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.1.5",
    key: "e2_1_05",
    title: "Running the CPU filter on audio",
    points: 4,
    files: &["src/e2_1_05.rs"],
    todo: "Write chunk, audiofir_par and measure in src/e2_1_05.rs.",
    hints: &[
        ("a", "keep the order of the sum: parallelise over outputs, not over k"),
        ("b", "a chunk of outputs needs the n samples before its start"),
        (
            "p",
            "cut the outputs of each channel into chunks of some thousand, and let rayon call \
             `chunk` for them: par_chunks_mut",
        ),
        ("c", "time the filter only, not the reading of the file"),
        ("m", "report the fastest run, and the error by max_abs_err"),
        (
            "z",
            "runs = 0 leaves nothing to report: return Err; an error of read goes to the caller: \
             `read()?`",
        ),
    ],
    checks: &[
        Check {
            name: "par_equals_seq",
            what: "on all threads, and the bits of the plain loop",
            weight: 2,
            run: par_equals_seq,
        },
        Check {
            name: "threads",
            what: "the same bits on 1 to 5 threads, all of them at work",
            weight: 1,
            run: threads,
        },
        Check { name: "timing", what: "what is measured", weight: 1, run: timing },
    ],
};

/// The plain loop, in single precision and in the order of k.
fn plain(case: &Case) -> Vec<f32> {
    case.channels().map(|x| single(x, &case.coeff)).concat()
}

fn call(case: &Case, threads: usize, meet: usize) -> Call {
    let mut request = case.request();
    request["threads"] = json!(threads);
    request["meet"] = json!(meet);
    Call::new("e2_1_05.par", &request)
}

/// Outputs, and what was seen of the threads.
#[derive(Deserialize)]
struct Filtered {
    yout: Vec<u32>,
    /// Threads that were in a chunk at the same time.
    together: usize,
    /// Threads that were in one at all.
    seen: usize,
}

/// All cases with so many threads each, of which so many have to meet; equal to the plain loop bit
/// by bit.
fn compare(t: &Trial, cases: &[(&Case, usize, usize)]) -> Result<Vec<Filtered>, Finding> {
    let calls: Vec<Call> = cases.iter().map(|(case, n, meet)| call(case, *n, *meet)).collect();
    let mut all = Vec::new();
    for ((case, threads, _), reply) in cases.iter().zip(t.host(&calls)?) {
        let filtered: Filtered = trace::value(&reply)?;
        let got: Vec<f32> = filtered.yout.iter().map(|bits| f32::from_bits(*bits)).collect();
        // A wrong sum first; then one that is right but rounded in another order.
        case.verify(&got, |_| Some("b")).map_err(|f| f.or_hint("b"))?;
        let want = plain(case);
        let differs = |i: &usize| got[*i].to_bits() != want[*i].to_bits() && !want[*i].is_nan();
        if let Some(i) = (0..want.len()).find(differs) {
            let text = format!(
                "yout[{i}] is {:?}, the plain loop gives {:?} ({}, {threads} threads)",
                got[i],
                want[i],
                case.title()
            );
            return Err(Finding::wrong(text).hint("a"));
        }
        all.push(filtered);
    }
    Ok(all)
}

/// The random signal of that length on so many threads each, which must all be at work at a time.
fn on_threads(t: &Trial, len: usize, threads: &[usize]) -> Result<(), Finding> {
    let [_, _, random, _] = fir_c::signals(&mut t.rng(), len, 33);
    let cases: Vec<_> = threads.iter().map(|n| (&random, *n, *n)).collect();
    for ((_, threads, _), found) in cases.iter().zip(compare(t, &cases)?) {
        expect::that((found.together, found.seen) == (*threads, *threads), || {
            format!(
                "2 x {len} outputs, {threads} threads: chunks ran on {}, at most {} of them at \
                 a time",
                found.seen, found.together
            )
        })
        .map_err(|f| f.hint("p"))?;
    }
    Ok(())
}

fn par_equals_seq(t: &Trial) -> Outcome {
    let mut cases = fir_c::cases(&mut t.rng());
    cases.extend(fir_c::signals(&mut t.rng(), 9001, 33));
    // Most of these signals are no longer than a chunk: nobody waits for a second one.
    let all: Vec<_> = cases.iter().map(|case| (case, 2, 1)).collect();
    compare(t, &all)?;
    on_threads(t, 50_000, &[2])?;
    Ok(Evidence::new(format!("{} signals, bit by bit, one of them on two threads", cases.len())))
}

fn threads(t: &Trial) -> Outcome {
    let len = t.rng().random_range(60_000..70_000);
    on_threads(t, len, &[1, 3, 5])?;
    Ok(Evidence::new("1, 3 and 5 threads, all at work at the same time"))
}

/// What a run of `measure` did on a clock that moves only while data are read or filtered.
#[derive(Deserialize)]
struct Log {
    best_ms: f64,
    err: f64,
    log: Vec<String>,
}

fn timing(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let ms: Vec<u64> = (0..4).map(|_| rng.random_range(3..500)).collect();
    let request =
        |ms: &[u64], fail: bool| Call::new("e2_1_05.measure", &json!({ "ms": ms, "fail": fail }));
    let replies = t.host(&[request(&ms, false), request(&[], false), request(&[7], true)])?;
    let got: Log = trace::value(&replies[0])?;
    let best = ms.iter().min().copied().unwrap_or(0) as f64;
    let inside = got.log.iter().position(|l| l == "now") < got.log.iter().position(|l| l == "read");
    expect::that((got.best_ms - best).abs() < 1e-6, || {
        format!(
            "runs of {ms:?} ms, and 1000 ms to read the file: expected {best} ms, found {} ms",
            got.best_ms
        )
    })
    .map_err(|f| f.hint(if inside || got.best_ms >= 1000.0 { "c" } else { "m" }))?;
    let runs = got.log.iter().filter(|l| *l == "filter").count();
    expect::that(runs == ms.len(), || format!("runs = {}: the filter ran {runs} times", ms.len()))
        .map_err(|f| f.hint("m"))?;
    expect::that(got.err == 0.25, || format!("error: expected 0.25, found {}", got.err))
        .map_err(|f| f.hint("m"))?;
    for (what, reply) in [("runs = 0", &replies[1]), ("a file that cannot be read", &replies[2])] {
        grading::host::error(reply)
            .map_err(|f| Finding { message: format!("{what}: {}", f.message), ..f }.hint("z"))?;
    }
    Ok(Evidence::new(format!("runs of {ms:?} ms: {best} ms, and reading does not count")))
}
