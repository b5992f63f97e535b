//! Checks of exercise 1.1.10: debugging.

use std::cell::Cell;

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect};
use rand::RngExt;
use simt::compile::CompileOptions;
use simt::debug::{StopRecord, Subject, Transcript, run_script};
use simt::exec::{ExecOptions, Launch};
use simt::memory::Memory;
use simt::program::{Instance, Program};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L1-1.1.10",
    key: "e1_1_10",
    title: "Debugging",
    points: 6,
    files: &[SCRIPT, BUG],
    todo: "Write the debugger's commands into debug/e1_1_10.dbg; then find and fix the mistake in \
        kernels/e1_1_10_bug.cu.",
    hints: &[
        ("b", "break after the guard, or 48 idle threads stop too"),
        ("a", "the condition needs block and thread"),
        ("m", "mend the commands that the debugger refuses first; `help` lists what it knows"),
        (
            "n",
            "thread 0 of a block: break LINE if threadIdx.x == 0, then continue until all eight \
             blocks have been seen, then hits",
        ),
        ("p", "print i, a[i], b[i], c[i] at the stop, step, and print c[i] once more"),
        ("d", "blockDim has three components: which one counts the threads along x?"),
        ("c", "works for 256 only: use blockDim.x"),
    ],
    checks: &[
        Check {
            name: "transcript",
            what: "values before and after the addition in thread 1999",
            weight: 2,
            run: transcript,
        },
        Check { name: "hits", what: "how often each breakpoint is hit", weight: 1, run: hits },
        Check { name: "mask", what: "the lanes of warp 62", weight: 1, run: mask },
        Check {
            name: "fixed_kernel",
            what: "the planted mistake is mended",
            weight: 2,
            run: fixed_kernel,
        },
    ],
};

const SCRIPT: &str = "debug/e1_1_10.dbg";
const KERNEL: &str = "kernels/e1_1_10.cu";
const BUG: &str = "kernels/e1_1_10_bug.cu";

const N: usize = 2000;
/// The thread of element 1999: the last one that works.
const BLOCK: [u32; 3] = [7, 0, 0];
const THREAD: [u32; 3] = [207, 0, 0];

/// What the kernel adds.
struct Data {
    a: Vec<f32>,
    b: Vec<f32>,
}

impl Data {
    fn random(t: &Trial) -> Data {
        let mut rng = t.rng();
        let mut one = || (0..N).map(|_| rng.random_range(1.0..100.0)).collect();
        Data { a: one(), b: one() }
    }
}

/// Runs debugger commands on the given kernel: 8 blocks of 256 threads, 2000 elements.
fn debug(t: &Trial, data: &Data, script: &str) -> Result<Transcript, Finding> {
    let grader = |e: String| Finding::grader(format!("{KERNEL}: {e}"));
    let options = CompileOptions { file: "e1_1_10.cu".into(), ..CompileOptions::default() };
    let program =
        Program::compile(&t.text(KERNEL)?, &options).map_err(|e| grader(e.to_string()))?;
    let device = simt::device::from_env().map_err(grader)?;
    let memory = Memory::new(1 << 20);
    let buffer = |name: &str, values: Option<&[f32]>| -> Result<u64, Finding> {
        let base = memory.alloc(4 * N as u64, name).map_err(|e| grader(e.to_string()))?;
        if let Some(values) = values {
            memory.write(base, bytemuck::cast_slice(values)).map_err(|e| grader(e.to_string()))?;
        }
        Ok(base)
    };
    let pointers = [buffer("c", None)?, buffer("a", Some(&data.a))?, buffer("b", Some(&data.b))?];
    let instance = Instance::load(&program, &memory).map_err(|e| grader(e.to_string()))?;
    let mut args: Vec<Vec<u8>> = pointers.iter().map(|p| p.to_le_bytes().to_vec()).collect();
    args.push((N as i32).to_le_bytes().to_vec());
    let launch = Launch {
        grid: [8, 1, 1],
        block: [256, 1, 1],
        dynamic_shared: 0,
        args,
        ..Launch::default()
    };
    let subject = Subject {
        device,
        memory: &memory,
        instance: &instance,
        symbol: "add_kernel",
        launch: &launch,
        options: &ExecOptions::default(),
    };
    Ok(run_script(&subject, script))
}

