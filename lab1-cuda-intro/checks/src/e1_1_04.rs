//! Checks of exercise 1.1.4: the memory checker.

use grading::{Call, Check, Evidence, Exercise, Finding, Kernels, Outcome, Trial, expect, trace};
use rand::RngExt;
use serde_json::json;
use simt::fault::FaultKind;

use crate::{model, vectors};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L1-1.1.4",
    key: "e1_1_04",
    title: "More tests: the memory checker",
    points: 8,
    files: &["src/e1_1_04.rs", KERNEL, ANSWERS],
    todo: "Read what the checker says of the unguarded kernel into answers/e1_1_04.toml, then \
        guard kernels/e1_1_04.cu and fill src/e1_1_04.rs.",
    hints: &[
        (
            "h",
            "the length of a block is blockDim.x; a number in its place is right for one launch \
             only",
        ),
        (
            "f",
            "run the unguarded kernel with your n and read the first line of the fault; the \
             threads are those of all blocks",
        ),
        ("g", "every thread stores: those with i >= size must do nothing, if (i < size)"),
        ("e", "guard the global index, not the thread's"),
        ("c", "the limit must be the argument `size`"),
        ("a", "index n is already outside: `<`"),
        ("b", "the loads read outside before the guarded store"),
        ("d", "size counts elements, not bytes"),
    ],
    checks: &[
        Check {
            name: "fault_answers",
            what: "what the checker says of the unguarded kernel",
            weight: 3,
            run: fault_answers,
        },
        Check {
            name: "guarded_sizes",
            what: "ten sizes without a fault, by the host function",
            weight: 2,
            run: guarded_sizes,
        },
        Check {
            name: "canary",
            what: "nothing beyond the vectors is touched",
            weight: 2,
            run: canary,
        },
        Check {
            name: "counts",
            what: "sectors and the one divergent warp",
            weight: 1,
            run: counts,
        },
    ],
};

const KERNEL: &str = "kernels/e1_1_04.cu";
const ANSWERS: &str = "answers/e1_1_04.toml";
const BLOCK: u32 = 256;
const SIZES: [usize; 10] = [1, 31, 32, 33, 255, 256, 257, 2000, 2047, 2048];

fn blocks(n: usize) -> u32 {
    (n as u32).div_ceil(BLOCK)
}

fn compile(t: &Trial) -> Result<Kernels, Finding> {
    t.kernel(KERNEL).define("ELEM=int").compile()
}

/// The truth is what the checker says of the given kernel, and it must agree with the arithmetic.
fn fault_answers(t: &Trial) -> Outcome {
    let answers = t.answers(ANSWERS)?;
    // The last warp that works is not full.
    let mut rng = answers.own()?;
    let n = 32 * rng.random_range(16..90) + rng.random_range(1..32usize);
    let answers = answers.about(format!("n = {n}"));
    let data = vec![1; n];
    let kernels = t.kernel("kernels/unguarded.cu").compile()?;
    let launch = kernels.launch("add_kernel", blocks(n), BLOCK);
    let fault = launch.output::<i32>("c", n).input("a", &data).input("b", &data).fault()?;
    let site = fault.site.as_ref().ok_or_else(|| Finding::grader("a fault without a place"))?;
    let (block, thread) = (i64::from(site.block[0]), i64::from(site.thread[0]));
    let first = n as i64;
    if (block, thread) != (first / i64::from(BLOCK), first % i64::from(BLOCK)) {
        return Err(Finding::grader(format!("the checker names block {block}, thread {thread}")));
    }
    let idle = i64::from(blocks(n) * BLOCK) - first;

    answers.choices(&[("fault", fault.kind.code())], "f")?;
    for (key, want) in [("block", block), ("thread", thread), ("i", first), ("threads", idle)] {
        answers.is_int(key, want, "f")?;
    }
    Ok(Evidence::new(fault.message.clone()))
}

/// Finds out what the guard really guards: all vectors are long enough for every thread, and `c`
/// shows who stored.
fn diagnose(kernels: &Kernels) -> Result<&'static str, Finding> {
    let (n, grid) = (100, 9);
    let total = (grid * BLOCK) as usize;
    let data = vec![1; total];
    let untouched = -1;
    let run = kernels
        .launch("add_kernel", grid, BLOCK)
        .inout("c", &vec![untouched; total])
        .input("a", &data)
        .input("b", &data)
        .scalar(n as i32)
        .run()?;
    let stored: Vec<bool> = run.get::<i32>("c")?.into_iter().map(|c| c != untouched).collect();
    let count = stored.iter().filter(|s| **s).count();
    let is_prefix = stored[..count].iter().all(|s| *s);
    Ok(match count {
        _ if !is_prefix => "e",
        _ if count == n => "b",
        _ if count == n + 1 => "a",
        _ if count < total => "c",
        _ => "g",
    })
}

