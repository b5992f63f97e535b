//! Checks of exercise 1.2.2: Julia set, GPU version.

use grading::{
    Check, Evidence, Exercise, Finding, Kernels, Outcome, Reply, Run, Trial, expect, trace,
};
use rand::RngExt;
use serde_json::json;
use simt::fault::{Fault, FaultKind, Site};
use wire::Outcome as CallOutcome;

use crate::julia::{self, Rule, START, View};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L1-1.2.2",
    key: "e1_2_02",
    title: "Julia set, GPU version",
    points: 9,
    files: &[KERNEL, "src/e1_2_02.rs", ANSWERS],
    todo: "Write julia and julia_kernel in kernels/e1_2_02.cu, then render_gpu in src/e1_2_02.rs; \
        look with `cargo run -p lab1-cuda-intro --bin julia -- --device gpu`.",
    hints: &[
        ("c", "round the grid up: (dim + 15) / 16 blocks along each axis"),
        ("a", "threads beyond the picture write: guard xw and yw"),
        ("b", "yw is unguarded"),
        ("d", "use dim, not 1000"),
        ("g", "four bytes per pixel: pixel (xw, yw) begins at byte 4*(xw + yw*dim)"),
        ("e", "the alpha byte was never written"),
        ("f", "pass scale as f32: `launch!` copies bytes and does not convert"),
        ("i", "leave the loop as soon as |z| > 2: a warp is done when its last lane is"),
        ("h", "store the four bytes of a pixel at once: one uchar4 instead of four unsigned chars"),
        ("j", "the caller's buffer is there to be used: allocate nothing in render_gpu"),
        (
            "p",
            "run `cargo run -p lab1-cuda-intro --bin julia -- --dim 256 --plots plots`; then read \
             plots/julia_work.csv and plots/julia_shapes.csv",
        ),
    ],
    checks: &[
        Check {
            name: "equals_cpu",
            what: "the same pixels as the CPU, three views",
            weight: 3,
            run: equals_cpu,
        },
        Check {
            name: "odd_dim",
            what: "no thread writes outside the picture",
            weight: 2,
            run: odd_dim,
        },
        Check {
            name: "stores",
            what: "sectors written, at most one store per pixel",
            weight: 1,
            run: stores,
        },
        Check { name: "simd", what: "lanes at work in the inner loop", weight: 1, run: simd },
        Check {
            name: "no_realloc",
            what: "one buffer for all pictures",
            weight: 1,
            run: no_realloc,
        },
        Check { name: "plots", what: "what the two plots say", weight: 2, run: plots },
    ],
};

const KERNEL: &str = "kernels/e1_2_02.cu";
const ANSWERS: &str = "answers/e1_2_02.toml";
/// Threads of a block along each axis.
const BLOCK: u32 = 16;
/// Steps of emulation for one picture.
const STEPS: u64 = 40_000_000;

/// Pixel of a thread, in a launch with blocks of the given shape.
fn pixel(site: &Site, shape: (u32, u32)) -> (u32, u32) {
    (site.block[0] * shape.0 + site.thread[0], site.block[1] * shape.1 + site.thread[1])
}

/// The hint that a fault deserves.
fn diagnose(fault: &Fault, shape: (u32, u32), dim: u32) -> Option<&'static str> {
    let sites = || fault.site.iter().chain(&fault.other).map(|s| pixel(s, shape));
    match fault.kind {
        FaultKind::Misaligned => Some("g"),
        FaultKind::OutOfBoundsGlobal | FaultKind::RaceGlobal => {
            if sites().any(|(xw, _)| xw >= dim) {
                Some("a")
            } else if sites().any(|(_, yw)| yw >= dim) {
                Some("b")
            } else if fault.kind == FaultKind::RaceGlobal {
                Some("g")
            } else {
                Some("d")
            }
        }
        FaultKind::Uninitialised => {
            let byte = fault.target.as_ref().map(|t| t.index * i64::from(t.elem_size.max(1)));
            Some(if byte.is_some_and(|b| b % 4 == 3) { "e" } else { "c" })
        }
        _ => None,
    }
}