/// The line of the addition, and that of the guard.
fn lines(t: &Trial) -> Result<(u32, u32), Finding> {
    let text = t.text(KERNEL)?;
    let line =
        |part: &str| text.lines().position(|l| l.trim().starts_with(part)).map(|i| i as u32 + 1);
    let both = line("c[i] = a[i] + b[i]").zip(line("if (i < size)"));
    both.ok_or_else(|| Finding::grader(format!("{KERNEL} has changed")))
}

fn wrong(done: &Transcript, text: String) -> Finding {
    Finding::wrong(text).details(&done.text)
}

/// The stop of thread 207 of block 7 at the addition, with its place among the stops.
fn the_stop<'d>(t: &Trial, done: &'d Transcript) -> Result<(usize, &'d StopRecord), Finding> {
    let (addition, guard) = lines(t)?;
    let stops = || done.stops.iter().enumerate().filter(|(_, s)| s.breakpoint.is_some());
    let mine = |s: &StopRecord| s.block == BLOCK && s.thread == THREAD;
    if let Some(found) = stops().find(|(_, s)| mine(s) && s.at.line == addition) {
        return Ok(found);
    }
    if let Some((_, early)) = stops().find(|(_, s)| mine(s) && s.at.line <= guard) {
        let text = format!(
            "the stop of block 7, thread 207 is at line {}, before the guard: {} lanes are active",
            early.at.line,
            early.mask.count_ones()
        );
        return Err(wrong(done, text).hint("b"));
    }
    if let Some((_, other)) = stops().find(|(_, s)| s.thread == THREAD && s.at.line == addition) {
        let text = format!("thread 207 stops in block {} as well", other.block[0]);
        return Err(wrong(done, text).hint("a"));
    }
    let seen: Vec<String> = stops()
        .take(10)
        .map(|(_, s)| format!("line {} block {} thread {}", s.at.line, s.block[0], s.thread[0]))
        .collect();
    let seen = if seen.is_empty() { "no stop".into() } else { seen.join(", ") };
    let text = format!("no stop at line {addition} in block 7, thread 207; seen: {seen}");
    match done.mistakes.first() {
        Some(mistake) => {
            Err(wrong(done, format!("{text}. The debugger says: {mistake}")).hint("m"))
        }
        None => Err(wrong(done, text).hint("a")),
    }
}

fn transcript(t: &Trial) -> Outcome {
    let data = Data::random(t);
    let done = debug(t, &data, &t.text(SCRIPT)?)?;
    let (at, _) = the_stop(t, &done)?;
    let i = N - 1;
    let number = |expression: &str, want: f32| {
        let mut prints = done
            .prints
            .iter()
            .filter(|p| p.stop == at && p.expression.replace(' ', "") == expression);
        let shown = prints.next().ok_or_else(|| {
            wrong(&done, format!("{expression} is not printed at the stop")).hint("p")
        })?;
        let value =
            shown.value.as_ref().ok().and_then(|v| v.trim_end_matches('f').parse::<f32>().ok());
        expect::that(value == Some(want), || {
            format!(
                "{expression}: expected {want} for thread 207, the debugger shows {:?}",
                shown.value
            )
        })
        .map_err(|f| f.details(&done.text).hint("p"))
    };
    number("i", i as f32)?;
    number("a[i]", data.a[i])?;
    number("b[i]", data.b[i])?;
    let c = |from: usize, to: usize| {
        let mut prints = done.prints.iter().filter(|p| p.expression.replace(' ', "") == "c[i]");
        prints.find(|p| (from..to).contains(&p.stop)).map(|p| p.value.clone())
    };
    let before = c(at, at + 1)
        .ok_or_else(|| wrong(&done, "c[i] is not printed before the addition".into()).hint("p"))?;
    // The stop of `step`: the same warp, behind the addition.
    let after = c(at + 1, done.stops.len())
        .ok_or_else(|| wrong(&done, "c[i] is not printed after a step".into()).hint("p"))?;
    let sum = data.a[i] + data.b[i];
    let shown = after.as_ref().ok().and_then(|v| v.trim_end_matches('f').parse::<f32>().ok());
    expect::that(before.is_err() && shown == Some(sum), || {
        format!("c[1999]: expected no value and then {sum}, found {before:?} and {after:?}")
    })
    .map_err(|f| f.details(&done.text).hint("p"))?;
    let why = before.err().unwrap_or_default();
    Ok(Evidence::new(format!("i = 1999; c[i] before the addition: {why}; after it: the sum")))
}

