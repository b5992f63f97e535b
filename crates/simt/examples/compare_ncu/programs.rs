//! Whole programs on the card and in the emulator: their buffers bit by bit, and what they print.

use std::path::Path;

use simt::ExecOptions;

use crate::agreement;
use crate::card::{outputs, read};
use crate::case::{Case, Data, execute};

/// Prints how many agree, and a line for each that does not.
pub fn print(results: &Path) -> Result<(), String> {
    let cases = Case::programs()?;
    let (mut equal, mut other) = (0, Vec::new());
    for case in &cases {
        let folder = results.join("programs").join(&case.name);
        let differences = match said(&folder) {
            Some(error) => vec![error],
            None => differences(case, &folder)?,
        };
        equal += usize::from(differences.is_empty());
        other.extend(differences.into_iter().map(|text| format!("* `{}`: {text}", case.name)));
    }
    println!("{equal} of {} programs give the same bits and lines as on the card.", cases.len());
    other.iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// Why there are no results: what nvcc or the program said.
fn said(folder: &Path) -> Option<String> {
    let errors = ["nvcc.txt", "errors.txt"].map(|name| read(folder, name).unwrap_or_default());
    let text = errors.iter().find(|text| text.contains("rror") || text.contains("ended"))?;
    let line = text.lines().find(|l| l.contains("rror")).or_else(|| text.lines().last())?;
    Some(format!("the card: {}", line.trim()))
}

fn differences(case: &Case, folder: &Path) -> Result<Vec<String>, String> {
    let of_case = |e: String| format!("{}: {e}", case.name);
    let program = case.compile().map_err(|e| of_case(e.to_string()))?;
    let ours =
        execute(case, &program, &ExecOptions::default()).map_err(|s| of_case(s.to_string()))?;
    let mut out = Vec::new();
    for ((_, buffer), bytes) in outputs(folder)? {
        let elem = case.buffers.iter().find(|b| b.name == buffer).ok_or("no such buffer")?.elem;
        let theirs = Data::from_bytes(elem, &bytes);
        let ours = &ours.buffers[&buffer];
        if let Some(first) = ours.difference(&theirs, None) {
            let relative = agreement(ours, &theirs);
            out.push(format!("{buffer}: {first}; largest relative difference {relative:.1e}"));
        }
    }
    let theirs = read(folder, "printed.txt")?;
    if ours.printed.trim_end() != theirs.trim_end() {
        out.push(format!("prints {theirs:?}, here {:?}", ours.printed));
    }
    Ok(out)
}
