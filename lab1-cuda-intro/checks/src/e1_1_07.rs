//! Checks of exercise 1.1.7: printing from a kernel, and clock().

use std::collections::BTreeSet;

use grading::{About, Check, Evidence, Exercise, Finding, Kernels, Outcome, Run, Trial, expect};
use rand::RngExt;
use simt::fault::{Fault, FaultKind};

use crate::vectors;

/// The exercise.
pub const EXERCISE: Exercise = Exercise {
    id: "L1-1.1.7",
    key: "e1_1_07",
    title: "Printing from a kernel, clock()",
    points: 6,
    files: &[KERNEL],
    todo: "Add printf and clock to the three kernels of kernels/e1_1_07.cu.",
    hints: &[
        ("a", "c[i] is printed before it is written"),
        ("b", "threads beyond size print too: move it into the guard"),
        ("c", "format and argument type differ: LINE is given, so write (unsigned)clock()"),
        ("d", "32 lanes per warp: use threadIdx.x % 32"),
        ("k", "the clock is what clock() returns in that thread, as unsigned"),
        ("i", "the addition must lie between the two readings"),
        (
            "w",
            "one entry per warp of the whole grid: dur[i / 32], by the lane with threadIdx.x % 32 \
             == 0",
        ),
    ],
    checks: &[
        Check {
            name: "sixty_lines",
            what: "one line per element, in the given form",
            weight: 1,
            run: sixty_lines,
        },
        Check {
            name: "values",
            what: "printed values are those of the vectors",
            weight: 1,
            run: values,
        },
        Check {
            name: "clk_groups",
            what: "the lanes of a warp read the clock together",
            weight: 2,
            run: clk_groups,
        },
        Check { name: "lane0_63", what: "one line per warp", weight: 1, run: lane0_63 },
        Check { name: "dur", what: "a duration per warp", weight: 3, run: dur },
    ],
};

const KERNEL: &str = "kernels/e1_1_07.cu";

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    block: [u32; 3],
    thread: [u32; 3],
    clk: u32,
    c: i32,
    a: i32,
    b: i32,
}

impl Line {
    fn parse(text: &str) -> Option<Line> {
        let numbers: Vec<i64> = text
            .split(|ch: char| !ch.is_ascii_digit() && ch != '-')
            .filter_map(|word| word.trim_start_matches("<-").trim_end_matches('-').parse().ok())
            .collect();
        // `11<-1+10`: the minus of the arrow must not stick to the next number.
        let arrow = text.rsplit_once("<-")?;
        let (_, sum) = arrow;
        let (a, b) = sum.split_once('+')?;
        let c = arrow.0.rsplit(' ').next()?;
        let at = |k: usize| numbers.get(k).and_then(|&n| u32::try_from(n).ok());
        let line = Line {
            block: [at(0)?, at(1)?, at(2)?],
            thread: [at(3)?, at(4)?, at(5)?],
            clk: at(6)?,
            c: c.parse().ok()?,
            a: a.parse().ok()?,
            b: b.parse().ok()?,
        };
        // Only the exact form counts.
        (line.to_string() == text).then_some(line)
    }
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Line { block: [bx, by, bz], thread: [x, y, z], clk, c, a, b } = self;
        write!(f, "Block({bx},{by},{bz}), thread({x:3},{y},{z}), clk={clk}: {c}<-{a}+{b}")
    }
}

fn compile(t: &Trial) -> Result<Kernels, Finding> {
    // The compiler compares formats with arguments: "`%d` prints an `int`, but this is `float`".
    t.kernel(KERNEL).compile().map_err(|f| match f.about {
        About::Format => f.hint("c"),
        _ => f,
    })
}

fn hint(fault: &Fault) -> Option<&'static str> {
    match fault.kind {
        FaultKind::Uninitialised => Some("a"),
        FaultKind::OutOfBoundsGlobal => Some("b"),
        FaultKind::Printf => Some("c"),
        _ => None,
    }
}

