//! Emulator against a real GPU. RESULTS is the folder that `tools/ncu/run.sh` filled.
//!
//! `cargo run --release -p simt --example compare_ncu -- RESULTS` prints docs/ncu.md: the corpus
//! runs in the emulator, each of its memory counters stands beside the card's, and where they
//! differ the reason from `tools/ncu/reasons.toml`, checked against the instructions that the card
//! executed. `... -- RESULTS sanitizer` prints docs/sanitizer.md, `... idioms` its part on idioms,
//! `... programs` the results of the programs of `tests/world` and `tests/language` beside the
//! card's, `... -- RESULTS times` predicted against measured times (`times parts`: by resource).

#[path = "../../tests/support/case.rs"]
mod case;

mod card;
mod columns;
mod programs;
mod reasons;
mod sanitizer;
mod times;

use std::path::Path;

use card::{Card, Measured};
use case::{Case, Data, Outcome, Run, execute};
use columns::{COLUMNS, Column};
use reasons::{Lines, Reason};
use simt::ExecOptions;
use simt::report::LaunchReport;

/// What stands above the tables.
const INTRODUCTION: &str = "\
# Counts of the emulator and of an H200

Made by `cargo run --release -p simt --example compare_ncu -- RESULTS`; how RESULTS come about is in
[measurements](measurements/card.md). Each launch of the corpus runs in the emulator and, measured
by ncu, on the card, in two builds of nvcc 13 (both with -fmad=false): *plain* (`-Xcicc -O1 -Xptxas
-O0`: the optimisations that merge, move and widen accesses are off) and
*optimised* (`-O3`). The plain build is the test of the emulator, whose counts are those of the
source; the optimised one shows what the compiler makes of it.

Where a count differs, [reasons.toml](../tools/ncu/reasons.toml) says why. A reason names its class
and instructions of the disassembly with their executions. The program looks them up among the
instructions that ncu saw on that source line, and checks what the class must show, before it prints
the reason; else the cell is *unexplained*. One cell is one number where both agree, else *emulator
/ card*. Instructions, branches and operations are defined at source level here and are only shown
side by side.

| class | meaning | checked |
|---|---|---|
| vectorised | several accesses of a thread became a wider one | the card's count is lower, and a .64 or .128 instruction is there |
| reused | the value was still in a register | the card's count is lower |
| merged | the access of both branches of an `if` became one | the card's count is lower |
| copies | code was doubled (unrolled), and lanes that leave it at different places go different ways | the instruction stands there several times |
| apart | lanes that came apart run together again later than the source says | a line is executed more often than in the source |
| library | code of the CUDA libraries that the emulator computes without memory | lines beyond the source's count make up the difference |
| system | the code behind `printf`, which ncu counts but does not list | what it lists is no more than the source's count |
| order | depends on the order in which the hardware serves lanes or repeats a compare-and-swap | the instruction is there |
| counting | ncu's counter and its count by instruction disagree | the latter agrees with the emulator |
";

/// How the cells of a build came out.
#[derive(Default)]
struct Tally {
    runs: usize,
    equal_runs: usize,
    cells: usize,
    equal: usize,
    explained: usize,
    /// Equal cells and all, by column.
    by_column: Vec<(usize, usize)>,
}

/// A corpus file with what the emulator made of it.
struct Done {
    case: Case,
    outcome: Outcome,
}

fn main() -> Result<(), String> {
    let usage = "usage: compare_ncu RESULTS [times | sanitizer | idioms | programs]";
    let folder = std::env::args().nth(1).ok_or(usage)?;
    let folder = Path::new(&folder);
    match std::env::args().nth(2).as_deref() {
        Some("times") => return times::print(folder),
        Some("sanitizer") => return sanitizer::print(folder),
        Some("idioms") => return sanitizer::print_idioms(folder),
        Some("programs") => return programs::print(folder),
        _ => {}
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/ncu/reasons.toml");
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let reasons = reasons::parse(&text)?;
    let mut corpus = Vec::new();
    for case in Case::folder(&Case::corpus_dir())? {
        let program = case.compile().map_err(|e| format!("{}: {e:?}", case.name))?;
        let outcome =
            execute(&case, &program, &ExecOptions::default()).map_err(|s| s.to_string())?;
        corpus.push(Done { case, outcome });
    }
    println!("{INTRODUCTION}");
    let mut tables = Vec::new();
    for build in ["plain", "optimised"] {
        let card = Card::read(&folder.join(build))?;
        let (tally, text) = compare(build, &card, &corpus, &reasons);
        println!(
            "* {build}: {} of {} runs agree in all nine memory counters, {} of {} cells;\n  {} \
             cells differ for a checked reason, {} are unexplained.",
            tally.equal_runs,
            tally.runs,
            tally.equal,
            tally.cells,
            tally.explained,
            tally.cells - tally.equal - tally.explained,
        );
        tables.push((build, card, text));
    }
    for (build, card, text) in &tables {
        println!("\n## The {build} build: what differs\n\n{text}");
        if *build == "optimised" {
            println!("## The optimised build: all counts\n");
            all_counts(card, &corpus);
            println!();
            compare_outputs(card, &corpus);
        }
    }
    Ok(())
}

/// Runs of a case with their numbers, the card's counters and the reports of their launches.
fn runs<'a>(
    done: &'a Done,
    card: &'a Card,
) -> impl Iterator<Item = (usize, &'a Run, &'a Measured, &'a [LaunchReport])> {
    let mut first = 0;
    done.case.runs.iter().enumerate().filter_map(move |(number, run)| {
        let launches = run.repeat.clone().count();
        let reports = &done.outcome.reports[first..first + launches];
        first += launches;
        card.counters.get(&(done.case.name.clone(), number)).map(|m| (number, run, m, reports))
    })
}

