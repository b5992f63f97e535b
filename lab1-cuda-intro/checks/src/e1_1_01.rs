//! Checks of exercise 1.1.1: create, build and run the project.

use grading::{Check, Evidence, Exercise, Finding, Outcome, Trial, expect};
use rand::RngExt;
use simt::fault::{Fault, FaultKind};

use crate::{model, vectors};

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L1-1.1.1",
    key: "e1_1_01",
    title: "Create, build and run the project",
    points: 3,
    files: &[KERNEL],
    todo: "Write the body of add_kernel in kernels/e1_1_01.cu: thread i stores a[i] + b[i] in \
        c[i].",
    hints: &[
        ("c", "nothing was stored in c: the body needs an assignment to c[i]"),
        ("b", "all threads use the same index: each thread needs its own, threadIdx.x"),
        ("o", "each thread adds one pair: no loop, and nobody waits for thread 0"),
        ("a", "b is not added: compare c[0] with a[0] + b[0]"),
    ],
    checks: &[
        Check {
            name: "prints_line",
            what: "the program's line of five sums",
            weight: 1,
            run: prints_line,
        },
        Check { name: "five", what: "five given elements", weight: 2, run: five },
        Check { name: "sums", what: "random vectors of 1 to 1024 elements", weight: 2, run: sums },
        Check { name: "counts", what: "one request per array and warp", weight: 1, run: counts },
    ],
};

const KERNEL: &str = "kernels/e1_1_01.cu";

/// Runs one block with one thread per element and compares.
fn add(t: &Trial, a: &[i32], b: &[i32]) -> Result<(grading::Run, Vec<i32>), Finding> {
    let kernels = t.kernel(KERNEL).compile()?;
    let run = vectors::add(&kernels, (1, a.len() as u32), (a, b), None, shared_index)?;
    let c = run.get::<i32>("c").map_err(|f| f.hint(unwritten_hint(&run)))?;
    let found = expect::eq("c", &c, &vectors::sum(a, b));
    found.map_err(|f| {
        if c == a {
            Finding { message: format!("{}: b is not added", f.message), ..f }.hint("a")
        } else {
            f
        }
    })?;
    vectors::shared_out(&run, a.len()).map_err(|f| f.hint("o"))?;
    Ok((run, c))
}

fn shared_index(fault: &Fault) -> Option<&'static str> {
    (fault.kind == FaultKind::RaceGlobal).then_some("b")
}

/// Nothing written at all is another mistake than one element written by everybody.
fn unwritten_hint(run: &grading::Run) -> &'static str {
    if run.total().gst_req == 0 { "c" } else { "b" }
}

fn prints_line(t: &Trial) -> Outcome {
    let (a, b) = ([1, 2, 3, 4, 5], [10, 20, 30, 40, 50]);
    let (_, c) = add(t, &a, &b)?;
    let set =
        |v: &[i32]| format!("{{{}}}", v.iter().map(i32::to_string).collect::<Vec<_>>().join(","));
    let line = format!("{} + {} = {}", set(&a), set(&b), set(&c));
    expect::same("line", &line.as_str(), &"{1,2,3,4,5} + {10,20,30,40,50} = {11,22,33,44,55}")?;
    Ok(Evidence::new(line))
}

fn five(t: &Trial) -> Outcome {
    add(t, &[1, 2, 3, 4, 5], &[10, 20, 30, 40, 50])?;
    Ok(Evidence::new("five threads, five sums, no fault"))
}

fn sums(t: &Trial) -> Outcome {
    let mut rng = t.rng();
    let sizes = [1, 32, 33, 1024, rng.random_range(2..1024)];
    for n in sizes {
        let (a, b) = vectors::ints(t, n);
        add(t, &a, &b)?;
    }
    Ok(Evidence::new(format!("right for n = {sizes:?}")))
}

fn counts(t: &Trial) -> Outcome {
    let (a, b) = vectors::ints(t, 5);
    let (run, _) = add(t, &a, &b)?;
    expect::count(&run, "flop", 0)?;
    vectors::counts(&run, &model::vector_add(5, 4, 1, 5, false))
}
