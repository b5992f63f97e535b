//! Checks of exercise 3.1.3: points and hits on the GPU.

use grading::{
    Call, Check, Evidence, Exercise, Finding, Kernels, Outcome, Run, Trial, expect, trace,
};
use rand::RngExt;
use serde_json::json;
use simt::fault::{Fault, FaultKind};

use crate::device::{self, bits32, f32s};
use crate::mc;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L3-3.1.3",
    key: "e3_1_03",
    title: "Moving the program to the GPU",
    points: 5,
    files: &[KERNEL, "src/e3_1_03.rs", ANSWERS],
    todo: "Write mc_gen and mc_hits in kernels/mc.cu and their launches in src/e3_1_03.rs, and \
        predict the variants in answers/e3_1_03.toml.",
    hints: &[
        ("a", "clear the counter before the launch: the kernel adds to what is there"),
        ("b", "one atomic for each block is enough: sum in the warp, then in the block"),
        ("c", "blocks run at the same time: *hits += c loses counts, use atomicAdd"),
        ("d", "a barrier between writing and reading the sums of the warps"),
        ("e", "the first step of the shuffle adds lane 16 to lane 0: start at offset 16"),
        ("f", "n may be 2^32 and more: index and stride are unsigned long long"),
        ("g", "threads without points must reach the barrier, too: no return before it"),
        (
            "h",
            "neighbouring threads read neighbouring points, each coordinate once: load it into a \
             variable",
        ),
        ("k", "blocks = ceil(n/256), at most 64"),
        ("n", "the last point is n - 1"),
        (
            "o",
            "point i has the elements i, n + i and 2n + i of the sequence, computed in double as \
             on the host",
        ),
        (
            "v",
            "a request is for 32 lanes: how many sectors of 32 bytes do 32 floats cover, one after \
             the other and 12 bytes apart?",
        ),
    ],
    checks: &[
        Check {
            name: "hits_equal",
            what: "points and hits through the host code",
            weight: 2,
            run: hits_equal,
        },
        Check { name: "sizes", what: "both kernels from 1 to 2^32 points", weight: 2, run: sizes },
        Check { name: "counts", what: "traffic, operations, atomics", weight: 2, run: counts },
        Check {
            name: "variants",
            what: "what you expected of the variants",
            weight: 1,
            run: variants,
        },
    ],
};

const KERNEL: &str = "kernels/mc.cu";
const VARIANTS: &str = "kernels/mc_variants.cu";
const ANSWERS: &str = "answers/e3_1_03.toml";
/// Points of the counts.
const N: usize = 100_000;

fn blocks(n: u64) -> u32 {
    n.div_ceil(256).min(64) as u32
}

fn diagnose(fault: &Fault) -> Option<&'static str> {
    let on = fault.target.as_ref().map_or("", |t| t.name.as_str());
    match fault.kind {
        FaultKind::RaceGlobal => Some("c"),
        FaultKind::RaceShared => Some("d"),
        FaultKind::DivergentBarrier => Some("g"),
        FaultKind::Uninitialised if on == "partial" => Some("d"),
        FaultKind::OutOfBoundsGlobal if matches!(on, "x" | "y" | "z") => Some("n"),
        _ => None,
    }
}

fn hits_equal(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let on_host = |fault: &Fault| match fault.kind {
        FaultKind::Uninitialised => Some("a"),
        _ => diagnose(fault),
    };
    let sizes = [rng.random_range(2000..4000), 1, 0];
    for n in sizes {
        let seed = mc::seed(&mut rng);
        let want = mc::points(seed, n, -1.0, 1.0);
        let request = json!({ "n": n, "seed": seed, "a": -1.0, "b": 1.0 });
        let bits = want.clone().map(|axis| bits32(&axis));
        let calls =
            [Call::new("e3_1_03.generate", &request), Call::new("e3_1_03.hits", &json!(bits))];
        let replies = t.host(&calls)?;
        let got: [Vec<u32>; 3] = device::value(&replies[0], on_host)?;
        for ((got, want), name) in got.iter().zip(&want).zip(["x", "y", "z"]) {
            expect::eq(&format!("n = {n}: {name}"), &f32s(got), want).map_err(|f| f.hint("o"))?;
        }
        let [first, second]: [u64; 2] = device::value(&replies[1], on_host)?;
        let hits = mc::hits(&want);
        expect::that(first == hits, || format!("n = {n}: expected {hits} hits, got {first}"))
            .map_err(|f| f.hint("e"))?;
        expect::that(second == hits, || {
            format!("n = {n}: expected {hits} hits, got {first} and then {second}")
        })
        .map_err(|f| f.hint("a"))?;
        for reply in &replies {
            if n > 0 {
                trace::launched(reply)?;
            } else {
                expect::that(trace::launches(reply).is_empty(), || {
                    format!("{}: n = 0: a kernel was launched", reply.call)
                })
                .map_err(|f| f.hint("C6"))?;
            }
        }
    }
    Ok(Evidence::new(format!(
        "{} points: equal to those of the CPU, and so are the hits",
        sizes[0]
    )))
}

