//! Checks of exercise 2.2.1: the starting version of `C = A A^T`.

use grading::{
    Call, Check, Evidence, Exercise, Finding, Outcome, Reply, Trial, expect, host, trace,
};
use rand::RngExt;
use serde::Deserialize;
use serde_json::{Value, json};
use simt::fault::{Fault, FaultKind, ThreadAction};
use wire::Outcome as CallOutcome;

use crate::mmt::{self, Diagnosis, EXAMPLE, Matrix};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L2-2.2.1",
    key: "e2_2_01",
    title: "Starting version",
    points: 4,
    files: &["src/e2_2_01.rs", KERNEL, ANSWERS],
    todo: "Read kernels/mmt1.cu and correct its two comments, write the four functions of \
        src/e2_2_01.rs, then answer answers/e2_2_01.toml.",
    hints: &[
        ("a", "C is m x m: the grid has m/K by m/K blocks of K x K threads"),
        ("m", "a size that is no multiple of K is refused: `m = 100 is not a multiple of K = 16`"),
        ("b", "2*m*m*n overflows i32 at the size of the handout: compute in f64"),
        ("r", "m and n, then m*n values of A, then m*m of C, and nothing after them"),
        (
            "c",
            "a tile is used before it is complete: a barrier between the stores to the tiles and \
             the products",
        ),
        (
            "d",
            "a tile is overwritten while other threads still read it: a barrier at the end of the \
             round, too",
        ),
        (
            "e",
            "neighbouring lanes write rows that are m elements apart, 16 sectors per store: lanes \
             belong along a row, C[iy * m + ix]",
        ),
        ("k", "iAT is where the tiles of A^T begin, iA where those of A begin"),
        (
            "q",
            "count the sectors of 32 lanes, two rows of a tile; a tile of K x K values gives K \
             products to each of its values",
        ),
    ],
    checks: &[
        Check {
            name: "mmt_c",
            what: "the product, with and without host code",
            weight: 2,
            run: mmt_c,
        },
        Check {
            name: "reader",
            what: "matmultran.dat, and files that are not it",
            weight: 1,
            run: reader,
        },
        Check { name: "flop", what: "the number of operations", weight: 1, run: flop },
        Check {
            name: "counts",
            what: "requests, sectors, wavefronts, barriers",
            weight: 2,
            run: counts,
        },
        Check {
            name: "answers",
            what: "what the listing costs, and its comments",
            weight: 2,
            run: answers,
        },
    ],
};

const KERNEL: &str = "kernels/mmt1.cu";
const ANSWERS: &str = "answers/e2_2_01.toml";
const K: u32 = 16;

/// A race or an unwritten word of a tile: which barrier is missing?
fn diagnose(fault: &Fault) -> Option<&'static str> {
    match fault.kind {
        FaultKind::Uninitialised => Some("c"),
        // Read behind a store, before the barrier between them; or stored behind a read of the
        // round before.
        FaultKind::RaceShared => {
            let reads = fault.site.as_ref().is_some_and(|s| s.action == ThreadAction::Reads);
            Some(if reads { "c" } else { "d" })
        }
        _ => None,
    }
}

fn diagnosis() -> Diagnosis<'static> {
    Diagnosis { fault: &diagnose, wrong: &|_, _, _| None, unwritten: None }
}

fn call(k: u32, matrix: &Matrix) -> Call {
    Call::new("e2_2_01.product", &request(1, k, matrix))
}

/// The request for one product by the host's function.
pub fn request(variant: u32, k: u32, matrix: &Matrix) -> Value {
    let bits: Vec<u32> = matrix.a.iter().map(|x| x.to_bits()).collect();
    json!([{ "variant": variant, "k": k, "m": matrix.m, "n": matrix.n, "a": bits }])
}