/// How often a breakpoint is hit when the kernel runs to its end.
fn count_hits(t: &Trial, line: u32, condition: Option<&str>) -> Result<u64, Finding> {
    let condition = condition.map_or(String::new(), |c| format!(" if {c}"));
    let script = format!("break {line}{condition}\nrun\n{}", "continue\n".repeat(70));
    let done = debug(t, &Data::random(t), &script)?;
    Ok(done.breakpoints.first().map_or(0, |b| b.hits))
}

fn hits(t: &Trial) -> Outcome {
    let done = debug(t, &Data::random(t), &t.text(SCRIPT)?)?;
    let (addition, guard) = lines(t)?;
    let mut once = false;
    let mut eight = false;
    for (k, b) in done.breakpoints.iter().enumerate() {
        let stops: Vec<&StopRecord> =
            done.stops.iter().filter(|s| s.breakpoint == Some(k + 1)).collect();
        let count = count_hits(t, b.line, b.condition.as_deref())?;
        let of_207 = stops.iter().any(|s| s.thread == THREAD);
        if of_207 && b.line <= guard {
            let text = format!("breakpoint {} is at line {}, before the guard", k + 1, b.line);
            return Err(wrong(&done, text).hint("b"));
        }
        if of_207 && b.line == addition {
            expect::that(count == 1, || {
                format!("the breakpoint for block 7, thread 207 is hit {count} times, not once")
            })
            .map_err(|f| f.details(&done.text).hint("a"))?;
            once = true;
        } else if b.line == addition && stops.iter().any(|s| s.thread == [0, 0, 0]) {
            expect::that(count == 8, || {
                format!(
                    "the breakpoint for thread 0 of each block is hit {count} times, not 8 times"
                )
            })
            .map_err(|f| f.details(&done.text).hint("n"))?;
            eight = b.hits == 8;
        }
    }
    expect::that(once, || "no breakpoint stops block 7, thread 207 at the addition".into())
        .map_err(|f| f.details(&done.text).or_hint("a"))?;
    expect::that(eight, || "the breakpoint for thread 0 of each block was not hit 8 times".into())
        .map_err(|f| f.details(&done.text).hint("n"))?;
    Ok(Evidence::new("block 7, thread 207: hit once; thread 0 of any block: hit 8 times"))
}

fn mask(t: &Trial) -> Outcome {
    let done = debug(t, &Data::random(t), &t.text(SCRIPT)?)?;
    let (_, stop) = the_stop(t, &done)?;
    // Behind `(lab)` are commands: what they say is no answer.
    expect::that(done.text.lines().any(|l| l.starts_with("mask 0x0000ffff")), || {
        "the active lanes are not shown at the stop: use `mask`".into()
    })
    .map_err(|f| f.details(&done.text).hint("p"))?;
    Ok(Evidence::new(format!("warp {}: mask 0x{:08x}", stop.global_warp, stop.mask)))
}

fn fixed_kernel(t: &Trial) -> Outcome {
    let kernels = t.kernel(BUG).compile()?;
    let mut rng = t.rng();
    let mut one = |n: usize| (0..n).map(|_| rng.random_range(-1e3..1e3)).collect::<Vec<f32>>();
    // Blocks of 256 first: a kernel that is right for them alone made another mistake.
    let right_for_256 = Cell::new(false);
    for block in [256, 128, 64, 32] {
        for n in [1, 31, 32, 33, 255, 256, 257, 2000, 2047, 2048] {
            let (a, b) = (one(n), one(n));
            let hint = || if right_for_256.get() { "c" } else { "d" };
            let run = kernels
                .launch("add_kernel", n.div_ceil(block) as u32, block as u32)
                .output::<f32>("c", n)
                .input("a", &a)
                .input("b", &b)
                .scalar(n as i32)
                .on_fault(|_| Some(hint()))
                .run()?;
            let want: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
            let c = run.get::<f32>("c").map_err(|f| f.hint(hint()))?;
            expect::eq(&format!("n = {n}, blocks of {block}: c"), &c, &want)
                .map_err(|f| f.hint(hint()))?;
        }
        right_for_256.set(true);
    }
    Ok(Evidence::new("right for ten sizes and four block lengths"))
}