/// One launch of `mc_hits`.
fn count(kernels: &Kernels, points: &[Vec<f32>; 3]) -> Result<Run, Finding> {
    let n = points[0].len();
    kernels
        .launch("mc_hits", blocks(n as u64), 256u32)
        .input("x", &points[0])
        .input("y", &points[1])
        .input("z", &points[2])
        .scalar(n as u64)
        .inout("hits", &[0u64])
        .on_fault(diagnose)
        .run()
}

fn same_hits(run: &Run, n: u64, want: u64) -> Result<(), Finding> {
    let got = run.get::<u64>("hits")?[0];
    expect::that(got == want, || format!("mc_hits, {n} points: expected {want} hits, got {got}"))
        .map_err(|f| f.hint("e"))
}

fn sizes(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let kernels = t.kernel(KERNEL).compile()?;
    for n in [1, 31, 256, 257, rng.random_range(17_000..19_000)] {
        let (seed, a, b) = (mc::seed(&mut rng), rng.random_range(-2.0..0.0f32), 1.0f32);
        let want = mc::points(seed, n, a, b);
        let mut launch = kernels.launch("mc_gen", blocks(n as u64), 256u32);
        for name in ["x", "y", "z"] {
            launch = launch.output::<f32>(name, n);
        }
        let run = launch.scalar(n as u64).scalar(seed).scalar(a).scalar(b).run()?;
        for (name, want) in ["x", "y", "z"].into_iter().zip(&want) {
            expect::eq(&format!("mc_gen, n = {n}: {name}"), &run.get::<f32>(name)?, want)
                .map_err(|f| f.hint("o"))?;
        }
        same_hits(&count(&kernels, &want)?, n as u64, mc::hits(&want))?;
    }
    // All hits, so that nothing that is lost can go unnoticed.
    let inside = [vec![0.0; 20_000], vec![0.5; 20_000], vec![-0.5; 20_000]];
    same_hits(&count(&kernels, &inside)?, 20_000, 20_000)?;
    huge(t)?;
    Ok(Evidence::new("1 to 19,000 points, all of them hits, and the last block of 2^32 points"))
}

/// The last block of 2^32 points: the kernel is told to be block 2^24 - 1, and its pointers begin
/// where that block's points would end up in the 256 numbers that there are.
fn huge(t: &Trial) -> Result<(), Finding> {
    let kernels = t
        .kernel(KERNEL)
        .define("blockIdx=(dim3(16777215,1,1))")
        .define("gridDim=(dim3(64,1,1))")
        .compile()?;
    let points = mc::points(mc::seed(&mut t.rng()), 256, -1.0, 1.0);
    // Elements are 4 bytes: an offset of 2^62 of them less k wraps round to k elements before the
    // buffer.
    let back = (1u64 << 62) - ((1 << 32) - 256);
    let mut launch = kernels.launch("mc_hits", 1u32, 256u32);
    for (name, axis) in ["x", "y", "z"].into_iter().zip(&points) {
        launch = launch.input(name, axis).pointing_at(back);
    }
    let run = launch
        .scalar(1u64 << 32)
        .inout("hits", &[0u64])
        .step_limit(200_000)
        .on_fault(|_| Some("f"))
        .run()?;
    same_hits(&run, 1 << 32, mc::hits(&points)).map_err(|f| f.hint("f"))
}