/// Runs the student's kernel on a picture.
fn launch(
    kernels: &Kernels,
    v: &View,
    dim: u32,
    kmax: u32,
    shape: (u32, u32),
) -> Result<Run, Finding> {
    let grid = (dim.div_ceil(shape.0), dim.div_ceil(shape.1));
    kernels
        .launch("julia_kernel", grid, shape)
        .output::<u8>("ptr", (4 * dim * dim) as usize)
        .scalar(dim as i32)
        .scalar(v.dx)
        .scalar(v.dy)
        .scalar(v.scale)
        .scalar(kmax as i32)
        .step_limit(STEPS)
        .on_fault(move |fault| diagnose(fault, shape, dim))
        .run()
}

/// The picture that a launch has left, as prisoners.
fn prisoners(run: &Run, dim: u32) -> Result<Vec<bool>, Finding> {
    let hint = match run.unwritten("ptr") {
        Some(byte) if byte % 4 == 3 => "e",
        _ => "g",
    };
    let nothing = run.total().gst_req == 0;
    let rgba = run.get::<u8>("ptr").map_err(|f| if nothing { f } else { f.hint(hint) })?;
    let pixel = |(i, p): (usize, &[u8])| match p {
        [255, 0, 0, 255] => Ok(true),
        [0, 0, 0, 255] => Ok(false),
        _ => {
            let (x, y) = (i as u32 % dim, i as u32 / dim);
            let text =
                format!("pixel ({x}, {y}) is {p:?}: expected [255, 0, 0, 255] or [0, 0, 0, 255]");
            Err(Finding::wrong(text))
        }
    };
    rgba.chunks_exact(4).enumerate().map(pixel).collect()
}

/// Compares with the truth; `allowed` pixels may differ (a GPU fuses multiplications with
/// additions).
fn compare(
    what: &str,
    got: &[bool],
    want: &[bool],
    dim: u32,
    allowed: usize,
) -> Result<usize, Finding> {
    let wrong: Vec<usize> = (0..want.len()).filter(|i| got[*i] != want[*i]).collect();
    if wrong.len() <= allowed {
        return Ok(wrong.len());
    }
    let name = |prisoner: bool| if prisoner { "prisoner" } else { "escapee" };
    let (first, n) = (wrong[0], dim as usize);
    Err(Finding::wrong(format!(
        "{what}: {} of {} pixels differ, first ({}, {}): expected {}, got {}",
        wrong.len(),
        want.len(),
        first % n,
        first / n,
        name(want[first]),
        name(got[first])
    ))
    .picture(julia::for_report("your picture", got, dim)))
}

/// Pictures by the student's host function, all of them in one process.
fn rendered(t: &Trial, shots: &[(View, u32, u32)]) -> Result<(Reply, Vec<Vec<bool>>), Finding> {
    let args: Vec<_> = shots
        .iter()
        .map(|(view, dim, kmax)| json!({ "view": view, "dim": dim, "kmax": kmax }))
        .collect();
    let reply = t.call("e1_2_02.render", &json!(args))?;
    let refused = reply.api.iter().find(|c| !c.ok() && c.name == "cuLaunchKernel");
    let went_on = matches!(reply.outcome, CallOutcome::Ok(_)) || !reply.faults.is_empty();
    if let Some(refused) = refused.filter(|_| went_on) {
        let text = format!("the launch returned {} and was ignored", refused.result_name);
        return Err(Finding::wrong(text).hint("C3"));
    }
    if let Some(fault) = reply.faults.first() {
        let hint = shots.iter().find_map(|(_, dim, _)| diagnose(fault, (BLOCK, BLOCK), *dim));
        let finding = Finding::fault(fault.clone());
        return Err(match hint {
            Some(hint) => finding.hint(hint),
            None => finding,
        });
    }
    let texts: Vec<String> = trace::list(&reply, shots.len())?;
    trace::launched(&reply)?;
    let pictures = texts.iter().zip(shots).map(|(text, (_, dim, _))| {
        expect::same("pixels of the picture", &text.len(), &((dim * dim) as usize))?;
        julia::from_text(text, *dim).map_err(|(x, y)| {
            // Rows and columns that no block covers keep what was in the buffer.
            let edge = dim - dim % BLOCK;
            let finding =
                Finding::wrong(format!("dim {dim}: pixel ({x}, {y}) is neither red nor black"));
            if x >= edge || y >= edge { finding.hint("c") } else { finding }
        })
    });
    let pictures = pictures.collect::<Result<Vec<_>, Finding>>()?;
    Ok((reply, pictures))
}

