//! Checks of exercise 1.1.3: bigger vectors, many blocks.

use grading::{
    Call, Check, Evidence, Exercise, Finding, Outcome, Reply, Trial, expect, host, trace,
};
use rand::RngExt;
use serde_json::json;

use crate::{model, vectors};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L1-1.1.3",
    key: "e1_1_03",
    title: "First tests: bigger vectors, many blocks",
    points: 7,
    files: &["src/e1_1_03.rs", KERNEL],
    todo: "Fill the regions of src/e1_1_03.rs, then give every thread its own index in \
        kernels/e1_1_03.cu.",
    hints: &[
        (
            "h",
            "the length of a block is blockDim.x; a number in its place is right for one launch \
             only",
        ),
        ("a", "every block works on elements 0..255: add blockIdx.x * blockDim.x"),
        ("c", "blockDim, not gridDim, is the block's length"),
        ("b", "round the number of blocks up"),
        ("d", "verify must look at all elements"),
        ("o", "10001 * i leaves the range of i32 for i > 214726: refuse such n"),
        ("e", "the failing launch must reach the caller: `.during(\"launch of add_kernel\")?`"),
    ],
    checks: &[
        Check {
            name: "multi",
            what: "many blocks: every element exactly once",
            weight: 3,
            run: multi,
        },
        Check {
            name: "verify",
            what: "verify finds the first wrong element",
            weight: 2,
            run: verify,
        },
        Check {
            name: "single_ok",
            what: "one block of 5 and of 1024 threads",
            weight: 1,
            run: single_ok,
        },
        Check {
            name: "single_refused",
            what: "1025 and 2000 threads in a block are refused",
            weight: 2,
            run: single_refused,
        },
        Check { name: "n0", what: "no elements, no launch", weight: 1, run: n0 },
        Check { name: "overflow_err", what: "n > 214727 is refused", weight: 1, run: overflow_err },
        Check { name: "counts", what: "sectors of 2048 elements", weight: 1, run: counts },
    ],
};

const KERNEL: &str = "kernels/e1_1_03.cu";

/// The longest vectors whose sums fit an i32.
const MAX_N: i64 = i32::MAX as i64 / 10_001 + 1;

/// How the index was made, by the first element that no thread wrote: blocks that overlap store the
/// same sums, so nothing else tells.
fn wrong_index(first: Option<usize>) -> &'static str {
    if first == Some(256) { "a" } else { "c" }
}

fn launch(t: &Trial, n: usize) -> Result<grading::Run, Finding> {
    let kernels = t.kernel(KERNEL).compile()?;
    let (a, b) = vectors::ints(t, n);
    let run = vectors::add(&kernels, (n as u32 / 256, 256), (&a, &b), None, |_| None)?;
    let c = run.get::<i32>("c").map_err(|f| f.hint(wrong_index(run.unwritten("c"))))?;
    expect::eq("c", &c, &vectors::sum(&a, &b))?;
    Ok(run)
}

/// The student's function on random vectors.
fn ask(name: &str, t: &Trial, n: usize) -> (Call, Vec<i32>) {
    let (a, b) = vectors::ints(t, n);
    (Call::new(name, &json!({ "a": a, "b": b })), vectors::sum(&a, &b))
}

/// A launch that failed must not be passed over in silence.
fn not_ignored(reply: &Reply) -> Result<(), Finding> {
    match reply.api.iter().find(|c| c.launch.is_some() && !c.ok()) {
        Some(failed) if host::value(reply).is_ok() => {
            let text = format!(
                "{}: the launch returned {} and was ignored",
                reply.call, failed.result_name
            );
            Err(Finding::wrong(text).hint("e"))
        }
        _ => Ok(()),
    }
}

fn multi(t: &Trial) -> Outcome {
    for n in [256, 2048, 25_600] {
        launch(t, n)?;
    }
    // The grid that the host asks for, also where the unguarded kernel then faults.
    let mut rng = t.rng();
    let sizes = [256, 257, 2048, 25_600, rng.random_range(300..5_000)];
    let asked: Vec<_> = sizes.iter().map(|&n| ask("e1_1_03.add_blocks", t, n)).collect();
    let calls: Vec<_> = asked.iter().map(|(call, _)| call.clone()).collect();
    let mut grids = Vec::new();
    let replies = t.host(&calls)?;
    for (&n, reply) in sizes.iter().zip(&replies) {
        if let Some(&launch) = trace::launches(reply).first() {
            grids.push((n, launch.grid[0], launch.block[0]));
        }
    }
    let constant = grids.len() > 1 && grids.iter().all(|g| g.1 == grids[0].1);
    for ((&n, reply), (_, want)) in sizes.iter().zip(&replies).zip(&asked) {
        not_ignored(reply)?;
        let Some(&(_, grid, block)) = grids.iter().find(|g| g.0 == n) else {
            host::value(reply)?;
            trace::launched(reply)?;
            continue;
        };
        let threads = u64::from(grid) * u64::from(block);
        let text = || format!("n = {n}: launched {grid} blocks of {block} threads = {threads}");
        expect::that(block == 256, || format!("{}, expected blocks of 256", text()))?;
        if u64::from(grid) != (n as u64).div_ceil(256) {
            let finding = if grid as usize == n / 256 {
                Finding::wrong(format!("{}: the last {} elements are missing", text(), n % 256))
                    .hint("b")
            } else if constant {
                Finding::wrong(text()).hint("C4")
            } else {
                Finding::wrong(format!("{}, expected {}", text(), n.div_ceil(256)))
            };
            return Err(finding);
        }
        if n % 256 == 0 {
            let c: Vec<i32> = trace::value(reply)?;
            expect::eq("c", &c, want)?;
        }
    }
    // The judge's own launch, in other blocks than the host's.
    for block in [64, 96] {
        let (a, b) = vectors::ints(t, 10 * block);
        let kernels = t.kernel(KERNEL).compile()?;
        let run = vectors::add(&kernels, (10, block as u32), (&a, &b), None, |_| Some("h"))?;
        let c = run.get::<i32>("c").map_err(|f| f.hint("h"))?;
        expect::eq(&format!("blocks of {block}: c"), &c, &vectors::sum(&a, &b))
            .map_err(|f| f.hint("h"))?;
    }
    Ok(Evidence::new(format!("blocks: {:?}", grids.iter().map(|g| (g.0, g.1)).collect::<Vec<_>>())))
}

