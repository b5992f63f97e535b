//! Results for people and for machines. None of them holds a time, a path or anything else that
//! differs between two runs with the same seed.

use serde::{Deserialize, Serialize};

use crate::{LabResult, Points};

mod classroom50;
mod gradescope;
mod html;
mod junit;
mod lanes;
pub mod similar;
mod statistics;
mod table;
mod text;

pub use classroom50::classroom50;
pub use gradescope::gradescope;
pub use html::{Page, Shown, html};
pub use junit::junit;
pub use lanes::Request;
pub use statistics::statistics;
pub use table::csv;
pub(crate) use table::{harmless, quoted};
pub use text::{Paint, exercise as exercise_text, first_finding, lab as lab_text, wrapped};

/// One graded piece of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Graded {
    /// Whose: name of the submission, `own work` or `solutions`.
    pub name: String,
    /// Results, one per lab.
    pub labs: Vec<LabResult>,
}

impl Graded {
    /// Points earned over all labs.
    pub fn earned(&self) -> Points {
        self.labs.iter().map(|l| l.earned).sum()
    }

    /// Points of all labs.
    pub fn points(&self) -> Points {
        self.labs.iter().map(|l| l.points).sum()
    }
}

/// JSON, indented, ending in a line feed: a list of [`Graded`].
pub fn json(graded: &[Graded]) -> String {
    // Plain data with string keys: this cannot fail.
    serde_json::to_string_pretty(graded).unwrap_or_default() + "\n"
}

/// Marks of direction and ends of lines, which reorder what stands around them.
pub(crate) fn reorders(c: char) -> bool {
    matches!(c, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Replaces what XML and HTML give a meaning, what XML 1.0 cannot hold, and marks of direction.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            '\n' | '\t' => out.push(c),
            c if c.is_control() || reorders(c) || c == '\u{fffe}' || c == '\u{ffff}' => {
                out.push('\u{fffd}');
            }
            c => out.push(c),
        }
    }
    out
}

/// A finding as plain text: message, details, hint.
fn finding_text(check: &crate::CheckResult) -> String {
    let Some(finding) = check.finding() else { return String::new() };
    let mut out = finding.message.clone();
    out.push('\n');
    out += &finding.details;
    if let Some(hint) = &check.hint {
        if !out.ends_with('\n') {
            out.push('\n');
        }
        out += &format!("Hint: {hint}\n");
    }
    out
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{CheckResult, Class, Evidence, ExerciseResult, Finding, Verdict};

    /// A result with a passed check, a failed one, and an exercise not started.
    pub(crate) fn sample() -> Graded {
        let check = |name: &str, verdict| CheckResult {
            name: name.into(),
            what: format!("what {name} checks"),
            weight: 1,
            verdict,
            hint: None,
        };
        let finding = Finding::wrong("c[5]: expected 1 < 2 & \"x\", got \u{1b}[31m")
            .details("c[5]: 1\nc[6]: 2\n")
            .hint("a");
        let failed =
            CheckResult { hint: Some("`<`".into()), ..check("guard", Verdict::Fail(finding)) };
        let exercise = |id: &str, earned, not_started, checks| ExerciseResult {
            id: id.into(),
            key: "e".into(),
            title: format!("Title of {id}"),
            earned: Points(earned),
            points: Points(400),
            not_started,
            todo: "Do this.".into(),
            checks,
        };
        let passed = check("sums", Verdict::Pass(Evidence::new("all right")));
        let untouched = Finding::new(Class::NotStarted, "Do this.");
        let exercises = vec![
            exercise("L1-1", 200, false, vec![passed, failed]),
            exercise("L1-2", 0, true, vec![check("sums", Verdict::Fail(untouched))]),
        ];
        let lab = LabResult {
            lab: "lab1".into(),
            title: "First, with a comma".into(),
            seed: 7,
            earned: Points(200),
            points: Points(800),
            exercises,
            minutes: [("L1-1".to_string(), 12)].into(),
            protection: None,
            warnings: Vec::new(),
            late: None,
        };
        Graded { name: "ann".into(), labs: vec![lab] }
    }

    #[test]
    fn json_comes_back_as_it_was() {
        let text = json(&[sample()]);
        assert_eq!(serde_json::from_str::<Vec<Graded>>(&text).unwrap(), [sample()]);
    }

    #[test]
    fn xml_is_escaped() {
        let want = "&lt;a b=&#39;1&#39;&gt;&amp;\u{fffd}\u{fffd}\n";
        assert_eq!(escape("<a b='1'>&\u{1b}\u{202e}\n"), want);
    }
}