/// The kernels of `file` with a clock that runs `factor` times as fast: numbers that come from no
/// clock do not follow it.
pub fn with_clock(t: &Trial, file: &str, factor: u32) -> Result<Kernels, Finding> {
    let faster = |name: &str| format!("{name}()=({factor}*{name}())");
    t.kernel(file).define(&faster("clock")).define(&faster("clock64")).compile()
}

/// True if a fast clock's reading or duration is `factor` times the slow one's, but for what the
/// factor itself takes.
fn follows(fast: u32, slow: u32, factor: u32) -> bool {
    let steps = fast / factor;
    fast.is_multiple_of(factor) && slow > 0 && (slow..slow + 1_000).contains(&steps)
}

/// Runs a printing kernel on `a[i] = i`, `b[i] = 10000 * i` and reads its lines.
fn printed(t: &Trial, kernel: &str, n: usize, block: u32) -> Result<(Run, Vec<Line>), Finding> {
    printed_by(&compile(t)?, kernel, n, block)
}

fn printed_by(
    kernels: &Kernels,
    kernel: &str,
    n: usize,
    block: u32,
) -> Result<(Run, Vec<Line>), Finding> {
    let (a, b) = inputs(n);
    let run = kernels
        .launch(kernel, (n as u32).div_ceil(block), block)
        .output::<i32>("c", n)
        .input("a", &a)
        .input("b", &b)
        .scalar(n as i32)
        .on_fault(hint)
        .run()?;
    let read = |text: &str| {
        Line::parse(text).ok_or_else(|| {
            let form = "Block(0,0,0), thread(  5,0,0), clk=12: 50005<-5+50000";
            Finding::wrong(format!("{kernel} prints `{text}`, expected the form `{form}`"))
        })
    };
    let lines = run.printf().lines().map(read).collect::<Result<Vec<_>, _>>()?;
    Ok((run, lines))
}

fn inputs(n: usize) -> (Vec<i32>, Vec<i32>) {
    ((0..n as i32).collect(), (0..n as i32).map(|i| 10_000 * i).collect())
}

fn sixty_lines(t: &Trial) -> Outcome {
    let n = 60;
    let (run, lines) = printed(t, "add_print", n, 64)?;
    expect::that(lines.len() == n, || format!("n = {n}: {} lines were printed", lines.len()))
        .map_err(|f| if lines.len() > n { f.hint("b") } else { f })?;
    let threads: BTreeSet<u32> = lines.iter().map(|l| l.thread[0]).collect();
    expect::that(threads.len() == n, || {
        format!("the {n} lines name only {} different threads", threads.len())
    })?;
    Ok(Evidence::new(run.printf().lines().next().unwrap_or_default()))
}

fn values(t: &Trial) -> Outcome {
    let (run, lines) = printed(t, "add_print", 300, 128)?;
    let (a, b) = inputs(300);
    expect::eq("c", &run.get::<i32>("c")?, &vectors::sum(&a, &b))?;
    expect::that(lines.len() == 300, || format!("n = 300: {} lines were printed", lines.len()))?;
    for line in &lines {
        let i = (line.block[0] * 128 + line.thread[0]) as i32;
        let want = Line { a: i, b: 10_000 * i, c: 10_001 * i, ..*line };
        expect::that(*line == want, || format!("expected `{want}`, printed `{line}`"))?;
    }
    Ok(Evidence::new("n = 300 in blocks of 128: every line is right"))
}

fn clk_groups(t: &Trial) -> Outcome {
    let (_, lines) = printed(t, "add_print", 60, 64)?;
    let mut groups = Vec::new();
    for warp in 0..2 {
        let clocks: Vec<u32> =
            lines.iter().filter(|l| l.thread[0] / 32 == warp).map(|l| l.clk).collect();
        let first = clocks.first().copied().unwrap_or(0);
        expect::that(clocks.iter().all(|c| *c == first), || {
            format!("the lanes of warp {warp} print different clocks: {clocks:?}")
        })
        .map_err(|f| f.hint("k"))?;
        groups.push((clocks.len(), first));
    }
    expect::eq("lines per warp", &[groups[0].0, groups[1].0], &[32, 28])?;
    let factor = t.rng().random_range(1_000..2_000);
    let (_, lines) = printed_by(&with_clock(t, KERNEL, factor)?, "add_print", 60, 64)?;
    for line in &lines {
        let slow = groups[line.thread[0] as usize / 32].1;
        expect::that(follows(line.clk, slow, factor), || {
            format!("thread {} prints clk={slow}, which is not from clock()", line.thread[0])
        })
        .map_err(|f| f.hint("k"))?;
    }
    Ok(Evidence::new("32 and 28 lines with one clock each"))
}

