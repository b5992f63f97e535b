//! `cargo lab report`: fills a lab's form, `REPORT.md`, with the student's own tables, plots and
//! counts, and leaves the sentences.
//!
//! In the form a line `<!-- fill: KIND WORDS -->` begins what is filled, and `<!-- end -->` ends
//! it; nothing else of the file is touched, so the form can be filled again at any time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use grading::{
    Answers, CheckResult, Exercise, ExerciseResult, Lab, LabResult, Options, Verdict, grade,
};

use super::progress::Progress;
use super::study;
use super::{App, say};

/// Seed of the inputs: a report says the same at every run on the same files.
const SEED: u64 = 1;
/// Name of the form in a lab's folder.
const FORM: &str = "REPORT.md";
const BEGIN: &str = "<!-- fill: ";
const END: &str = "<!-- end -->";

impl App {
    /// Fills the form, or writes it filled to `file`; exit code 1 if something in it could not be
    /// filled.
    pub(super) fn report(
        &self,
        name: &str,
        solutions: bool,
        file: Option<&Path>,
        out: &mut dyn Write,
    ) -> Result<u8, String> {
        let (lab, exercise) = self.named(name)?;
        if exercise.is_some() {
            return Err(format!("a report is of a whole lab: cargo lab report {}", lab.id));
        }
        let form = self.place.lab_dir(lab).join(FORM);
        let text = std::fs::read_to_string(&form)
            .map_err(|e| format!("{} cannot be read: {e}", form.display()))?;
        let work = match solutions {
            true => {
                self.solution_dir_exists(lab)?;
                self.place.solution_work(lab, self.place.solution_host())
            }
            false => self.place.own_work(lab),
        };
        let target = file.unwrap_or(&form);
        let progress = Progress::new(lab.id, "checks");
        let tell = |done, all| progress.step(done, all, done > 0);
        let options = Options { progress: &tell, ..Options::new(SEED) };
        let result = grade(&self.place, lab, &work, &options);
        drop(progress);
        let mut missing = Vec::new();
        let filled = fill(&text, &mut |kind, words| {
            let made = match kind {
                "marks" => Ok(marks(&result)),
                "seen" => seen(lab, &result, words),
                "answers" => answers(&work.student_dir, words),
                "study" => self.in_report(words, solutions, target),
                _ => return Err(format!("{kind} is none of marks, seen, answers, study")),
            };
            Ok(made.unwrap_or_else(|why| {
                missing.push(format!("{kind} {words}: {why}"));
                format!("Not there yet: {why}")
            }))
        })
        .map_err(|why| format!("{}: {why}", form.display()))?;
        grading::overlay::write(target, &filled)?;
        let shown = target.strip_prefix(&self.place.root).unwrap_or(target);
        for line in &missing {
            say(out, &format!("{} {line}\n", self.paint.note("not filled:")))?;
        }
        say(out, &format!("wrote {}: the sentences are yours\n", shown.display()))?;
        Ok(u8::from(!missing.is_empty()))
    }

    /// A study's text, and links to its plots.
    fn in_report(&self, name: &str, solutions: bool, target: &Path) -> Result<String, String> {
        let beside = target.parent().unwrap_or(Path::new("."));
        let folder = beside.join("plots").join(name);
        let mut text = Vec::new();
        let code = self.study(&study::Args::for_report(name, solutions, &folder), &mut text)?;
        let text = String::from_utf8_lossy(&text);
        let said = text.lines().collect::<Vec<_>>();
        if code != 0 && said.len() < 3 {
            return Err(said.join(" ").trim_start_matches("not run: ").to_string());
        }
        let mut out = format!("```text\n{}\n```\n", text.trim_end());
        let entries = std::fs::read_dir(&folder).map_err(|e| format!("plots/{name}: {e}"))?;
        let mut plots: Vec<String> =
            entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        plots.retain(|file| file.ends_with(".svg"));
        plots.sort();
        for file in plots {
            let _ = write!(out, "\n![{}](plots/{name}/{file})\n", file.trim_end_matches(".svg"));
        }
        Ok(out)
    }
}

/// The form with each block made anew by `make`, which is told its kind and its words.
fn fill(
    form: &str,
    make: &mut dyn FnMut(&str, &str) -> Result<String, String>,
) -> Result<String, String> {
    let mut out = String::new();
    let mut lines = (1..).zip(form.lines());
    while let Some((number, line)) = lines.next() {
        out += line;
        out.push('\n');
        let Some(words) = line.trim().strip_prefix(BEGIN) else { continue };
        let wrong = |why: &str| format!("line {number}: {why}");
        let words = words.strip_suffix("-->").ok_or_else(|| wrong("`-->` is missing"))?.trim();
        let (kind, rest) = words.split_once(' ').unwrap_or((words, ""));
        if !lines.any(|(_, line)| line.trim() == END) {
            return Err(wrong(&format!("`{END}` is missing behind it")));
        }
        let made = make(kind, rest.trim()).map_err(|why| wrong(&why))?;
        let _ = write!(out, "\n{}\n\n{END}\n", made.trim_end());
    }
    Ok(out)
}