/// The product of a reply to [`request`].
pub fn replied(reply: &Reply) -> Result<Vec<f32>, Finding> {
    #[derive(Deserialize)]
    struct Product {
        c: Vec<u32>,
    }
    if let Some(fault) = reply.faults.first() {
        return Err(Finding::fault(fault.clone()));
    }
    let products: Vec<Product> = trace::value(reply)?;
    let product = products.into_iter().next().ok_or_else(|| Finding::grader("no product"))?;
    Ok(product.c.into_iter().map(f32::from_bits).collect())
}

/// The launch of a product had the right shape and arguments.
fn launched_right(reply: &Reply, k: u32, m: usize, n: usize) -> Result<(), Finding> {
    trace::launched(reply)?;
    let launches = trace::launches(reply);
    expect::that(launches.len() == 1, || {
        format!("m = {m}, n = {n}: expected one launch, counted {}", launches.len())
    })?;
    let launch = launches[0];
    let blocks = m as u32 / k;
    let shape = (launch.grid, launch.block);
    expect::that(shape == ([blocks, blocks, 1], [k, k, 1]), || {
        format!(
            "m = {m}, n = {n}, K = {k}: expected {blocks} x {blocks} blocks of {k} x {k} threads, \
             launched {} x {} of {} x {}",
            launch.grid[0], launch.grid[1], launch.block[0], launch.block[1]
        )
    })
    .map_err(|f| f.hint("a"))?;
    // The addresses of C and A come first.
    for (param, (name, size)) in launch.params.iter().skip(2).zip([("m", m), ("n", n)]) {
        let want = (size as i32).to_le_bytes();
        expect::that(param.bytes == want, || {
            format!("m = {m}, n = {n}: the kernel receives {:?} as {name}", param.bytes)
        })
        .map_err(|f| f.hint("C2"))?;
    }
    Ok(())
}

fn shape(t: &Trial) -> Result<(), Finding> {
    let ask =
        |k: u32, m: usize, n: usize| Call::new("e2_2_01.shape", &json!({ "k": k, "m": m, "n": n }));
    let good = [(16, 96, 192), (16, 192, 96), (32, 2368, 6208), (8, 2400, 6240)];
    let bad = [(16, 100, 160, "m = 100"), (16, 160, 100, "n = 100"), (24, 2368, 6240, "m = 2368")];
    let calls: Vec<Call> = good
        .iter()
        .map(|(k, m, n)| ask(*k, *m, *n))
        .chain(bad.iter().map(|(k, m, n, _)| ask(*k, *m, *n)))
        .collect();
    let replies = t.host(&calls)?;
    for (reply, (k, m, n)) in replies.iter().zip(good) {
        let got: ((u32, u32), (u32, u32)) = trace::value(reply)?;
        let blocks = m as u32 / k;
        expect::same(&format!("shape({k}, {m}, {n})"), &got, &((blocks, blocks), (k, k)))
            .map_err(|f| f.hint("a"))?;
    }
    for (reply, (k, m, n, what)) in replies[good.len()..].iter().zip(bad) {
        let (text, _) = host::error(reply).map_err(|f| f.or_hint("m"))?;
        expect::that(text.contains(what) && text.contains(&format!("K = {k}")), || {
            format!("shape({k}, {m}, {n}): the error should name {what} and K = {k}: {text}")
        })
        .map_err(|f| f.hint("m"))?;
    }
    Ok(())
}