/// One run on vectors of exactly `n` elements.
fn exact(t: &Trial, kernels: &Kernels, n: usize) -> Result<grading::Run, Finding> {
    let (a, b) = vectors::ints(t, n);
    let launch = (blocks(n), BLOCK);
    let found = vectors::add(kernels, launch, (&a, &b), Some(n as i32), |_| None);
    let run = found.map_err(|f| match &f.fault {
        Some(fault) if fault.kind == FaultKind::OutOfBoundsGlobal => match diagnose(kernels) {
            Ok(hint) => f.hint(hint),
            Err(other) => other,
        },
        _ => f,
    })?;
    let found = run.get::<i32>("c").and_then(|c| expect::eq("c", &c, &vectors::sum(&a, &b)));
    found.map_err(|f| match diagnose(kernels) {
        Ok(hint @ ("c" | "e")) => f.hint(hint),
        _ => f,
    })?;
    Ok(run)
}

fn guarded_sizes(t: &Trial) -> Outcome {
    let kernels = compile(t)?;
    for n in SIZES {
        exact(t, &kernels, n)?;
    }
    let asked: Vec<_> = SIZES.iter().map(|&n| vectors::ints(t, n)).collect();
    let mut calls: Vec<_> = asked
        .iter()
        .map(|(a, b)| Call::new("e1_1_04.add_guarded", &json!({ "a": a, "b": b, "block": BLOCK })))
        .collect();
    calls.push(Call::new("e1_1_04.add_guarded", &json!({ "a": [], "b": [], "block": BLOCK })));
    let replies = t.host(&calls)?;
    for ((a, b), reply) in asked.iter().zip(&replies) {
        size_argument(reply, a.len())?;
        let c: Vec<i32> = trace::value(reply)?;
        trace::launched(reply)?;
        expect::eq("c", &c, &vectors::sum(a, b))?;
    }
    let empty = &replies[SIZES.len()];
    let c = trace::value::<Vec<i32>>(empty);
    if c.is_err() || !trace::launches(empty).is_empty() {
        return Err(Finding::wrong("add_guarded with n = 0 launches an empty grid").hint("C6"));
    }
    Ok(Evidence::new(format!("no fault for n = {SIZES:?}, nothing launched for n = 0")))
}

/// What the kernel received as `size`, for the mistakes that `launch!` cannot see.
fn size_argument(reply: &grading::Reply, n: usize) -> Result<(), Finding> {
    let Some(&launch) = trace::launches(reply).first() else { return Ok(()) };
    let Some(bytes) = launch.params.get(3).and_then(|p| p.bytes.first_chunk::<4>()) else {
        return Ok(());
    };
    let size = i32::from_le_bytes(*bytes);
    if size == n as i32 {
        return Ok(());
    }
    let text = format!("n = {n}: the kernel received size = {size}");
    let as_f64 = i32::from_le_bytes(*(n as f64).to_le_bytes().first_chunk().unwrap_or(&[0; 4]));
    let as_f32 = i32::from_le_bytes((n as f32).to_le_bytes());
    Err(match size {
        _ if size == 4 * n as i32 => {
            Finding::wrong(format!("{text}, which is the number of bytes")).hint("d")
        }
        _ if size == as_f64 || size == as_f32 => Finding::wrong(format!(
            "{text}, the bytes of a floating-point number: `launch!` does not convert"
        ))
        .hint("C2"),
        _ => Finding::wrong(text),
    })
}

fn canary(t: &Trial) -> Outcome {
    let kernels = compile(t)?;
    let mut rng = t.rng();
    let sizes = [2000, rng.random_range(1..256), rng.random_range(257..3000)];
    for n in sizes {
        exact(t, &kernels, n)?;
    }
    // With room behind the vectors a stray store is no fault: the marks behind c must stay.
    let (n, total) = (1000, 2048);
    let mark = 0x0bad_cafe;
    let data = vec![1; total];
    let run = kernels
        .launch("add_kernel", total as u32 / BLOCK, BLOCK)
        .inout("c", &vec![mark; total])
        .input("a", &data)
        .input("b", &data)
        .scalar(n as i32)
        .run()?;
    let c = run.get::<i32>("c")?;
    if let Some(at) = (n..total).find(|&i| c[i] != mark) {
        let text = format!("element {at} of c was written; the last valid index is {}", n - 1);
        return Err(Finding::wrong(text).hint(diagnose(&kernels)?));
    }
    for block in [64, 96] {
        let (a, b) = vectors::ints(t, n);
        let launch = ((n as u32).div_ceil(block), block);
        let run = vectors::add(&kernels, launch, (&a, &b), Some(n as i32), |_| Some("h"))?;
        let c = run.get::<i32>("c").map_err(|f| f.hint("h"))?;
        expect::eq(&format!("blocks of {block}: c"), &c, &vectors::sum(&a, &b))
            .map_err(|f| f.hint("h"))?;
    }
    Ok(Evidence::new(format!("n = {sizes:?}: nothing beyond the vectors is touched")))
}

fn counts(t: &Trial) -> Outcome {
    let run = exact(t, &compile(t)?, 2000)?;
    vectors::counts(&run, &model::vector_add(2000, 4, 8, 256, true))
}
