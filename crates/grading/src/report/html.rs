//! One page that needs no other file: marks, findings, pictures, counter tables.

use std::fmt::Write;

use simt::report::{Counters, LaunchReport};

use super::picture::base64;
use super::{Graded, escape, png};
use crate::expect::counters_by_name;
use crate::{CheckResult, Class, Evidence, ExerciseResult, Picture, Verdict};

/// What the page says besides the results.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Title.
    pub title: String,
    /// A paragraph under the title, plain text.
    pub intro: String,
    /// Show the evidence of passed checks, with pictures and counter tables, opened.
    pub gallery: bool,
}

const STYLE: &str = "\
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --bad: #cf222e; --note: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --bad: #ff7b72; --note: #d29922; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.3rem; margin-top: 2.5rem; } h3 { font-size: 1.05rem; margin: 0; display: inline; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td.n, th.n { text-align: right; }
.good { color: var(--good); } .bad { color: var(--bad); } .note { color: var(--note); }
.faint { opacity: .7; }
details { border: 1px solid var(--line); border-radius: 6px; padding: .6rem .9rem; margin: .6rem 0; }
summary { cursor: pointer; }
pre { overflow-x: auto; font-size: .85rem; background: #8881; padding: .6rem; border-radius: 4px; }
figure { display: inline-block; margin: .6rem 1rem .6rem 0; } figcaption { font-size: .85rem; }
img { image-rendering: pixelated; max-width: 100%; min-width: 8rem; border: 1px solid var(--line); }
.scroll { overflow-x: auto; }
";

/// The results as one HTML page.
pub fn html(graded: &[Graded], page: &Page) -> String {
    let title = escape(&page.title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    if !page.intro.is_empty() {
        let _ = writeln!(out, "<p>{}</p>", escape(&page.intro));
    }
    if graded.len() > 1 {
        class_table(&mut out, graded);
    }
    for (k, work) in graded.iter().enumerate() {
        for lab in &work.labs {
            let whose = if graded.len() > 1 { format!("{}: ", work.name) } else { String::new() };
            let _ = writeln!(
                out,
                "<h2 id=\"w{k}-{}\">{}{} <span class=\"{}\">{} / {}</span></h2>\n\
                 <p class=\"faint\">{} exercises, seed {}</p>",
                escape(&lab.lab),
                escape(&whose),
                escape(&lab.title),
                if lab.done() { "good" } else { "note" },
                lab.earned,
                lab.points,
                lab.exercises.len(),
                lab.seed
            );
            for exercise in &lab.exercises {
                exercise_section(&mut out, exercise, page.gallery);
            }
        }
    }
    out + "</body>\n</html>\n"
}

fn class_table(out: &mut String, graded: &[Graded]) {
    *out += "<div class=\"scroll\"><table>\n<tr><th>name</th><th class=\"n\">points</th></tr>\n";
    for (k, work) in graded.iter().enumerate() {
        let anchor = work.labs.first().map_or("", |l| l.lab.as_str());
        let _ = writeln!(
            out,
            "<tr><td><a href=\"#w{k}-{}\">{}</a></td><td class=\"n\">{} / {}</td></tr>",
            escape(anchor),
            escape(&work.name),
            work.earned(),
            work.points()
        );
    }
    *out += "</table></div>\n";
}

fn exercise_section(out: &mut String, exercise: &ExerciseResult, gallery: bool) {
    let (class, state) = match (exercise.not_started, exercise.done()) {
        (true, _) => ("faint", "not started"),
        (_, true) => ("good", "ok"),
        _ => ("bad", "see inside"),
    };
    let open = if gallery || (!exercise.done() && !exercise.not_started) { " open" } else { "" };
    let _ = writeln!(
        out,
        "<details{open} id=\"{}\">\n<summary><h3>{} {}</h3> <span class=\"{class}\">{} / {} {state}</span></summary>",
        escape(&exercise.id),
        escape(&exercise.id),
        escape(&exercise.title),
        exercise.earned,
        exercise.points
    );
    if exercise.not_started {
        let _ = writeln!(out, "<p>{}</p>", escape(&exercise.todo));
    } else {
        for check in &exercise.checks {
            check_section(out, check, gallery);
        }
    }
    *out += "</details>\n";
}

fn check_section(out: &mut String, check: &CheckResult, gallery: bool) {
    let name = format!("[{}] {}", check.name, check.what);
    match &check.verdict {
        Verdict::Pass(evidence) => {
            let _ = writeln!(out, "<p><span class=\"good\">ok</span> {}</p>", escape(&name));
            if gallery {
                evidence_section(out, evidence);
            }
        }
        Verdict::Fail(finding) => {
            let class = match finding.class {
                Class::Wrong => String::new(),
                other => format!("{}: ", other.name()),
            };
            let _ = writeln!(
                out,
                "<p><span class=\"bad\">FAIL</span> {}<br>{class}{}</p>",
                escape(&name),
                escape(&finding.message)
            );
            if !finding.details.is_empty() {
                let _ = writeln!(out, "<pre>{}</pre>", escape(&finding.details));
            }
            if let Some(hint) = &check.hint {
                let _ = writeln!(out, "<p class=\"note\">Hint: {}</p>", escape(hint));
            }
            if let Some(picture) = &finding.picture {
                figure(out, picture);
            }
            if let Some(drawing) = &finding.drawing {
                let _ = writeln!(out, "<div class=\"scroll\">{drawing}</div>");
            }
        }
    }
}

fn evidence_section(out: &mut String, evidence: &Evidence) {
    if !evidence.lines.is_empty() {
        let lines: Vec<String> = evidence.lines.iter().map(|l| escape(l)).collect();
        let _ = writeln!(out, "<p class=\"faint\">{}</p>", lines.join("<br>"));
    }
    for picture in &evidence.pictures {
        figure(out, picture);
    }
    for drawing in &evidence.drawings {
        let _ = writeln!(out, "<div class=\"scroll\">{drawing}</div>");
    }
    for launch in &evidence.launches {
        counter_table(out, launch);
    }
}

fn figure(out: &mut String, picture: &Picture) {
    match png(picture) {
        Ok(bytes) => {
            let _ = writeln!(
                out,
                "<figure><img alt=\"{}\" src=\"data:image/png;base64,{}\"><figcaption>{}</figcaption></figure>",
                escape(&picture.title),
                base64(&bytes),
                escape(&picture.title)
            );
        }
        Err(error) => {
            let _ = writeln!(out, "<p class=\"bad\">{}</p>", escape(&error));
        }
    }
}

/// Counts of the launch and of each source line; columns that are zero everywhere are left out.
fn counter_table(out: &mut String, launch: &LaunchReport) {
    let total = counters_by_name(&launch.total);
    let columns: Vec<usize> = (0..total.len()).filter(|&k| total[k].1 > 0).collect();
    let dims = |d: [u32; 3]| format!("{} x {} x {}", d[0], d[1], d[2]);
    let _ = writeln!(
        out,
        "<div class=\"scroll\"><table>\n<tr><th>{}, grid {}, block {}</th>",
        escape(&launch.kernel),
        dims(launch.grid),
        dims(launch.block)
    );
    for &k in &columns {
        let _ = write!(out, "<th class=\"n\">{}</th>", total[k].0);
    }
    *out += "</tr>\n";
    let mut row = |name: &str, counters: &Counters| {
        let values = counters_by_name(counters);
        let _ = write!(out, "<tr><td>{}</td>", escape(name));
        for &k in &columns {
            let _ = write!(out, "<td class=\"n\">{}</td>", values[k].1);
        }
        *out += "</tr>\n";
    };
    row("whole launch", &launch.total);
    for line in &launch.lines {
        row(&format!("{}:{}", line.at.file, line.at.line), &line.counters);
    }
    *out += "</table></div>\n";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    #[test]
    fn the_page_holds_marks_findings_and_pictures_and_no_raw_student_text() {
        let mut work = sample();
        if let Verdict::Pass(evidence) = &mut work.labs[0].exercises[0].checks[0].verdict {
            evidence.pictures.push(Picture {
                title: "a picture".into(),
                width: 1,
                height: 1,
                rgba: vec![0, 0, 0, 255],
            });
        }
        let page = Page { title: "Marks".into(), intro: "Read <this>.".into(), gallery: true };
        let text = html(&[work.clone(), work], &page);
        assert!(text.contains("<td class=\"n\">2 / 8</td>"));
        assert!(text.contains("data:image/png;base64,"));
        assert!(text.contains("expected 1 &lt; 2 &amp; &quot;x&quot;"));
        assert!(!text.contains("Read <this>"));
        assert_eq!(text.matches("<details").count(), text.matches("</details>").count());
    }
}