fn counts(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let cases = [1, 31, 256, 257, 16_384, N as u64, 1 << 40];
    let got: Vec<u32> = trace::value(&t.call("e3_1_03.grid", &json!(cases))?)?;
    expect::eq(&format!("blocks for {cases:?} points"), &got, &cases.map(blocks))
        .map_err(|f| f.hint("k"))?;
    let points = mc::points(mc::seed(&mut rng), N, -1.0, 1.0);
    let kernels = t.kernel(KERNEL).compile()?;
    let run = count(&kernels, &points)?;
    same_hits(&run, N as u64, mc::hits(&points))?;
    let n = N as u64;
    let hint = |id: &'static str| move |f: Finding| f.hint(id);
    expect::count(&run, "gld.req", 3 * n / 32).map_err(hint("h"))?;
    expect::count(&run, "gld.sec", 3 * n / 8).map_err(hint("h"))?;
    expect::at_most(&run, "flop", 6 * n).map_err(hint("h"))?;
    // In global memory one for each block; those that sum the warps in shared memory count, too.
    let text = t.text(KERNEL)?;
    let global = run.lines_where(&text, |l| l.contains("atomic") && l.contains("hits")).atom_lane;
    expect::that(global <= 64, || format!("atomics on hits: at most 64, counted {global}"))
        .map_err(hint("b"))?;
    expect::at_most(&run, "atom.lane", 64 + 8 * 64).map_err(hint("b"))?;
    expect::at_most(&run, "bar", 2 * 64).map_err(hint("b"))?;
    let mut launch = kernels.launch("mc_gen", blocks(8192), 256u32);
    for name in ["x", "y", "z"] {
        launch = launch.output::<f32>(name, 8192);
    }
    let made = launch.scalar(8192u64).scalar(1u32).scalar(-1.0f32).scalar(1.0f32).run()?;
    let per = |inst: u64, points: u64| inst as f64 * 32.0 / points as f64;
    Ok(Evidence::new(format!(
        "{N} points: 37,500 sectors, 64 atomics; instructions per 32 points: {:.0} to make them, \
         {:.1} to count them",
        per(made.total().inst, 8192),
        per(run.total().inst, n)
    ))
    .launch(run.report()))
}

/// Sectors of a launch of the variants, one thread per point.
fn variant<'k>(
    kernels: &'k Kernels,
    (name, n): (&str, usize),
    with: impl FnOnce(grading::Launcher<'k>) -> grading::Launcher<'k>,
) -> Result<Run, Finding> {
    let launch = kernels.launch(name, (n as u32).div_ceil(256), 256u32);
    with(launch).run().map_err(|f| Finding::grader(format!("{name}: {}", f.message)))
}

fn variants(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let n = 32 * a.own()?.random_range(500..6000);
    let a = a.about(format!("N = {n}"));
    let kernels = t.kernel(VARIANTS).compile()?;
    let points = mc::points(mc::seed(&mut t.rng()), n, -1.0, 1.0);
    let triples: Vec<f32> = (0..3 * n).map(|i| points[i % 3][i / 3]).collect();
    let structs = variant(&kernels, ("hits_structs", n), |l| {
        l.input("p", as_triples(&triples)).scalar(n as u32).inout("hits", &[0u32])
    })?;
    let to_memory = variant(&kernels, ("f_to_memory", n), |l| {
        l.input("x", &points[0])
            .input("y", &points[1])
            .input("z", &points[2])
            .scalar(n as u32)
            .output::<f32>("f", n)
    })?;
    let f = to_memory.get::<f32>("f")?;
    let back = variant(&kernels, ("sum_of_f", n), |l| {
        l.input("f", &f).scalar(n as u32).inout("hits", &[0u32])
    })?;
    let fused = variant(&kernels, ("hits_fused", n), |l| {
        l.scalar(n as u32).scalar(7u32).inout("hits", &[0u32])
    })?;
    let truth = [
        ("arrays", to_memory.total().gld_sec),
        ("structs", structs.total().gld_sec),
        ("unfused", to_memory.total().gst_sec + back.total().gld_sec),
        ("fused", fused.total().gld_sec),
    ];
    for (key, want) in truth {
        a.is_int(key, want as i64, "v")?;
    }
    let shown = truth.map(|(key, sectors)| format!("{key} {sectors}"));
    Ok(Evidence::new(format!("sectors of {n} points: {}", shown.join(", ")))
        .launch(structs.report()))
}

/// The same numbers as elements of 12 bytes.
fn as_triples(values: &[f32]) -> &[[f32; 3]] {
    values.as_chunks().0
}