fn mmt_c(t: &Trial) -> Outcome {
    let kernels = t.kernel(KERNEL).compile()?;
    mmt::mmt_c(t, &kernels, K, &diagnosis())?;
    mmt::mmt_c(t, &t.kernel(KERNEL).define("K=8").compile()?, 8, &diagnosis())?;

    shape(t)?;
    let side = K as usize;
    let cases = [EXAMPLE, (side, 3 * side), (2 * side, side)];
    let matrices: Vec<_> = cases.map(|(m, n)| Matrix::normal(t, m, n)).into();
    let none = Matrix { m: 0, n: side, a: Vec::new() };
    let odd = Matrix::integers(t, 100, side);
    // 40 x 40 threads: the driver refuses the launch, and the program must say so.
    let large = Matrix::integers(t, 40, 40);
    let calls: Vec<Call> = matrices
        .iter()
        .map(|matrix| call(K, matrix))
        .chain([call(K, &none), call(K, &odd), call(40, &large)])
        .collect();
    let replies = t.host(&calls)?;
    for (reply, matrix) in replies.iter().zip(&matrices) {
        let computed = replied(reply);
        if computed.is_ok() || !trace::launches(reply).is_empty() {
            launched_right(reply, K, matrix.m, matrix.n)?;
        }
        matrix.compare(&computed?)?;
    }
    let rest = &replies[matrices.len()..];
    host::value(&rest[0]).map_err(|f| f.or_hint("C6"))?;
    expect::that(trace::launches(&rest[0]).is_empty(), || "m = 0: a kernel was launched".into())
        .map_err(|f| f.hint("C6"))?;
    host::error(&rest[1]).map_err(|f| f.or_hint("m"))?;
    let told = matches!(rest[2].outcome, CallOutcome::Err { .. }) && rest[2].faults.is_empty();
    expect::that(told, || "K = 40: the launch of 1600 threads was refused, and ignored".into())
        .map_err(|f| f.hint("C3"))?;
    Ok(mmt::mmt_c_evidence("16 and 8"))
}

/// A file of the exercise: sizes as written, then values.
fn file(m: i32, n: i32, values: usize) -> Vec<u8> {
    let header = [m, n].into_iter().flat_map(i32::to_le_bytes);
    header.chain((0..values).flat_map(|i| (i as f32 - 3.5).to_le_bytes())).collect()
}

#[derive(Deserialize)]
struct Read {
    m: usize,
    n: usize,
    a: Vec<u32>,
    c: Vec<u32>,
}

fn reader(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let (m, n) = (rng.random_range(2..9), rng.random_range(10..20));
    let size = m * n + m * m;
    let good = [(m, n, size), (n, m, n * m + n * n), (0, 5, 0), (4, 0, 16)];
    let long = [file(m as i32, n as i32, size), vec![0]].concat();
    let bad: [(&str, Option<Vec<u8>>); 9] = [
        ("a missing file", None),
        ("an empty file", Some(vec![])),
        ("a truncated header", Some(vec![1, 0, 0, 0, 2])),
        ("a negative m", Some(file(-4, 4, 0))),
        ("a negative n", Some(file(4, -4, 0))),
        ("sizes whose product is huge", Some(file(i32::MAX, i32::MAX, 4))),
        ("one value too few", Some(file(m as i32, n as i32, size - 1))),
        ("one byte too many", Some(long)),
        ("C left out", Some(file(m as i32, n as i32, m * n))),
    ];
    let ask = |i: usize, bytes: &Option<Vec<u8>>| {
        Call::new("e2_2_01.read_dat", &json!({ "name": format!("f{i}.dat"), "bytes": bytes }))
    };
    let files: Vec<Option<Vec<u8>>> = good
        .iter()
        .map(|(m, n, values)| Some(file(*m as i32, *n as i32, *values)))
        .chain(bad.iter().map(|(_, bytes)| bytes.clone()))
        .collect();
    let calls: Vec<Call> = files.iter().enumerate().map(|(i, bytes)| ask(i, bytes)).collect();
    let replies = t.host(&calls)?;
    for (reply, (m, n, values)) in replies.iter().zip(good) {
        let read: Read = trace::value(reply).map_err(|f| f.or_hint("r"))?;
        let all: Vec<u32> = (0..values).map(|i| (i as f32 - 3.5).to_bits()).collect();
        let right = (read.m, read.n) == (m, n) && read.a == all[..m * n] && read.c == all[m * n..];
        expect::that(right, || {
            format!(
                "m = {m}, n = {n}: read m = {}, n = {}, {} values of A and {} of C, or others than \
                 those of the file",
                read.m,
                read.n,
                read.a.len(),
                read.c.len()
            )
        })
        .map_err(|f| f.hint("r"))?;
    }
    for (i, (reply, (what, _))) in replies[good.len()..].iter().zip(&bad).enumerate() {
        let found = host::error(reply)
            .map_err(|f| Finding { message: format!("{what}: {}", f.message), ..f }.or_hint("r"))?;
        let name = format!("f{}.dat", good.len() + i);
        expect::that(found.0.contains(&name), || {
            format!("{what}: the error should name the file: {}", found.0)
        })
        .map_err(|f| f.hint("r"))?;
    }
    Ok(Evidence::new("four files read, nine refused with a line that names the file"))
}