fn lane0_63(t: &Trial) -> Outcome {
    let n = 2000;
    let (_, lines) = printed(t, "add_print_lane0", n, 256)?;
    let warps = n.div_ceil(32);
    let stray = lines.iter().find(|l| l.thread[0] % 32 != 0);
    if let Some(line) = stray {
        let text =
            format!("thread {} prints, which is lane {}", line.thread[0], line.thread[0] % 32);
        return Err(Finding::wrong(text).hint("d"));
    }
    expect::that(lines.len() == warps, || {
        format!("n = {n} has {warps} warps with elements, {} lines were printed", lines.len())
    })
    .map_err(|f| f.hint("d"))?;
    Ok(Evidence::new(format!("{warps} lines")))
}

fn dur(t: &Trial) -> Outcome {
    let n = 2000;
    let (a, b) = inputs(n);
    let run = |kernels: &Kernels| {
        let run = kernels
            .launch("add_dur", 8, 256)
            .output::<i32>("c", n)
            .input("a", &a)
            .input("b", &b)
            .scalar(n as i32)
            .output::<u32>("dur", n.div_ceil(32))
            .on_fault(|fault| dur_fault(fault).or_else(|| hint(fault)))
            .run()?;
        expect::eq("c", &run.get::<i32>("c")?, &vectors::sum(&a, &b))?;
        Ok(run)
    };
    durations(t, KERNEL, run)
}

/// The hint for a fault on `dur`.
pub fn dur_fault(fault: &Fault) -> Option<&'static str> {
    fault.target.as_ref().is_some_and(|t| t.name == "dur").then_some("w")
}

/// Instructions of a warp for one addition: two loads, the sum, a store.
const ADDITION: u32 = 4;

/// The durations that `run` leaves in `dur` are differences of two readings of clock(), with the
/// addition between them.
pub fn durations(t: &Trial, file: &str, run: impl Fn(&Kernels) -> Result<Run, Finding>) -> Outcome {
    let read = |factor: u32| -> Result<Vec<u32>, Finding> {
        let run = run(&with_clock(t, file, factor)?)?;
        run.get::<u32>("dur").map_err(|f| f.hint("w"))
    };
    let factor = t.rng().random_range(1_000..2_000);
    let dur = read(1)?;
    for (warp, (slow, fast)) in dur.iter().zip(read(factor)?).enumerate() {
        expect::that(follows(fast, *slow, factor), || {
            format!("dur[{warp}] = {slow} is not the difference of two readings of clock()")
        })
        .map_err(|f| f.hint("k"))?;
    }
    if let Some(short) = dur.iter().position(|d| *d < ADDITION) {
        let text = format!(
            "dur[{short}] is {} clocks: two loads, a sum and a store take more",
            dur[short]
        );
        return Err(Finding::wrong(text).hint("i"));
    }
    Ok(Evidence::new(format!("{} durations, none below {ADDITION} clocks", dur.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_form_is_read() {
        let line = Line { block: [1, 0, 0], thread: [7, 0, 0], clk: 99, c: -3, a: -1, b: -2 };
        let text = line.to_string();
        assert_eq!(text, "Block(1,0,0), thread(  7,0,0), clk=99: -3<--1+-2");
        assert_eq!(Line::parse(&text), Some(line));
        for other in ["", "Block(1,0,0)", &text.replace("  7", "7"), &format!("{text} ")] {
            assert_eq!(Line::parse(other), None, "{other}");
        }
    }
}
