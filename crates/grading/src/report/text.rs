//! The table for the terminal.

use std::fmt::Write;

use crate::{CheckResult, Class, ExerciseResult, LabResult};
use simt::order;

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

/// Marks of a lab, and every finding under its exercise; `evidence` adds what passed checks have
/// seen.
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
        out += &exercise_with(e, paint, evidence, usize::MAX, &mut shown);
    }
    out
}

/// All checks of one exercise and what they saw, every finding in full, in lines of `columns`.
pub fn exercise(result: &ExerciseResult, paint: Paint, columns: usize) -> String {
    exercise_with(result, paint, true, columns, &mut Vec::new())
}

/// The student's view of one exercise: the first finding in full, in lines of `columns`, and the
/// other checks by their names. Mend the first one first: the others often follow from it.
pub fn first_finding(result: &ExerciseResult, paint: Paint, columns: usize) -> String {
    let mut failed: Vec<&CheckResult> =
        result.checks.iter().filter(|c| c.finding().is_some()).collect();
    // What keeps checks from running comes first, what cannot run here last.
    let rank = |c: &CheckResult| match c.finding().map(|f| f.class) {
        Some(Class::NotGradable) => 0,
        Some(Class::Elsewhere) => 2,
        _ => 1,
    };
    order::sort_by(&mut failed, |a, b| rank(a).cmp(&rank(b)));
    if result.not_started {
        let todo = format!("  {} ", paint.note("not started:"));
        return head(result, paint) + &wrapped(&todo, &result.todo, columns);
    }
    let Some((first, others)) = failed.split_first() else {
        return exercise(result, paint, columns);
    };
    let names = |checks: &mut dyn Iterator<Item = &&CheckResult>| -> String {
        checks.map(|c| format!("[{}]", c.name)).collect::<Vec<_>>().join(" ")
    };
    let mut out = head(result, paint);
    let passed: Vec<&CheckResult> =
        result.checks.iter().filter(|c| c.finding().is_none()).collect();
    if !passed.is_empty() {
        out += &wrapped(&format!("  {} ", paint.good("ok  ")), &names(&mut passed.iter()), columns);
    }
    out += &failure("", first, paint, columns);
    out += &details(first, columns);
    out += &hint(first, paint, columns);
    // What has the same cause says the same.
    let same =
        |c: &&&CheckResult| c.finding().map(|f| &f.message) == first.finding().map(|f| &f.message);
    let (alike, rest): (Vec<&CheckResult>, Vec<&CheckResult>) =
        others.iter().partition(|c| same(c));
    for (label, checks) in [("the same in", alike), ("open, too:", rest)] {
        if !checks.is_empty() {
            let text = format!("{label} {}", names(&mut checks.iter()));
            out += &wrapped("  ", &paint.faint(&text), columns);
        }
    }
    out
}

fn head(result: &ExerciseResult, paint: Paint) -> String {
    let marks = format!("{} / {}", result.earned, result.points);
    format!("{}  {}  {marks}\n", paint.strong(&result.id), result.title)
}

/// Columns from which details are indented.
const INDENT: &str = "         ";

fn failure(exercise: &str, check: &CheckResult, paint: Paint, columns: usize) -> String {
    let Some(finding) = check.finding() else { return String::new() };
    let class = match finding.class {
        Class::Wrong => "",
        Class::GraderFault => "the grader's own fault, not yours: ",
        other => &format!("{}: ", other.name()),
    };
    let text = format!("{exercise} [{}] {class}{}", check.name, visible(&finding.message));
    let text = text.trim_start();
    wrapped(&format!("  {} ", paint.bad("FAIL")), text, columns)
}

fn details(check: &CheckResult, columns: usize) -> String {
    let Some(finding) = check.finding() else { return String::new() };
    let lines: Vec<&str> = finding.details.lines().collect();
    // The message may say the first line already, behind the place or behind what does not compile.
    let said = lines.first().is_some_and(|first| {
        let first =
            first.strip_prefix("fault[").and_then(|f| f.split_once("]: ")).map_or(*first, |f| f.1);
        finding.message.contains(first)
    });
    let lines = &lines[usize::from(said)..];
    let line = |line: &&str| match line.contains(" |") {
        // A line of a source, and the marks below it, keep their places.
        true => format!("{INDENT}{}\n", visible(line)),
        false => wrapped(INDENT, &visible(line), columns),
    };
    lines.iter().map(line).collect()
}

fn hint(check: &CheckResult, paint: Paint, columns: usize) -> String {
    let Some(hint) = &check.hint else { return String::new() };
    wrapped(&format!("{INDENT}{} ", paint.note("Hint:")), hint, columns)
}

