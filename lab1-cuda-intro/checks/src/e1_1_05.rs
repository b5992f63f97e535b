//! Checks of exercise 1.1.5: gross time.

use grading::{Call, Check, Evidence, Exercise, Finding, Outcome, Trial, expect, trace};
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::Deserialize;
use serde_json::json;
use wire::ApiCall;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L1-1.1.5",
    key: "e1_1_05",
    title: "Gross time",
    points: 5,
    files: &["src/e1_1_05.rs"],
    todo: "Write best_of and gross_time in src/e1_1_05.rs.",
    hints: &[
        ("k", "read the clock by clock::now(), before and after each call of f"),
        ("d", "the closure ran once too often: no hidden warm-up"),
        ("a", "noise only adds time: report the minimum, not the mean"),
        ("b", "noise only adds time: report the minimum, not the maximum"),
        ("z", "runs = 0 leaves nothing to report: return Err"),
        ("e", "an error of f ends the measurement and goes to the caller: `f()?`"),
        ("c", "the clock must start before the first copy and stop after the last"),
    ],
    checks: &[
        Check {
            name: "min_of_fake_clock",
            what: "the minimum, on a clock that the check moves",
            weight: 1,
            run: min_of_fake_clock,
        },
        Check { name: "calls", what: "exactly `runs` calls", weight: 1, run: calls },
        Check { name: "zero_runs", what: "runs = 0 is refused", weight: 1, run: zero_runs },
        Check {
            name: "err_passes",
            what: "an error ends the measurement",
            weight: 1,
            run: err_passes,
        },
        Check {
            name: "api_log",
            what: "what happens between the readings",
            weight: 1,
            run: api_log,
        },
    ],
};

/// What `best_of` did on a clock that moves only while its closure runs.
#[derive(Deserialize)]
struct Timed {
    best_ms: Option<f64>,
    error: Option<String>,
    calls: usize,
}

/// Calls best_of; call k of the closure takes `elapsed_ms[k]`, and call `fail_at` returns an error.
fn timed(
    t: &Trial,
    elapsed_ms: &[u64],
    runs: usize,
    fail_at: Option<usize>,
) -> Result<Timed, Finding> {
    let args = json!({ "elapsed_ms": elapsed_ms, "runs": runs, "fail_at": fail_at });
    trace::value(&t.call("e1_1_05.best_of", &args)?)
}

fn min_of_fake_clock(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let random: [u64; 5] = std::array::from_fn(|_| rng.random_range(10..1000));
    let mut falling = [11, 9, 7, 5, 3];
    falling.shuffle(&mut rng);
    for elapsed in [&[5, 3, 9][..], &[4], &random, &falling] {
        let got = timed(t, elapsed, elapsed.len(), None)?;
        let min = *elapsed.iter().min().unwrap_or(&0) as f64;
        let max = *elapsed.iter().max().unwrap_or(&0) as f64;
        let mean = elapsed.iter().sum::<u64>() as f64 / elapsed.len() as f64;
        let Some(best) = got.best_ms else {
            let text = got.error.unwrap_or_default();
            return Err(Finding::wrong(format!("best_of returned an error: {text}")));
        };
        let near = |x: f64| (best - x).abs() < 1e-3;
        if near(min) {
            continue;
        }
        let finding =
            Finding::wrong(format!("runs of {elapsed:?} ms: expected {min} ms, got {best} ms"));
        return Err(match () {
            // Too many calls read the last duration twice; the mean of that is near the mean.
            _ if got.calls != elapsed.len() => finding.hint("d"),
            _ if near(max) => finding.hint("b"),
            _ if near(mean) => finding.hint("a"),
            _ if best < 1.0 => finding.hint("k"),
            _ => finding,
        });
    }
    Ok(Evidence::new("runs of 5, 3, 9 ms: 3 ms"))
}

fn calls(t: &Trial) -> Outcome {
    for runs in [1, 3, 10] {
        let got = timed(t, &[1; 32], runs, None)?;
        expect::that(got.calls == runs, || {
            format!("runs = {runs}: f was called {} times", got.calls)
        })
        .map_err(|f| f.hint("d"))?;
    }
    Ok(Evidence::new("f is called as often as asked"))
}

fn zero_runs(t: &Trial) -> Outcome {
    let got = timed(t, &[1; 4], 0, None)?;
    expect::that(got.error.is_some(), || "runs = 0: expected Err(...), got Ok".into())
        .map_err(|f| f.hint("z"))?;
    // Refusing everything is no answer either.
    let one = timed(t, &[1; 4], 1, None)?;
    expect::that(one.error.is_none(), || format!("runs = 1: {}", one.error.unwrap_or_default()))?;
    Ok(Evidence::new(got.error.unwrap_or_default()))
}

fn err_passes(t: &Trial) -> Outcome {
    let got = timed(t, &[5, 4, 3], 3, Some(1))?;
    let error = got.error.as_deref().unwrap_or("");
    expect::that(error.contains("run 1 failed"), || {
        format!("the second run fails with `run 1 failed`: expected that error, got `{error}`")
    })
    .map_err(|f| f.hint("e"))?;
    expect::that(got.calls == 2, || {
        format!("f was called {} times, though run 2 failed", got.calls)
    })
    .map_err(|f| f.hint("e"))?;
    Ok(Evidence::new("the first error ends the measurement"))
}

fn api_log(t: &Trial) -> Outcome {
    let n = 2000;
    let call = Call::new("e1_1_05.gross_time", &json!({ "n": n, "runs": 1 }));
    let replies = t.host(&[call])?;
    // Driver calls before the first reading of the clock, between the readings, and after the last.
    let parts: Vec<Vec<ApiCall>> = trace::value(&replies[0])?;
    expect::that(parts.len() == 3, || {
        format!("one run reads the clock twice, this one {} times", parts.len().saturating_sub(1))
    })
    .map_err(|f| f.hint("k"))?;
    // The parts are the child's word for what its device saw.
    let all = parts.concat();
    let seen =
        replies[0].origin.is_none() || replies[0].api.windows(all.len().max(1)).any(|w| w == all);
    expect::that(seen, || "gross_time: other driver calls were made than are told".into())?;
    let inside = &parts[1];
    let want = [
        ("cuMemAlloc", 3),
        ("cuMemcpyHtoD", 2),
        ("cuLaunchKernel", 1),
        ("cuMemcpyDtoH", 1),
        ("cuMemFree", 3),
    ];
    for (name, want) in want {
        let count = |part: &[ApiCall]| trace::calls(part, name).len();
        let (got, outside) = (count(inside), count(&parts[0]) + count(&parts[2]));
        if got != want {
            let text =
                format!("{name}: expected {want} between the readings of the clock, found {got}");
            let finding = Finding::wrong(if outside > 0 {
                format!("{text}, {outside} outside")
            } else {
                text
            });
            return Err(if outside > 0 { finding.hint("c") } else { finding });
        }
    }
    let moved = trace::bytes(inside, "cuMemcpyHtoD") + trace::bytes(inside, "cuMemcpyDtoH");
    expect::same("bytes copied", &moved, &(3 * 4 * n))?;
    Ok(Evidence::new("3 allocations, 2 copies in, 1 launch, 1 copy out, 3 releases; 24000 bytes"))
}