fn verify(t: &Trial) -> Outcome {
    let n = 1000;
    let right: Vec<i64> = (0..n).map(|i| 10_001 * i).collect();
    let mut rng = t.rng();
    let random = rng.random_range(2..n as usize - 2);
    // Where the vector is spoilt; the first place is the answer.
    let cases: [&[usize]; 6] =
        [&[], &[0], &[1], &[n as usize - 1], &[random], &[random, random + 1, 999]];
    let calls = cases.map(|bad| {
        let mut c = right.clone();
        bad.iter().for_each(|&i| c[i] += 1);
        Call::new("e1_1_03.verify", &json!({ "c": c }))
    });
    for (bad, reply) in cases.into_iter().zip(t.host(&calls)?) {
        let got: Option<usize> = trace::value(&reply)?;
        let want = bad.first().copied();
        expect::that(got == want, || {
            format!("verify with wrong elements {bad:?}: expected {}, got {}", say(want), say(got))
        })
        .map_err(|f| f.hint("d"))?;
    }
    let reply = t.call("e1_1_03.fill", &json!({ "n": n }))?;
    let (a, b): (Vec<i64>, Vec<i64>) = trace::value(&reply)?;
    expect::eq("fill: a", &a, &(0..n).collect::<Vec<_>>())?;
    expect::eq("fill: b", &b, &(0..n).map(|i| 10_000 * i).collect::<Vec<_>>())?;
    Ok(Evidence::new("finds the first wrong element, wherever it is"))
}

fn say(bad: Option<usize>) -> String {
    bad.map_or("Ok".into(), |i| format!("Err({i})"))
}

fn single_ok(t: &Trial) -> Outcome {
    // A kernel that is right for the first block is right here.
    let (calls, wants): (Vec<_>, Vec<_>) =
        [5, 1024].into_iter().map(|n| ask("e1_1_03.add_single_block", t, n)).unzip();
    for (reply, want) in t.host(&calls)?.iter().zip(&wants) {
        let c: Vec<i32> = trace::value(reply)?;
        trace::launched(reply)?;
        expect::eq("c", &c, want)?;
        let launch = trace::launches(reply)[0];
        expect::same(
            "grid and block",
            &(launch.grid[0], launch.block[0] as usize),
            &(1, want.len()),
        )?;
    }
    Ok(Evidence::new("one block of 5 and of 1024 threads"))
}

fn single_refused(t: &Trial) -> Outcome {
    let calls = [1025, 2000].map(|n| ask("e1_1_03.add_single_block", t, n).0);
    let mut said = Vec::new();
    for reply in &t.host(&calls)? {
        not_ignored(reply)?;
        let (message, code) = host::error(reply).map_err(|f| f.or_hint("e"))?;
        trace::launched(reply)?;
        let invalid = message.contains("InvalidValue") || code.contains("INVALID_VALUE");
        expect::that(invalid && message.contains("launch"), || {
            format!("expected an error that names the launch and InvalidValue, got: {message}")
        })
        .map_err(|f| f.hint("e"))?;
        said.push(message.to_string());
    }
    Ok(Evidence::new(said.pop().unwrap_or_default()))
}

fn n0(t: &Trial) -> Outcome {
    let reply = t.call("e1_1_03.add_blocks", &json!({ "a": [], "b": [] }))?;
    let launched = !trace::launches(&reply).is_empty();
    if launched || host::value(&reply).is_err() {
        let how = host::value(&reply).err().map_or("it launched".into(), |f| f.message);
        let finding = Finding::wrong(format!("add_blocks with n = 0: {how}"));
        return Err(if launched || how.contains("nvalid") { finding.hint("C6") } else { finding });
    }
    Ok(Evidence::new("n = 0: Ok, nothing launched"))
}

fn overflow_err(t: &Trial) -> Outcome {
    let calls =
        [MAX_N, MAX_N + 1, 1_000_000].map(|n| Call::new("e1_1_03.fill", &json!({ "n": n })));
    let replies = t.host(&calls)?;
    let (a, _): (Vec<i32>, Vec<i32>) = trace::value(&replies[0])?;
    expect::same("length for the largest n", &(a.len() as i64), &MAX_N)?;
    for reply in &replies[1..] {
        let (message, _) = host::error(reply).map_err(|f| f.or_hint("o"))?;
        expect::that(message.contains("overflow") && message.contains(&MAX_N.to_string()), || {
            format!("expected `values overflow i32 for n > {MAX_N}`, got: {message}")
        })
        .map_err(|f| f.hint("o"))?;
    }
    Ok(Evidence::new(format!("n = {MAX_N} is accepted, {} is not", MAX_N + 1)))
}

fn counts(t: &Trial) -> Outcome {
    vectors::counts(&launch(t, 2048)?, &model::vector_add(2048, 4, 8, 256, false))
}
