//! The table for the terminal.

use std::fmt::Write;

use crate::{Class, ExerciseResult, LabResult};

/// Colours, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint(pub bool);

impl Paint {
    fn wrap(self, code: &str, text: &str) -> String {
        if self.0 { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_string() }
    }

    /// For what is right.
    pub fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// For what is wrong.
    pub fn bad(self, text: &str) -> String {
        self.wrap("31", text)
    }

    /// For hints and what is not started.
    pub fn note(self, text: &str) -> String {
        self.wrap("33", text)
    }

    /// For headings.
    pub fn strong(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// For what matters less.
    pub fn faint(self, text: &str) -> String {
        self.wrap("2", text)
    }
}

/// Marks of a lab, and every finding under its exercise; `evidence` adds what passed checks have seen.
pub fn lab(result: &LabResult, paint: Paint, evidence: bool) -> String {
    let title = paint.strong(&format!("{}  {}", result.lab, result.title));
    let mut out = format!("{title}\n");
    for warning in &result.warnings {
        let _ = writeln!(out, "  {} {}", paint.note("warning:"), visible(warning));
    }
    let width = result.exercises.iter().map(|e| e.title.chars().count()).max().unwrap_or(0);
    // The same text of the compiler under ten checks helps nobody: it is shown once.
    let mut shown = Vec::new();
    for e in &result.exercises {
        let marks = format!("{:>5} / {:<3}", e.earned, e.points.to_string());
        let (marks, state) = if e.not_started {
            (paint.faint(&marks), paint.faint("not started"))
        } else if e.done() {
            (paint.good(&marks), paint.good("ok"))
        } else {
            (paint.bad(&marks), paint.bad("see below"))
        };
        let _ = writeln!(out, "  {:<10} {:<width$}  {marks}  {state}", e.id, e.title);
    }
    let _ =
        writeln!(out, "  {:<10} {:<width$}  {:>5} / {}", "total", "", result.earned, result.points);
    for e in result.exercises.iter().filter(|e| !e.not_started && (evidence || !e.done())) {
        out.push('\n');
        out += &exercise_with(e, paint, evidence, &mut shown);
    }
    out
}

/// All checks of one exercise.
pub fn exercise(result: &ExerciseResult, paint: Paint, evidence: bool) -> String {
    exercise_with(result, paint, evidence, &mut Vec::new())
}

fn exercise_with(
    result: &ExerciseResult,
    paint: Paint,
    evidence: bool,
    shown: &mut Vec<String>,
) -> String {
    let marks = format!("{} / {}", result.earned, result.points);
    let mut out = format!("{}  {}  {marks}\n", paint.strong(&result.id), result.title);
    if result.not_started {
        let _ = writeln!(out, "  {} {}", paint.note("not started:"), result.todo);
        return out;
    }
    for check in &result.checks {
        let Some(finding) = check.finding() else {
            let _ = writeln!(out, "  {} [{}] {}", paint.good("ok  "), check.name, check.what);
            if let (true, crate::Verdict::Pass(seen)) = (evidence, &check.verdict) {
                for line in &seen.lines {
                    let _ = writeln!(out, "         {}", paint.faint(line));
                }
            }
            continue;
        };
        let class = match finding.class {
            Class::Wrong => "",
            Class::GraderFault => "the grader's own fault, not yours: ",
            other => &format!("{}: ", other.name()),
        };
        let _ = writeln!(
            out,
            "  {} {} [{}] {class}{}",
            paint.bad("FAIL"),
            result.id,
            check.name,
            visible(&finding.message)
        );
        if shown.contains(&finding.details) && finding.details.lines().count() > 3 {
            let _ = writeln!(out, "         {}", paint.faint("(details as above)"));
        } else {
            for line in finding.details.lines() {
                let _ = writeln!(out, "         {}", visible(line));
            }
            shown.push(finding.details.clone());
        }
        if let Some(hint) = &check.hint {
            let _ = writeln!(out, "         {} {hint}", paint.note("Hint:"));
        }
    }
    out
}

/// Text from a student's program without control characters: it must not drive the terminal.
fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    #[test]
    fn a_lab_is_a_table_and_then_its_findings() {
        let text = lab(&sample().labs[0], Paint(false), false);
        let want = "lab1  First, with a comma
  L1-1       Title of L1-1      2 / 4    see below
  L1-2       Title of L1-2      0 / 4    not started
  total                         2 / 8

L1-1  Title of L1-1  2 / 4
  ok   [sums] what sums checks
  FAIL L1-1 [guard] c[5]: expected 1 < 2 & \"x\", got \u{fffd}[31m
         c[5]: 1
         c[6]: 2
         Hint: `<`
";
        assert_eq!(text, want);
        assert!(lab(&sample().labs[0], Paint(true), true).contains("\u{1b}[32m"));
    }
}
