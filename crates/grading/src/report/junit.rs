//! JUnit XML: a suite per lab and piece of work, a case per check.

use std::fmt::Write;

use super::{Graded, escape, finding_text};
use crate::{Class, Verdict};

/// The results as JUnit XML.
pub fn junit(graded: &[Graded]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for work in graded {
        for lab in &work.labs {
            let checks = || lab.exercises.iter().flat_map(|e| &e.checks);
            let errors =
                checks().filter(|c| c.finding().is_some_and(|f| is_error(f.class))).count();
            let failures = checks().filter(|c| c.finding().is_some()).count() - errors;
            let _ = writeln!(
                out,
                "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" \
                 errors=\"{errors}\">",
                escape(&format!("{}: {}", work.name, lab.lab)),
                checks().count()
            );
            for exercise in &lab.exercises {
                for check in &exercise.checks {
                    let case = format!(
                        "    <testcase classname=\"{}\" name=\"{}\"",
                        escape(&exercise.id),
                        escape(&check.name)
                    );
                    let Verdict::Fail(finding) = &check.verdict else {
                        let _ = writeln!(out, "{case}/>");
                        continue;
                    };
                    let tag = if is_error(finding.class) { "error" } else { "failure" };
                    let _ = writeln!(
                        out,
                        "{case}>\n      <{tag} type=\"{}\" message=\"{}\">{}</{tag}>\n    \
                         </testcase>",
                        escape(finding.class.name()),
                        escape(&finding.message).replace('\n', "&#10;"),
                        escape(&finding_text(check))
                    );
                }
            }
            if !lab.warnings.is_empty() {
                let text = escape(&lab.warnings.join("\n"));
                let _ = writeln!(out, "    <system-out>{text}</system-out>");
            }
            out += "  </testsuite>\n";
        }
    }
    out + "</testsuites>\n"
}

/// JUnit keeps what could not be judged apart from what was judged wrong.
fn is_error(class: Class) -> bool {
    matches!(class, Class::GraderFault | Class::NotGradable)
}

#[cfg(test)]
mod tests {
    use crate::report::tests::sample;

    #[test]
    fn every_check_is_a_case_and_text_is_escaped() {
        let xml = super::junit(&[sample()]);
        assert!(
            xml.contains("<testsuite name=\"ann: lab1\" tests=\"3\" failures=\"2\" errors=\"0\">")
        );
        assert_eq!(xml.matches("<testcase ").count(), 3);
        assert!(
            xml.contains("<failure type=\"wrong\" message=\"c[5]: expected 1 &lt; 2 &amp; &quot;x")
        );
        assert!(!xml.contains('\u{1b}'));
    }
}
