//! Checks of exercise 1.1.6: net time with events.

use std::ops::Range;

use grading::{Check, Evidence, Exercise, Finding, Outcome, Reply, Trial, expect, trace};
use serde_json::json;
use wire::ApiCall;

use crate::vectors;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L1-1.1.6",
    key: "e1_1_06",
    title: "Net time with events",
    points: 7,
    files: &["src/e1_1_06.rs", ANSWERS],
    todo: "Place the two events in add_timed of src/e1_1_06.rs, then write kernel_ms and measure.",
    hints: &[
        ("a", "no launch lies between the two records"),
        ("d", "copies are inside: this is not net time"),
        ("b", "NotReady: wait for the end event before the time is read, stop.synchronize()"),
        ("e", "elapsed is negative: the start event and the end event are exchanged"),
        ("c", "record on the stream that runs the kernel, lab.stream()"),
        ("r", "one time per run: kernel_ms returns as many values as there are runs"),
        ("g", "gross time contains net time: it cannot be the shorter one"),
        (
            "p",
            "per element the kernel loads two ints and stores one; for short vectors the launch \
             itself is the time",
        ),
    ],
    checks: &[
        Check {
            name: "order",
            what: "record, launch, record, wait, elapsed",
            weight: 2,
            run: order,
        },
        Check { name: "stream", what: "events and kernel on one stream", weight: 1, run: stream },
        Check { name: "finite", what: "one finite time per run", weight: 1, run: finite },
        Check {
            name: "net_le_gross",
            what: "gross time contains net time",
            weight: 2,
            run: net_le_gross,
        },
        Check { name: "plot", what: "the curve over n: flat, then linear", weight: 1, run: plot },
    ],
};

const ANSWERS: &str = "answers/e1_1_06.toml";
const RUNS: usize = 3;

/// One measurement in the trace: from the record of its first event to that of its second.
struct Pair<'a> {
    api: &'a [ApiCall],
    /// Place of the records of the start event and of the end event.
    start: Option<usize>,
    end: Option<usize>,
    /// Place of the reading of the elapsed time.
    elapsed: usize,
}

impl Pair<'_> {
    fn between(&self) -> Range<usize> {
        match (self.start, self.end) {
            (Some(start), Some(end)) if start < end => start + 1..end,
            _ => 0..0,
        }
    }

    fn inside(&self, name: &str) -> usize {
        trace::calls(&self.api[self.between()], name).len()
    }
}

/// All measurements of the student's kernel_ms.
fn pairs(reply: &Reply) -> Vec<Pair<'_>> {
    let api = &reply.api;
    let readings = (0..api.len()).filter(|&k| api[k].name == "cuEventElapsedTime");
    let pair = |k: usize| {
        let record = |event: Option<u64>| {
            (0..k).rev().find(|&j| api[j].name == "cuEventRecord" && api[j].event == event)
        };
        Pair { api, start: record(api[k].start_event), end: record(api[k].event), elapsed: k }
    };
    readings.map(pair).collect()
}

fn ask(t: &Trial) -> Result<Reply, Finding> {
    let reply = t.call("e1_1_06.kernel_ms", &json!({ "n": 2000, "runs": RUNS }))?;
    // A reading that came too early is an error of the driver; say why before saying that.
    if let Some(early) = pairs(&reply).iter().find(|p| !p.api[p.elapsed].ok()) {
        let text =
            format!("the elapsed time was refused: {}", early.api[early.elapsed].result_name);
        return Err(Finding::wrong(text).hint("b"));
    }
    grading::host::value(&reply)?;
    Ok(reply)
}

fn order(t: &Trial) -> Outcome {
    let reply = ask(t)?;
    let pairs = pairs(&reply);
    expect::that(pairs.len() == RUNS, || {
        format!("{RUNS} runs: the time between two events was read {} times", pairs.len())
    })
    .map_err(|f| f.hint("r"))?;
    for pair in &pairs {
        let (Some(start), Some(end)) = (pair.start, pair.end) else {
            return Err(Finding::wrong("an event was read that was never recorded").hint("a"));
        };
        if end < start {
            let text = "the end event was recorded before the start event: the time is negative";
            return Err(Finding::wrong(text).hint("e"));
        }
        let launches = pair.inside("cuLaunchKernel");
        expect::that(launches == 1, || format!("{launches} launches between the two events"))
            .map_err(|f| f.hint("a"))?;
        let copies = pair.inside("cuMemcpyHtoD") + pair.inside("cuMemcpyDtoH");
        expect::that(copies == 0, || format!("{copies} copies between the two events"))
            .map_err(|f| f.hint("d"))?;
        let waits =
            ["cuEventSynchronize", "cuStreamSynchronize", "cuCtxSynchronize", "cuMemcpyDtoH"];
        let waited = reply.api[end..pair.elapsed].iter().any(|c| waits.contains(&c.name.as_str()));
        expect::that(waited, || "the time was read without waiting for the end event".into())
            .map_err(|f| f.hint("b"))?;
    }
    Ok(Evidence::new("record, launch, record, wait, elapsed; no copy inside"))
}

