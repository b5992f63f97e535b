//! What compute-sanitizer says of the faulty kernels, beside what the emulator says.

use std::collections::BTreeMap;
use std::path::Path;

use crate::card::read;
use crate::case::Case;

const INTRODUCTION: &str = "\
# Faults: the emulator beside compute-sanitizer

Made by `cargo run --release -p simt --example compare_ncu -- RESULTS sanitizer`; how RESULTS come
about is in [measurements](measurements/card.md). Every kernel of `crates/simt/tests/corpus/faulty`
was compiled by nvcc 13 at -O3 and run on an H200, by itself and under each tool of
compute-sanitizer, with no more than 15 and 40 seconds. The emulator's column is what `cargo test -p
simt --test engine corpus` demands: it finds every fault in one run, at the line given. Of the
card's columns a number is the source line that the tool names, a dash says that it found nothing
(the exit code was 0), *error* that the program ended with an error of the driver and no line,
*hangs* that it did not end.

| kernel | emulator | card alone | memcheck | racecheck | initcheck | synccheck |
|---|---|---|---|---|---|---|";

/// Report of one tool on one kernel.
#[derive(Default)]
struct Verdict {
    exit_code: i32,
    text: Vec<String>,
}

impl Verdict {
    /// The first source line of the corpus file that the tool names.
    fn line(&self, case: &str) -> Option<u32> {
        let mark = format!(" in {case}.cu:");
        let assertion = format!("{case}.cu:");
        self.text.iter().find_map(|l| {
            let rest = match l.split_once(&mark) {
                Some((_, rest)) => rest,
                None => l.strip_prefix(&assertion).filter(|_| l.contains("Assertion"))?,
            };
            rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
        })
    }

    fn found(&self) -> bool {
        self.text.iter().any(|l| {
            ["Invalid", "Uninitialized", "Race reported", "Barrier error"]
                .iter()
                .any(|w| l.contains(w))
        })
    }

    fn cell(&self, case: &str) -> String {
        match (self.line(case), self.exit_code) {
            (Some(line), _) => line.to_string(),
            (None, 137) => "hangs".into(),
            (None, 0) if !self.found() => "-".into(),
            (None, _) if self.found() => "found".into(),
            (None, _) => "error".into(),
        }
    }
}

/// By case and tool.
type Verdicts = BTreeMap<(String, String), Verdict>;

/// What the tools said, and the message of nvcc for each case that it refused.
fn verdicts(folder: &Path) -> Result<(Verdicts, BTreeMap<String, String>), String> {
    let (mut verdicts, mut refused) = (Verdicts::new(), BTreeMap::new());
    let mut current = None;
    for line in read(folder, "sanitizer.txt")?.lines() {
        if let Some((case, message)) = line.split_once(".cu.o.log:") {
            refused.insert(case.to_string(), message.to_string());
        } else if let Some(head) = line.strip_prefix("== ").filter(|h| h.contains("(exit code ")) {
            let (names, code) = head.split_once(" (exit code ").unwrap_or((head, ""));
            let mut words = names.split_whitespace();
            let tool = words.next().unwrap_or_default().to_string();
            let case = words.nth(1).unwrap_or_default().to_string();
            let exit_code = code.trim_end_matches(')').parse().unwrap_or(-1);
            verdicts.insert((case.clone(), tool.clone()), Verdict { exit_code, text: Vec::new() });
            current = Some((case, tool));
        } else if let Some(verdict) = current.as_ref().and_then(|key| verdicts.get_mut(key)) {
            verdict.text.push(line.to_string());
        }
    }
    Ok((verdicts, refused))
}

const IDIOMS: &str = "\
## Idioms of synchronisation

Made by `cargo run --release -p simt --example compare_ncu -- RESULTS idioms`, after `make_driver --
BUILD idioms` and `tools/ncu/run.sh BUILD RESULTS sanitizer`. The emulator says nothing of the right
kernels and stops each twin at the line given (`cargo test -p simt --test engine idioms`).

| idiom | alarm of a tool on the right kernel | twin: emulator | card alone | memcheck | racecheck | initcheck | synccheck |
|---|---|---|---|---|---|---|---|";

/// Prints the part of docs/sanitizer.md on idioms.
pub fn print_idioms(folder: &Path) -> Result<(), String> {
    let (verdicts, refused) = verdicts(folder)?;
    println!("{IDIOMS}");
    for [right, twin] in Case::idioms()?.iter().filter(|[right, _]| !right.opencl) {
        let twin_name = format!("{}_twin", twin.name);
        let of = |case: &str, tool: &str| verdicts.get(&(case.to_string(), tool.to_string()));
        let mut alarms: Vec<&str> = TOOLS
            .into_iter()
            .filter(|tool| of(&right.name, tool).is_some_and(|v| v.exit_code != 0 || v.found()))
            .collect();
        alarms.extend(refused.contains_key(&right.name).then_some("nvcc"));
        let said =
            TOOLS.map(|tool| of(&twin_name, tool).map_or("not run".into(), |v| v.cell(&twin_name)));
        let lines: Vec<String> = twin.marked_lines("fault").iter().map(u32::to_string).collect();
        let codes = twin.fault.as_ref().map_or(String::new(), |f| f.codes.join("/"));
        let alarms = if alarms.is_empty() { "-".to_string() } else { alarms.join(", ") };
        let (name, said) = (&right.name, said.join(" | "));
        println!("| {name} | {alarms} | {codes} {} | {said} |", lines.join(" or "));
    }
    Ok(())
}

/// `none` is the card alone.
const TOOLS: [&str; 5] = ["none", "memcheck", "racecheck", "initcheck", "synccheck"];

/// Prints docs/sanitizer.md.
pub fn print(folder: &Path) -> Result<(), String> {
    let (verdicts, refused) = verdicts(folder)?;
    println!("{INTRODUCTION}");
    let (mut all, mut by_tool, mut stopped, mut silent, mut by_nvcc) = (0, 0, 0, Vec::new(), 0);
    for case in Case::folder(&Case::corpus_dir().join("faulty"))? {
        all += 1;
        let ours = match (&case.error, &case.fault) {
            (Some(_), _) => "refused by the compiler".to_string(),
            (None, Some(fault)) => match case.marked_lines("fault").first() {
                Some(line) => format!("{} {line}", fault.codes.join("/")),
                None => fault.codes.join("/"),
            },
            _ => "-".into(),
        };
        if let Some(message) = refused.get(&case.name) {
            by_nvcc += 1;
            let message = message.split_once("error: ").map_or(message.as_str(), |(_, m)| m);
            println!("| {} | {ours} | nvcc: {message} | | | | |", case.name);
            continue;
        }
        let cell = |tool: &str| {
            let verdict = verdicts.get(&(case.name.clone(), tool.to_string()));
            verdict.map_or("not run".to_string(), |v| v.cell(&case.name))
        };
        let cells = TOOLS.map(cell);
        let named = |c: &String| c == "found" || c.parse::<u32>().is_ok();
        if cells.iter().any(named) {
            by_tool += 1;
        } else if cells.iter().any(|c| c == "error" || c == "hangs") {
            stopped += 1;
        } else {
            silent.push(case.name.clone());
        }
        println!("| {} | {ours} | {} |", case.name, cells.join(" | "));
    }
    let right = ["memcheck", "racecheck", "initcheck", "synccheck"].iter().all(|tool| {
        verdicts
            .get(&(String::new(), tool.to_string()))
            .is_some_and(|v| v.exit_code == 0 && !v.found())
    });
    let summary = format!(
        "Of {all} faults nvcc refuses {by_nvcc}, a tool of compute-sanitizer (or the card itself) \
         reports {by_tool}, {stopped} end with an error or not at all without a place, and {} pass \
         unnoticed by the card and by all four tools: {}. The right kernels are clean in all four \
         tools: {}.",
        silent.len(),
        silent.join(", "),
        if right { "yes" } else { "no" }
    );
    println!("\n{}", folded(&summary));
    Ok(())
}

/// Lines of at most 100 columns.
fn folded(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= 100 => line.extend([" ", word]),
            _ => lines.push(word.to_string()),
        }
    }
    lines.join("\n")
}