/// `text` behind `head` in lines of at most `columns`, broken between words.
pub fn wrapped(head: &str, text: &str, columns: usize) -> String {
    let mut out = String::from(head);
    // Colours take no room.
    let mut at = 0;
    let mut colour = false;
    for c in head.chars() {
        colour |= c == '\u{1b}';
        at += usize::from(!colour);
        colour &= c != 'm';
    }
    let start = out.len();
    for word in text.split(' ') {
        let length = word.chars().count();
        if out.len() > start && at + 1 + length > columns {
            out += "\n";
            out += INDENT;
            at = INDENT.len();
        } else if out.len() > start {
            out.push(' ');
            at += 1;
        }
        out += word;
        at += length;
    }
    out + "\n"
}

fn exercise_with(
    result: &ExerciseResult,
    paint: Paint,
    evidence: bool,
    columns: usize,
    shown: &mut Vec<String>,
) -> String {
    let mut out = head(result, paint);
    if result.not_started {
        let todo = format!("  {} ", paint.note("not started:"));
        return out + &wrapped(&todo, &result.todo, columns);
    }
    for check in &result.checks {
        let Some(finding) = check.finding() else {
            let _ = writeln!(out, "  {} [{}] {}", paint.good("ok  "), check.name, check.what);
            if let (true, crate::Verdict::Pass(seen)) = (evidence, &check.verdict) {
                for line in &seen.lines {
                    out += &wrapped(INDENT, &paint.faint(line), columns);
                }
            }
            continue;
        };
        out += &failure(&result.id, check, paint, columns);
        if shown.contains(&finding.details) && finding.details.lines().count() > 3 {
            let _ = writeln!(out, "{INDENT}{}", paint.faint("(details as above)"));
        } else {
            out += &details(check, columns);
            shown.push(finding.details.clone());
        }
        out += &hint(check, paint, columns);
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

    #[test]
    fn all_findings_fit_the_terminal_but_for_lines_of_a_source() {
        use crate::{Finding, Verdict};
        let mut result = sample().labs[0].exercises[0].clone();
        let source = "      7 |     c[0] = a[0] + b[1]; // longer than the terminal is wide";
        let finding = Finding::wrong("a message that is longer than the terminal is wide")
            .details(format!("a detail that is longer than the terminal\n{source}"));
        result.checks[1].verdict = Verdict::Fail(finding);
        let text = exercise(&result, Paint(false), 40);
        let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 40).collect();
        assert_eq!(wide, [format!("{INDENT}{source}")], "{text}");
    }

    #[test]
    fn the_first_finding_is_told_once_and_broken_between_words() {
        use crate::{Finding, Verdict};
        let mut result = sample().labs[0].exercises[0].clone();
        let check = |name: &str, text: &str| CheckResult {
            name: name.into(),
            verdict: Verdict::Fail(Finding::wrong(text).details(text)),
            ..result.checks[0].clone()
        };
        let refused = Finding::wrong("e1.cu: error: no `;`").details("error: no `;`\n--> e1.cu:3");
        let refused = CheckResult { verdict: Verdict::Fail(refused), ..check("a", "") };
        let fault = Finding::wrong("RACE-G at e1.cu:8: both write")
            .details("fault[RACE-G]: both write\n8 |");
        let fault = CheckResult { verdict: Verdict::Fail(fault), ..check("a", "") };
        assert_eq!(details(&fault, 80), "         8 |\n");
        assert_eq!(
            failure("", &refused, Paint(false), 80) + &details(&refused, 80),
            "  FAIL [a] e1.cu: error: no `;`\n         --> e1.cu:3\n"
        );
        let long = "e1.cu is not there: `cargo lab reset 1.1` puts its skeleton back";
        let more = [check("a", long), check("b", long), check("c", "another")];
        result.checks.truncate(1);
        result.checks.extend(more);
        let text = first_finding(&result, Paint(false), 40);
        let want = "L1-1  Title of L1-1  2 / 4
  ok   [sums]
  FAIL [a] e1.cu is not there: `cargo
         lab reset 1.1` puts its
         skeleton back
  the same in [b]
  open, too: [c]
";
        assert_eq!(text, want);
        let refused = Finding::new(Class::NotGradable, "no `;`");
        let last = result.checks[3].clone();
        result.checks.push(CheckResult {
            name: "d".into(),
            verdict: Verdict::Fail(refused),
            ..last
        });
        let text = first_finding(&result, Paint(false), 40);
        assert!(text.contains("FAIL [d] not gradable: no `;`\n"), "{text}");
    }
}