fn shape(run: &Run) -> String {
    let ([gx, gy, gz], [bx, by, bz]) = (run.grid, run.block);
    format!("{gx}x{gy}x{gz}, {bx}x{by}x{bz}")
}

/// Compares the columns of memory; the text is the table of the cells that differ.
fn compare(build: &str, card: &Card, corpus: &[Done], reasons: &[Reason]) -> (Tally, String) {
    let mut tally = Tally { by_column: vec![(0, 0); COLUMNS.len()], ..Tally::default() };
    let mut text = "| kernel | counter | emulator / card | class | reason | where |\n\
                    |---|---|---:|---|---|---|\n"
        .to_string();
    for done in corpus {
        for (number, run, measured, reports) in runs(done, card) {
            let name = format!("{}: {}", done.case.name, run.kernel);
            let accesses = card.accesses.get(&(done.case.name.clone(), number));
            let accesses = accesses.map_or(&[][..], Vec::as_slice);
            let mut all_equal = true;
            // rows with the same reason follow each other: name the kernel and the reason once
            let mut before: (String, String) = Default::default();
            for (column, (equal, all)) in COLUMNS.iter().zip(&mut tally.by_column) {
                let Some(count) = column.by_line else { continue };
                let ours = (column.ours)(&done.outcome.counters[number]);
                let theirs = column.card(measured, accesses).unwrap_or(0);
                tally.cells += 1;
                *all += 1;
                if ours == theirs {
                    tally.equal += 1;
                    *equal += 1;
                    continue;
                }
                all_equal = false;
                let mut lines = by_line(column, reports);
                reasons::add_card(&mut lines, accesses, count);
                let reason = reasons.iter().find(|r| r.is_for(build, &name, column.title));
                let verdict = reason.map(|r| (r, r.check(build, ours, theirs, &lines)));
                let (class, why) = match &verdict {
                    Some((reason, Ok(()))) => {
                        tally.explained += 1;
                        (format!("{:?}", reason.class).to_lowercase(), reason.why.clone())
                    }
                    Some((_, Err(error))) => ("**unexplained**".into(), error.clone()),
                    None => ("**unexplained**".into(), String::new()),
                };
                let place = reasons::describe(&lines);
                let kernel = if before.0 == name {
                    ""
                } else {
                    &format!("{}: `{}` {}", done.case.name, run.kernel, shape(run))
                };
                let why_again = if before.1 == why { "" } else { &why };
                text += &format!(
                    "| {kernel} | {} | {ours} / {theirs} | {class} | {why_again} | {place} |\n",
                    column.title
                );
                before = (name.clone(), why);
            }
            tally.runs += 1;
            tally.equal_runs += usize::from(all_equal);
        }
    }
    (tally, text)
}

/// The emulator's counts of a column by source line.
fn by_line(column: &Column, reports: &[LaunchReport]) -> Lines {
    let mut lines = Lines::new();
    for line in reports.iter().flat_map(|r| &r.lines) {
        let n = (column.ours)(&line.counters);
        if n > 0 {
            lines.entry(Some(line.at.line)).or_default().ours += n;
        }
    }
    lines
}

/// Every column of every run.
fn all_counts(card: &Card, corpus: &[Done]) {
    let titles: Vec<&str> = COLUMNS.iter().map(|c| c.title).collect();
    println!("| kernel | {} |\n|---|{}", titles.join(" | "), "---:|".repeat(titles.len()));
    for done in corpus {
        for (number, run, measured, _) in runs(done, card) {
            let accesses = card.accesses.get(&(done.case.name.clone(), number));
            let accesses = accesses.map_or(&[][..], Vec::as_slice);
            let cells: Vec<String> = COLUMNS
                .iter()
                .map(|column| {
                    let ours = (column.ours)(&done.outcome.counters[number]);
                    match column.card(measured, accesses) {
                        None => format!("{ours} / -"),
                        Some(theirs) if theirs == ours => ours.to_string(),
                        Some(theirs) => format!("{ours} / {theirs}"),
                    }
                })
                .collect();
            println!(
                "| {}: `{}` {} | {} |",
                done.case.name,
                run.kernel,
                shape(run),
                cells.join(" | ")
            );
        }
    }
}

/// 0, or the largest relative difference.
fn agreement(ours: &Data, theirs: &Data) -> f64 {
    if ours.difference(theirs, None).is_none() {
        return 0.0;
    }
    let pairs = ours.reals().into_iter().zip(theirs.reals());
    pairs.map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(f64::MIN_POSITIVE, f64::max)
}

/// Says which checked buffers are equal bit by bit.
fn compare_outputs(card: &Card, corpus: &[Done]) {
    let (mut same, mut other) = (0, Vec::new());
    for Done { case, outcome } in corpus {
        for (buffer, _) in &case.checks {
            let Some(bytes) = card.outputs.get(&(case.name.clone(), buffer.clone())) else {
                continue;
            };
            let elem = case.buffers.iter().find(|b| b.name == *buffer).expect("checked").elem;
            match agreement(&outcome.buffers[buffer], &Data::from_bytes(elem, bytes)) {
                0.0 => same += 1,
                difference => other.push((format!("{}.{buffer}", case.name), difference)),
            }
        }
    }
    println!("{same} of {} output buffers are equal bit by bit.", same + other.len());
    for (name, difference) in other {
        println!("* `{name}`: largest relative difference {difference:.1e}");
    }
}