/// What stands in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn marks(result: &LabResult) -> String {
    let mut out = String::from("| exercise | title | points | earned |\n|---|---|---|---|\n");
    for e in &result.exercises {
        let earned = if e.not_started { "not started".into() } else { e.earned.to_string() };
        let _ = writeln!(out, "| {} | {} | {} | {earned} |", e.id, cell(&e.title), e.points);
    }
    let _ = writeln!(out, "| | all | {} | {} |", result.points, result.earned);
    out
}

/// What the checks of some exercises have seen, with the counts of their launches.
fn seen(lab: &Lab, result: &LabResult, words: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut open = Vec::new();
    for name in words.split_whitespace() {
        let exercise: &Exercise =
            lab.exercise(name).ok_or_else(|| format!("{} has no exercise {name}", lab.id))?;
        let found = result.exercises.iter().find(|e| e.key == exercise.key);
        match found {
            Some(found) if !found.not_started => out += &evidence(found),
            _ => open.push(name),
        }
    }
    if out.is_empty() {
        return Err(format!("{} not started", open.join(", ")));
    }
    if !open.is_empty() {
        let _ = writeln!(out, "\nNot started: {}.", open.join(", "));
    }
    Ok(out)
}

fn evidence(result: &ExerciseResult) -> String {
    let mut out =
        format!("**{} {}**\n\n| check | what was seen |\n|---|---|\n", result.id, result.title);
    let mut counts: Vec<(String, BTreeMap<&str, u64>)> = Vec::new();
    for check in &result.checks {
        let CheckResult { name, verdict, .. } = check;
        match verdict {
            Verdict::Pass(evidence) => {
                let _ = writeln!(out, "| {name} | {} |", cell(&evidence.lines.join("; ")));
                for launch in &evidence.launches {
                    let named = grading::expect::counters_by_name(&launch.total);
                    let some = named.into_iter().filter(|(_, count)| *count > 0).collect();
                    counts.push((format!("{name}: {}", launch.kernel), some));
                }
            }
            Verdict::Fail(finding) => {
                let _ = writeln!(out, "| {name} | not passed: {} |", cell(&finding.message));
            }
        }
    }
    for (kernel, counts) in counts {
        let list: Vec<String> = counts.iter().map(|(name, n)| format!("{name} {n}")).collect();
        let _ = writeln!(out, "\nCounts, {}: {}.", cell(&kernel), list.join(", "));
    }
    out.push('\n');
    out
}

/// The keys of an answer file and what the student has answered.
fn answers(folder: &Path, rel: &str) -> Result<String, String> {
    let text = std::fs::read_to_string(folder.join(rel)).map_err(|e| format!("{rel}: {e}"))?;
    let answers = Answers::parse(rel, &text).map_err(|finding| finding.message)?;
    let mut out = String::from("| question | your answer |\n|---|---|\n");
    for (key, value) in answers.all() {
        let _ = writeln!(out, "| {key} | {} |", cell(if value.is_empty() { "-" } else { &value }));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_is_filled_and_again_at_will() {
        let form = "# A\n\n<!-- fill: study fir -->\nold\n<!-- end -->\n\nMy sentence.\n";
        let mut number = 0;
        let mut make = |kind: &str, words: &str| {
            number += 1;
            Ok(format!("{kind}/{words}/{number}"))
        };
        let first = fill(form, &mut make).unwrap();
        let wanted = |n| {
            format!(
                "# A\n\n<!-- fill: study fir -->\n\nstudy/fir/{n}\n\n<!-- end -->\n\nMy sentence.\n"
            )
        };
        assert_eq!(first, wanted(1));
        assert_eq!(fill(&first, &mut make).unwrap(), wanted(2));
        let open = fill("<!-- fill: marks -->\n", &mut make).unwrap_err();
        assert_eq!(open, "line 1: `<!-- end -->` is missing behind it");
    }
    #[test]
    fn every_lab_has_a_form_that_names_what_there_is() {
        for lab in super::super::LABS {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(lab.package);
            let form = std::fs::read_to_string(folder.join(FORM)).unwrap();
            let studies: Vec<&str> = study::STUDIES.iter().map(|s| s.name).collect();
            let tables = study::TABLES.concat();
            let mut kinds = Vec::new();
            let filled = fill(&form, &mut |kind, words| {
                let known = match kind {
                    "marks" => true,
                    "seen" => words.split_whitespace().all(|name| lab.exercise(name).is_some()),
                    "answers" => answers(&folder, words).is_ok(),
                    "study" => studies.contains(&words) || tables.iter().any(|s| s.name == words),
                    _ => false,
                };
                kinds.push(kind.to_string());
                if known { Ok(String::new()) } else { Err(format!("{kind} {words}")) }
            });
            assert!(filled.is_ok(), "{}: {filled:?}", lab.id);
            assert!(kinds.contains(&"marks".to_string()) && kinds.len() > 3, "{}", lab.id);
        }
    }
}