fn stream(t: &Trial) -> Outcome {
    let reply = ask(t)?;
    let launched = trace::calls(&reply.api, "cuLaunchKernel");
    let records = trace::calls(&reply.api, "cuEventRecord");
    expect::that(records.len() == 2 * launched.len(), || {
        format!("{} launches, but {} records of events", launched.len(), records.len())
    })
    .map_err(|f| f.hint("a"))?;
    for (launch, records) in launched.iter().zip(records.chunks(2)) {
        for record in records {
            expect::that(record.stream == launch.stream, || {
                format!(
                    "the kernel runs on stream {:?}, an event on {:?}",
                    launch.stream, record.stream
                )
            })
            .map_err(|f| f.hint("c"))?;
        }
    }
    Ok(Evidence::new("both events are on the kernel's stream"))
}

fn finite(t: &Trial) -> Outcome {
    let bits: Vec<u32> = trace::value(&ask(t)?)?;
    expect::that(bits.len() == RUNS, || format!("{RUNS} runs: {} times", bits.len()))
        .map_err(|f| f.hint("r"))?;
    for ms in bits.into_iter().map(f32::from_bits) {
        expect::that(ms.is_finite() && ms >= 0.0, || format!("a time of {ms} ms"))
            .map_err(|f| if ms < 0.0 { f.hint("e") } else { f })?;
    }
    Ok(Evidence::new("one time per run, none negative"))
}

/// One row of the student's curve, floats as bit patterns.
#[derive(serde::Deserialize)]
struct Row {
    n: u64,
    gross_ms: u64,
    net_ms: u32,
}

impl Row {
    fn gross(&self) -> f64 {
        f64::from_bits(self.gross_ms)
    }

    fn net(&self) -> f64 {
        f64::from(f32::from_bits(self.net_ms))
    }
}

fn net_le_gross(t: &Trial) -> Outcome {
    // Every reading of the replaced clock is a second later than the one before: a gross time is at
    // least that.
    let args = json!({ "sizes": [2000], "runs": RUNS, "tick_ms": 1000 });
    let rows: Vec<Row> = trace::value(&t.call("e1_1_06.curve", &args)?)?;
    let row = rows.first().ok_or_else(|| Finding::grader("no row"))?;
    let (gross, net) = (row.gross(), row.net());
    expect::that(gross.is_finite() && net.is_finite(), || {
        format!("gross {gross} ms, net {net} ms: neither was measured")
    })?;
    expect::that(net <= gross, || format!("net {net} ms is more than gross {gross} ms"))
        .map_err(|f| f.hint("g"))?;
    expect::that((999.0..1001.0).contains(&gross), || {
        format!("the clock moves by 1000 ms between two readings, the gross time is {gross} ms")
    })
    .map_err(|f| f.hint("g"))?;
    Ok(Evidence::new("gross 1000 ms on a clock of one tick per second, net below"))
}

fn plot(t: &Trial) -> Outcome {
    let sizes: Vec<u64> = (10..=18).map(|k| 1 << k).collect();
    let reply = t.call("e1_1_06.curve", &json!({ "sizes": sizes, "runs": 1, "tick_ms": 1000 }))?;
    let rows: Vec<Row> = trace::value(&reply)?;
    let n: Vec<u64> = rows.iter().map(|r| r.n).collect();
    expect::eq("sizes of the rows", &n, &sizes)?;
    // What the emulated device says a launch of this size takes is what the events must have seen.
    for (row, launch) in rows.iter().zip(&reply.launches) {
        let want = launch.predicted_ms;
        expect::that((row.net() - want).abs() <= 1e-3 * want, || {
            format!("n = {}: net time {} ms, the launch took {want} ms", row.n, row.net())
        })
        .map_err(|f| f.hint("a"))?;
    }
    if reply.backend == "cuda" {
        // A card gives times, not counts: the answers are judged on the emulated device.
        let launched = reply.api.iter().filter(|c| c.launch.is_some() && c.result == 0).count();
        expect::that(launched >= sizes.len(), || format!("{launched} launches for the curve"))
            .map_err(|f| f.hint("C8"))?;
        expect::that(rows.iter().all(|r| r.net() > 0.0), || "a net time is 0".to_string())
            .map_err(|f| f.hint("a"))?;
        return Ok(Evidence::new("a net time for every size, measured on the card"));
    }
    let (Some(last), [first, ..]) = (reply.launches.last(), rows.as_slice()) else {
        return Err(Finding::wrong("the curve has no launches").hint("C8"));
    };
    let bytes = (last.total.gld_bytes + last.total.gst_bytes) / sizes[sizes.len() - 1];
    // Beyond the curve: the given kernel by the judge, on longer and longer vectors.
    let kernels = t.kernel("kernels/add.cu").define("ELEM=int").compile()?;
    let doubled = (10..24).map(|k| 1usize << k).find_map(|n| {
        let (grid, data) = ((n / 256) as u32, vec![1; n]);
        let run = vectors::add(&kernels, (grid, 256), (&data, &data), Some(n as i32), |_| None);
        match run {
            Ok(run) if run.report().predicted_ms < 2.0 * first.net() => None,
            run => Some(run.map(|_| n)),
        }
    });
    let answers = t.answers(ANSWERS)?;
    answers.is_int("bytes_per_element", bytes as i64, "p")?;
    answers.is_near("shortest_us", 1e3 * first.net(), 0.1, "p")?;
    let doubled = doubled.ok_or_else(|| Finding::grader("the curve stays flat"))??;
    answers.is_int("twice_as_long", doubled as i64, "p")?;
    Ok(Evidence::new("flat for short vectors (launch), then linear (12 bytes per element)"))
}
