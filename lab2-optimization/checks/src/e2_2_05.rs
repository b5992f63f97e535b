//! Checks of exercise 2.2.5: influence of the configuration.

use grading::{
    Call, Check, Evidence, Exercise, Finding, Outcome, Reply, Trial, expect, host, trace,
};
use serde::Deserialize;
use serde_json::json;

use crate::mmt::{EXAMPLE, Matrix};
use references::counts::product::Kernel;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.2.5",
    key: "e2_2_05",
    title: "Influence of the configuration",
    points: 5,
    files: &["src/e2_2_05.rs", ANSWERS],
    todo: "Fill a row for each K in src/e2_2_05.rs, run `cargo lab study matmul`, then answer \
        answers/e2_2_05.toml.",
    hints: &[
        (
            "a",
            "K does not divide m: the last rows of C are never computed; refuse such a size as \
             2.2.1 does",
        ),
        ("b", "compile once per K: a kernel that was built for one tile is wrong for another"),
        ("c", "compare equal sizes: every row on the same matrix"),
        (
            "r",
            "a row has its K, its padding, the sizes, 2*m*m*n/(ms*1e6) and the bytes of both \
             tiles, 4*K*(2*K+pad)",
        ),
        (
            "q",
            "sectors per operation fall as 1/K; K*K/32 warps per block must fit 64 on a \
             multiprocessor; three tiles tie in occupancy",
        ),
    ],
    checks: &[
        Check { name: "rows", what: "a complete row for every tile", weight: 2, run: rows },
        Check {
            name: "divisible",
            what: "sizes that no tile fits are refused",
            weight: 1,
            run: divisible,
        },
        Check { name: "model", what: "each launch counts as its own tile", weight: 1, run: model },
        Check { name: "answers", what: "what the table says", weight: 1, run: answers },
    ],
};

const ANSWERS: &str = "answers/e2_2_05.toml";
const KS: [u32; 4] = [8, 16, 24, 32];

#[derive(Deserialize)]
struct Row {
    k: u32,
    pad: u32,
    m: usize,
    n: usize,
    ms: f64,
    gflops: f64,
    shared: u32,
}

fn sweep(t: &Trial, ks: &[u32], m: usize, n: usize) -> Result<Reply, Finding> {
    let a: Vec<u32> = Matrix::integers(t, m, n).a.iter().map(|x| x.to_bits()).collect();
    let request = json!({ "ks": ks, "m": m, "n": n, "a": a });
    let mut replies = t.host(&[Call::new("e2_2_05.sweep", &request)])?;
    replies.pop().ok_or_else(|| Finding::grader("no reply"))
}

/// The sweep over all tiles, with one launch for each.
fn swept(t: &Trial, (m, n): (usize, usize)) -> Result<(Reply, Vec<Row>), Finding> {
    let reply = sweep(t, &KS, m, n)?;
    let launches = trace::launches(&reply);
    // A kernel for another tile faults, or computes something else: say why before saying what.
    for (launch, k) in launches.iter().zip(KS) {
        let ran = reply.launches.iter().find(|r| r.block == launch.block);
        let tile = launch.block[0];
        let built = ran.is_none_or(|r| r.static_shared == shared(tile));
        expect::that(tile == k && built, || {
            format!(
                "K = {k}: blocks of {tile} x {} threads, shared memory for another tile",
                launch.block[1]
            )
        })
        .map_err(|f| f.hint("b"))?;
    }
    if let Some(fault) = reply.faults.first() {
        return Err(Finding::fault(fault.clone()).hint("b"));
    }
    let rows: Vec<Row> = trace::value(&reply)?;
    trace::launched(&reply)?;
    Ok((reply, rows))
}

/// Bytes of both tiles with the smallest best padding.
fn shared(k: u32) -> u32 {
    4 * k * (2 * k + Kernel::best_pad(k.into()) as u32)
}