fn equals_cpu(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let random = View {
        dx: rng.random_range(-0.5..0.5),
        dy: rng.random_range(-0.5..0.5),
        scale: rng.random_range(0.05..0.8),
    };
    let near = View { dx: -0.25, dy: 0.3, scale: 0.25 };
    let shots = [
        (START, 100, 200),
        (START, 256, 10),
        (START, 256, 200),
        (near, 100, 200),
        (random, 100, 200),
        (random, 101, 10),
    ];
    let (reply, pictures) = rendered(t, &shots)?;
    let mut differ = 0;
    for ((view, dim, kmax), got) in shots.iter().zip(&pictures) {
        let want = julia::picture(view, *dim, *kmax, Rule::Right);
        let allowed = if reply.backend == "cuda" { want.len().div_ceil(10_000) } else { 0 };
        let what = format!("dim {dim}, kmax {kmax}, view {view:?}");
        differ += compare(&what, got, &want, *dim, allowed).map_err(|f| {
            // The low four bytes of an f64: what a kernel with a float parameter reads.
            let low_word = f32::from_bits(f64::from(view.scale).to_bits() as u32);
            let misread =
                julia::picture(&View { scale: low_word, ..*view }, *dim, *kmax, Rule::Right);
            let n = *dim as usize;
            let transposed = (0..n * n).all(|i| got[i] == want[i / n + i % n * n]);
            if *got == misread {
                f.hint("f")
            } else if transposed {
                Finding { message: format!("{} (the picture is transposed)", f.message), ..f }
            } else {
                f
            }
        })?;
    }
    let evidence = match differ {
        0 => Evidence::new("six pictures equal the CPU's, bit by bit"),
        n => {
            Evidence::new(format!("six pictures equal the CPU's but for {n} pixels (contraction)"))
        }
    };
    Ok(evidence.picture(julia::for_report("rendered by the kernel, 256 x 256", &pictures[2], 256)))
}

fn odd_dim(t: &Trial) -> Outcome {
    let kernels = t.kernel(KERNEL).compile()?;
    // Blocks that overhang at the right only, at the top only, and at both.
    for (dim, shape) in [(100, (16, 4)), (100, (4, 16)), (101, (16, 16)), (33, (32, 8))] {
        let run = launch(&kernels, &START, dim, 50, shape)?;
        let want = julia::picture(&START, dim, 50, Rule::Right);
        let what = format!("dim {dim}, blocks of {} x {}", shape.0, shape.1);
        compare(&what, &prisoners(&run, dim)?, &want, dim, 0)?;
    }
    let shots = [(START, 101, 50), (START, 33, 50), (START, 2, 50)];
    for ((_, dim, kmax), got) in shots.iter().zip(rendered(t, &shots)?.1) {
        let want = julia::picture(&START, *dim, *kmax, Rule::Right);
        compare(&format!("dim {dim}"), &got, &want, *dim, want.len() / 1000)?;
    }
    Ok(Evidence::new("dim 100, 101, 33 and 2: every pixel written once, nothing else"))
}

fn stores(t: &Trial) -> Outcome {
    let (dim, kmax) = (256, 200);
    let kernels = t.kernel(KERNEL).compile()?;
    let run = launch(&kernels, &START, dim, kmax, (BLOCK, BLOCK))?;
    prisoners(&run, dim)?;
    let work = julia::work(&START, dim, kmax, (BLOCK, BLOCK));
    expect::at_most(&run, "gst.sec", work.store_sectors).map_err(|f| f.hint("h"))?;
    expect::at_most(&run, "gst.req", 4 * work.warps).map_err(|f| f.hint("h"))?;
    Ok(Evidence::new(format!(
        "dim {dim}: {} store requests, {} sectors, {} bytes",
        run.total().gst_req,
        run.total().gst_sec,
        run.total().gst_bytes
    ))
    .launch(run.report()))
}