fn flop(t: &Trial) -> Outcome {
    let sizes = [(96, 192), (2368, 6208), (1, 1), (0, 5), (46_340, 46_340)];
    let calls: Vec<Call> =
        sizes.iter().map(|(m, n)| Call::new("e2_2_01.flop", &json!({ "m": m, "n": n }))).collect();
    for (reply, (m, n)) in t.host(&calls)?.iter().zip(sizes) {
        let bits: u64 = trace::value(reply).map_err(|f| f.hint("b"))?;
        let (got, want) = (f64::from_bits(bits), 2.0 * m as f64 * m as f64 * n as f64);
        expect::that(got == want, || format!("flop({m}, {n}): expected {want}, found {got}"))
            .map_err(|f| f.hint("b"))?;
    }
    Ok(Evidence::new("m = 2368, n = 6208: 69,621,252,096 operations"))
}

fn counts(t: &Trial) -> Outcome {
    let kernels = t.kernel(KERNEL).compile()?;
    let matrix = Matrix::normal(t, EXAMPLE.0, EXAMPLE.1);
    let run = mmt::launch(&kernels, K, &matrix, diagnose)?;
    for (name, want) in mmt::example(1, K.into(), 0).named() {
        expect::count(&run, name, want)
            .map_err(|f| if name == "gst.sec" { f.hint("e") } else { f })?;
    }
    let mut replies = t.host(&[call(K, &matrix)])?;
    let reply = replies.pop().ok_or_else(|| Finding::grader("no reply"))?;
    let computed = replied(&reply);
    if computed.is_ok() || !trace::launches(&reply).is_empty() {
        launched_right(&reply, K, matrix.m, matrix.n)?;
    }
    computed?;
    Ok(Evidence::new(format!(
        "m = 96, n = 192: loads {} requests, {} sectors; barriers {}",
        run.total().gld_req,
        run.total().gld_sec,
        run.total().bar
    ))
    .launch(run.report()))
}

fn answers(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let k = [8, 24, 32][a.own()?.random_range(0..3)];
    let a = a.about(format!("K = {k}"));
    let model = mmt::example(1, k, 0);
    let requests = model.gld_req as f64 / 2.0;
    a.is_near("load_a_sectors", model.load_a as f64 / requests, 0.01, "q")?;
    a.is_near("load_at_sectors", model.load_at as f64 / requests, 0.01, "q")?;
    a.is_int("cgma", (model.flop / model.gld_lane) as i64, "q")?;
    let text = t.text(KERNEL)?;
    for (variable, transposed) in [("int iAT =", true), ("int iA =", false)] {
        let line = text.lines().find(|line| line.trim_start().starts_with(variable));
        let comment = line.and_then(|line| line.split_once("//")).map_or("", |(_, c)| c);
        let says = ["A^T", "AT", "transpos"].iter().any(|name| comment.contains(name));
        expect::that(!comment.trim().is_empty() && says == transposed, || {
            format!("{KERNEL}: `{variable} ...` has the comment `{}`", comment.trim())
        })
        .map_err(|f| f.hint("k"))?;
    }
    Ok(Evidence::new(format!("K = {k}: sectors per request and operations per load are right")))
}