fn rows(t: &Trial) -> Outcome {
    let (m, n) = EXAMPLE;
    let (reply, rows) = swept(t, EXAMPLE)?;
    expect::that(rows.len() == KS.len(), || {
        format!("expected {} rows, got {}", KS.len(), rows.len())
    })
    .map_err(|f| f.hint("r"))?;
    for (row, k) in rows.iter().zip(KS) {
        expect::that((row.m, row.n) == (m, n), || {
            format!("K = {k}: measured on {} x {}, asked for {m} x {n}", row.m, row.n)
        })
        .map_err(|f| f.hint("c"))?;
        let rate = 2.0 * (m * m * n) as f64 / (row.ms * 1e6);
        let right = row.k == k
            && u64::from(row.pad) == Kernel::best_pad(k.into())
            && row.shared == shared(k)
            && row.ms > 0.0
            && (row.gflops - rate).abs() <= 1e-5 * rate;
        expect::that(right, || {
            format!(
                "K = {k}: the row says K {}, padding {}, {} ms, {} GFLOP/s, {} bytes",
                row.k, row.pad, row.ms, row.gflops, row.shared
            )
        })
        .map_err(|f| f.hint("r"))?;
    }
    let launches = trace::launches(&reply).len();
    expect::that(launches == KS.len(), || {
        format!("expected one launch for each of {} tiles, counted {launches}", KS.len())
    })?;
    Ok(Evidence::new("rows for K = 8, 16, 24 and 32"))
}

fn divisible(t: &Trial) -> Outcome {
    for (m, n) in [(64, 96), (96, 64)] {
        let reply = sweep(t, &[16, 24], m, n)?;
        if let Some(fault) = reply.faults.first() {
            return Err(Finding::fault(fault.clone()).hint("a"));
        }
        let (text, _) = host::error(&reply).map_err(|f| f.or_hint("a"))?;
        expect::that(text.contains("24") && text.contains("64"), || {
            format!("m = {m}, n = {n}: the error should name the size and K = 24: {text}")
        })
        .map_err(|f| f.hint("a"))?;
    }
    Ok(Evidence::new("64 is no multiple of 24: refused"))
}

fn model(t: &Trial) -> Outcome {
    // Twice the columns: a sweep that runs a size of its own counts something else.
    let (m, n) = (EXAMPLE.0, 2 * EXAMPLE.1);
    let (reply, _) = swept(t, (m, n))?;
    if reply.backend == "cuda" {
        return Ok(Evidence::new("a card does not count: the model is checked on the emulator"));
    }
    let mut evidence = Evidence::default();
    expect::that(reply.launches.len() >= KS.len(), || {
        format!("{} launches for {} sizes", reply.launches.len(), KS.len())
    })
    .map_err(|f| f.hint("r"))?;
    for (report, k) in reply.launches.iter().zip(KS) {
        let pad = Kernel::best_pad(k.into());
        let want = Kernel { variant: 4, k: k.into(), pad }.counts(m as u64, n as u64);
        for (name, want) in [("flop", want.flop), ("gld.sec", want.load_a + want.load_at)] {
            let got = expect::counter(&report.total, name)?;
            expect::that(got == want, || {
                format!("K = {k}: {name}: expected {want}, counted {got}")
            })
            .map_err(|f| f.hint("c"))?;
        }
        evidence = evidence.line(format!(
            "K = {k}: {:.4} sectors loaded per 100 operations, {} barriers",
            100.0 * report.total.gld_sec as f64 / report.total.flop as f64,
            report.total.bar
        ));
    }
    Ok(evidence)
}

/// Resident warps in percent of what an H200 multiprocessor holds, for threads of 32 registers.
fn occupancy(k: u32) -> Result<f64, Finding> {
    let device = simt::device::model("h200").ok_or_else(|| Finding::grader("no model h200"))?;
    simt::occupancy::occupancy(device, k * k, 32, shared(k))
        .map(|o| o.percent)
        .map_err(Finding::grader)
}

fn answers(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let mut percent = Vec::new();
    for k in KS {
        percent.push((k, occupancy(k)?));
    }
    let best = percent.iter().map(|p| p.1).fold(0.0, f64::max);
    let lowest = percent.iter().min_by(|x, y| x.1.total_cmp(&y.1)).map_or(0, |p| p.0);
    let decides = percent.iter().filter(|p| p.1 == best).count() == 1;
    let traffic = |k: u32| {
        let pad = Kernel::best_pad(k.into());
        let c = Kernel { variant: 4, k: k.into(), pad }.counts(EXAMPLE.0 as u64, EXAMPLE.1 as u64);
        (c.load_a + c.load_at) as f64 / c.flop as f64
    };
    let least = KS.into_iter().min_by(|x, y| traffic(*x).total_cmp(&traffic(*y))).unwrap_or(0);
    let [lowest, least, decides] = [lowest.to_string(), least.to_string(), decides.to_string()];
    a.choices(
        &[
            ("lowest_occupancy", &lowest),
            ("best_traffic", &least),
            ("calculator_decides", &decides),
        ],
        "q",
    )?;
    let shown: Vec<String> = percent.iter().map(|(k, p)| format!("K = {k}: {p:.1} %")).collect();
    Ok(Evidence::new(shown.join(", ")))
}