/// Counts of the source line with the most floating-point operations: the step z = z*z + c, perhaps
/// with the test.
fn inner_line(run: &Run) -> Result<simt::report::Counters, Finding> {
    let lines = &run.report().lines;
    let line = lines.iter().max_by_key(|l| l.counters.flop).filter(|l| l.counters.flop > 0);
    let none = || Finding::wrong("the kernel does no floating-point operation");
    line.map(|l| l.counters).ok_or_else(none)
}

fn simd(t: &Trial) -> Outcome {
    let (dim, kmax) = (256, 200);
    let kernels = t.kernel(KERNEL).compile()?;
    let mut evidence = Evidence::default();
    for shape in [(16, 16), (32, 8)] {
        let run = launch(&kernels, &START, dim, kmax, shape)?;
        let work = julia::work(&START, dim, kmax, shape);
        let counters = inner_line(&run)?;
        let found = counters.simd_efficiency();
        let (low, high) = (work.step_efficiency(), work.test_efficiency());
        let (low, high) = (low.min(high) - 0.005, low.max(high) + 0.005);
        expect::that((low..=high).contains(&found), || {
            format!(
                "blocks of {} x {}: SIMD efficiency of the inner loop: expected {:.4}, found \
                 {found:.4}",
                shape.0,
                shape.1,
                work.step_efficiency()
            )
        })
        .map_err(|f| f.hint("i"))?;
        evidence = evidence.line(format!(
            "blocks of {} x {}: {} warp steps, SIMD efficiency {found:.4}",
            shape.0, shape.1, work.warp_steps
        ));
    }
    Ok(evidence)
}

fn no_realloc(t: &Trial) -> Outcome {
    let near = View { scale: 0.3, ..START };
    let (reply, pictures) = rendered(t, &[(START, 64, 50), (near, 64, 50), (START, 64, 50)])?;
    for (picture, view) in pictures.iter().zip([START, near, START]) {
        let want = julia::picture(&view, 64, 50, Rule::Right);
        compare("dim 64", picture, &want, 64, want.len() / 1000)?;
    }
    let allocations = trace::calls(&reply.api, "cuMemAlloc").len();
    expect::that(allocations == 1, || {
        format!(
            "three pictures: expected 1 allocation (the caller's buffer), counted {allocations}"
        )
    })
    .map_err(|f| f.hint("j"))?;
    let launches = trace::launches(&reply).len();
    expect::that(launches == 3, || {
        format!("three pictures: expected 3 launches, counted {launches}")
    })?;
    Ok(Evidence::new("three pictures: one allocation, three launches"))
}

/// Block shapes of the second plot.
const SHAPES: [(u32, u32); 7] = [(8, 4), (8, 8), (16, 8), (16, 16), (32, 8), (32, 16), (32, 32)];

fn plots(t: &Trial) -> Outcome {
    let a = t.answers(ANSWERS)?;
    let steps = |kmax| julia::work(&START, 100, kmax, (BLOCK, BLOCK)).warp_steps as f64;
    let growth = steps(10_000) / steps(200);
    a.is_near("growth", growth, 0.1 * growth, "p")?;
    let efficiencies = SHAPES.map(|s| julia::work(&START, 256, 200, s).step_efficiency());
    let shapes = || efficiencies.iter().copied().zip(SHAPES.map(|s| format!("{}x{}", s.0, s.1)));
    let best = shapes().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
    let worst = shapes().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
    let shape = |key: &str| a.text(key).map(|s| s.replace(' ', ""));
    let efficiency = |s: &str| {
        let (columns, rows) = s.split_once('x')?;
        let shape = (columns.parse().ok()?, rows.parse().ok()?);
        SHAPES.iter().position(|s| *s == shape).map(|at| efficiencies[at])
    };
    let mut right = true;
    for (key, want) in [("best_shape", &best), ("worst_shape", &worst)] {
        // Shapes with equal warps are equally good.
        right &= efficiency(&shape(key)?).is_some_and(|e| (e - want.0).abs() < 1e-9);
    }
    expect::that(right, || format!("{ANSWERS}: not both of best_shape, worst_shape are right"))
        .map_err(|f| f.hint("p"))?;
    Ok(Evidence::new(format!(
        "kmax 200 to 10000: {growth:.1} times the work; best {} ({:.4}), worst {} ({:.4})",
        best.1, best.0, worst.1, worst.0
    )))
}
