//! One page that needs no other file: marks, findings, pictures, counter tables.

use std::fmt::Write;

use simt::render::grouped;
use simt::report::{Counters, LaunchReport};

use super::{Graded, escape};
use crate::expect::counters_by_name;
use crate::{CheckResult, Class, Evidence, ExerciseResult, Finding, LabResult, Picture, Verdict};
use figures::base64;

/// What the page says besides the results.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Title.
    pub title: String,
    /// A paragraph under the title, plain text.
    pub intro: String,
    /// Passed checks show what they have seen, with pictures and counter tables.
    pub gallery: bool,
    /// What the page begins with.
    pub shown: Vec<Shown>,
    /// Address of the handbook's folder, with a slash at its end: verdicts and hints lead there.
    pub handbook: Option<String>,
}

impl Page {
    /// Words that lead to a place of the handbook's page of verdicts, if there is a handbook.
    fn explained(&self, words: &str, place: &str) -> String {
        match &self.handbook {
            Some(book) => {
                format!("<a href=\"{}verdicts.html#{}\">{words}</a>", escape(book), escape(place))
            }
            None => words.into(),
        }
    }
}

/// A picture of the course.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Exercise that it belongs to, such as `L1-1.1.3`.
    pub exercise: String,
    /// The file.
    pub picture: Vec<u8>,
    /// It is SVG, and not PNG.
    pub svg: bool,
    /// What it shows, in a sentence.
    pub says: String,
    /// A WAV file to listen to.
    pub sound: Option<Vec<u8>>,
}

const STYLE: &str = include_str!("page.css");

const LEGEND: &str = "Counts: gld and gst are loads and stores of global memory, shld and shst of \
                      shared memory, cld of constant memory, lld and lst of local memory. req \
                      counts requests of warps, lane the threads that took part, sec sectors of \
                      32 bytes, wf passes through the banks of shared memory, ser passes one \
                      after the other. br.exec counts branches, br.div those at which threads of \
                      a warp part, bar barriers, atom atomics, shfl shuffles. inst counts \
                      instructions by warps, thread.inst by threads.";

/// The results as one HTML page: pictures first if it is a gallery, then marks, then what the
/// checks say.
pub fn html(graded: &[Graded], page: &Page) -> String {
    let title = escape(&page.title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>{title}</h1>\n"
    );
    if !page.intro.is_empty() {
        let _ = writeln!(out, "<p class=\"intro\">{}</p>", escape(&page.intro));
    }
    if let [one] = graded
        && one.labs.len() > 1
    {
        contents(&mut out, &one.labs);
    }
    if !page.shown.is_empty() {
        pictures(&mut out, &page.shown, graded);
    }
    if graded.len() > 1 {
        class_table(&mut out, graded);
    }
    for (k, work) in graded.iter().enumerate() {
        let whose = if graded.len() > 1 { format!("{}: ", work.name) } else { String::new() };
        for lab in &work.labs {
            let _ = writeln!(
                out,
                "<h2 id=\"w{k}-{}\">{}{} <span class=\"{}\">{} / {}</span></h2>",
                escape(&lab.lab),
                escape(&whose),
                escape(&lab.title),
                if lab.done() { "good" } else { "note" },
                lab.earned,
                lab.points,
            );
            for warning in &lab.warnings {
                let _ = writeln!(out, "<p class=\"note\">Warning: {}</p>", escape(warning));
            }
            marks_table(&mut out, k, lab);
            for exercise in &lab.exercises {
                exercise_section(&mut out, k, exercise, page);
            }
        }
    }
    if page.gallery {
        let _ = writeln!(out, "<footer>{LEGEND}</footer>");
    }
    out + "</main>\n</body>\n</html>\n"
}

/// Where the labs are on a page of several.
fn contents(out: &mut String, labs: &[LabResult]) {
    *out += "<nav aria-label=\"labs\"><ul>\n";
    for lab in labs {
        let (id, title) = (escape(&lab.lab), escape(&lab.title));
        let _ = writeln!(
            out,
            "<li><a href=\"#w0-{id}\">{id} {title}</a> {} / {}</li>",
            lab.earned, lab.points
        );
    }
    *out += "</ul></nav>\n";
}

/// The pictures that the page begins with, each with a link to its exercise below.
fn pictures(out: &mut String, shown: &[Shown], graded: &[Graded]) {
    *out += "<div class=\"pictures\">\n";
    for one in shown {
        let says = escape(&one.says);
        let kind = if one.svg { "svg+xml" } else { "png" };
        let data = base64(&one.picture);
        let _ = write!(
            out,
            "<figure><img alt=\"{says}\" src=\"data:image/{kind};base64,{data}\">\
             <figcaption>{says} "
        );
        let of = |work: &Graded| {
            let mut all = work.labs.iter().flat_map(|lab| &lab.exercises);
            all.find(|e| e.id == one.exercise).map(|e| e.title.clone())
        };
        let found = graded.iter().enumerate().find_map(|(k, work)| Some((k, of(work)?)));
        if let Some((k, title)) = found {
            let (id, title) = (escape(&one.exercise), escape(&title));
            let _ = write!(out, "<a href=\"#w{k}-{id}\">{id} {title}</a>");
        }
        *out += "</figcaption>";
        if let Some(sound) = &one.sound {
            let _ = write!(
                out,
                "<audio controls aria-label=\"{says}\" src=\"data:audio/wav;base64,{}\"></audio>",
                base64(sound)
            );
        }
        *out += "</figure>\n";
    }
    *out += "</div>\n";
}

fn marks_table(out: &mut String, whose: usize, lab: &LabResult) {
    *out +=
        "<div class=\"marks scroll\" tabindex=\"0\" role=\"group\" aria-label=\"marks\"><table>\n";
    for e in &lab.exercises {
        let (class, state) = state(e);
        let share = (100 * e.earned.0).checked_div(e.points.0).unwrap_or(0);
        let _ = writeln!(
            out,
            "<tr><td><a href=\"#w{whose}-{0}\">{0}</a></td><td>{1}</td>\
             <td><span class=\"bar\"><i style=\"width:{share}%\"></i></span></td>\
             <td class=\"n\">{2} / {3}</td><td class=\"{class}\">{state}</td></tr>",
            escape(&e.id),
            escape(&e.title),
            e.earned,
            e.points
        );
    }
    let _ = writeln!(out, "</table></div>\n<p class=\"faint\">seed {}</p>", lab.seed);
}

/// How an exercise stands: class of the style, and words.
fn state(exercise: &ExerciseResult) -> (&'static str, &'static str) {
    match (exercise.not_started, exercise.done()) {
        (true, _) => ("faint", "not started"),
        (_, true) => ("good", "ok"),
        _ => ("bad", "see inside"),
    }
}

fn class_table(out: &mut String, graded: &[Graded]) {
    *out += SCROLL;
    *out += "<table>\n<tr><th>name</th><th class=\"n\">points</th></tr>\n";
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

fn exercise_section(out: &mut String, whose: usize, exercise: &ExerciseResult, page: &Page) {
    let (class, state) = state(exercise);
    let worth_a_look = |check: &CheckResult| {
        matches!(&check.verdict,
            Verdict::Pass(e) if !(e.drawings.is_empty() && e.pictures.is_empty()))
    };
    let open = if exercise.not_started {
        false
    } else if page.gallery {
        !exercise.done() || exercise.checks.iter().any(worth_a_look)
    } else {
        !exercise.done()
    };
    let open = if open { " open" } else { "" };
    // The link's target lies inside, so that a browser that follows it unfolds the exercise.
    let _ = writeln!(
        out,
        "<details{open}>\n<summary><h3>{0} {1}</h3> \
         <span class=\"{class}\">{2} / {3} {state}</span></summary>\n\
         <div class=\"inside\" id=\"w{whose}-{0}\">",
        escape(&exercise.id),
        escape(&exercise.title),
        exercise.earned,
        exercise.points
    );
    if exercise.not_started {
        let why = page.explained("Not started", &Class::NotStarted.page());
        let _ = writeln!(out, "<p>{why}: {}</p>", escape(&exercise.todo));
    } else {
        *out += "<ul class=\"checks\">\n";
        // What stops several checks, such as a kernel that does not compile, is said once.
        let mut said: Option<&Finding> = None;
        for check in &exercise.checks {
            *out += "<li>";
            let again = check.finding().is_some_and(|f| {
                said.is_some_and(|s| s.message == f.message && s.details == f.details)
            });
            check_section(out, check, again, &exercise.id, page);
            *out += "</li>\n";
            said = check.finding().or(said);
        }
        *out += "</ul>\n";
    }
    *out += "</div>\n</details>\n";
}

/// A check; `again` if its finding is the one that was shown before it.
fn check_section(out: &mut String, check: &CheckResult, again: bool, exercise: &str, page: &Page) {
    let name = format!("<b>{}</b> {}", escape(&check.name), escape(&check.what));
    match &check.verdict {
        Verdict::Pass(evidence) => {
            let _ = writeln!(out, "<span class=\"good\">ok</span> {name}");
            if page.gallery {
                evidence_section(out, evidence);
            }
        }
        Verdict::Fail(finding) => {
            let class = match finding.class {
                Class::Wrong => String::new(),
                other => format!("{}: ", other.name()),
            };
            let fail = page.explained("FAIL", &finding.class.page());
            if again {
                let _ = writeln!(out, "<span class=\"bad\">{fail}</span> {name}<br>as above");
                return;
            }
            let _ = writeln!(
                out,
                "<span class=\"bad\">{fail}</span> {name}<br>{class}{}",
                escape(&finding.message)
            );
            if !finding.details.is_empty() {
                let _ = writeln!(out, "<pre tabindex=\"0\">{}</pre>", escape(&finding.details));
            }
            if let Some(hint) = &check.hint {
                let word = page.explained("Hint", exercise);
                let _ = writeln!(out, "<p class=\"note\">{word}: {}</p>", escape(hint));
            }
            if let Some(picture) = &finding.picture {
                figure(out, picture);
            }
            if let Some(request) = &finding.request {
                let _ = writeln!(out, "{SCROLL}{}</div>", request.svg());
            }
        }
    }
}

fn evidence_section(out: &mut String, evidence: &Evidence) {
    if !evidence.lines.is_empty() {
        let lines: Vec<String> = evidence.lines.iter().map(|l| escape(l)).collect();
        let _ = writeln!(out, "<p class=\"faint seen\">{}</p>", lines.join("<br>"));
    }
    for picture in &evidence.pictures {
        figure(out, picture);
    }
    for drawing in &evidence.drawings {
        let _ = writeln!(out, "{SCROLL}{drawing}</div>");
    }
    for launch in &evidence.launches {
        counter_table(out, launch);
    }
}

/// What may be wider than the page; a keyboard moves it.
const SCROLL: &str = "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"wide\">";

/// A picture with its caption. What is no base64 is none: it may have come from elsewhere.
fn figure(out: &mut String, picture: &Picture) {
    let title = escape(&picture.title);
    let base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    if picture.png.is_empty() || !picture.png.bytes().all(base64) {
        let _ = writeln!(out, "<p class=\"bad\">{title}</p>");
        return;
    }
    let _ = writeln!(
        out,
        "<figure><img alt=\"{title}\" \
         src=\"data:image/png;base64,{}\"><figcaption>{title}</figcaption></figure>",
        picture.png,
    );
}

/// Counts of the launch and of each source line; columns that are zero everywhere are left out.
fn counter_table(out: &mut String, launch: &LaunchReport) {
    let total = counters_by_name(&launch.total);
    let columns: Vec<usize> = (0..total.len()).filter(|&k| total[k].1 > 0).collect();
    // As many of three numbers as say something: 16 x 16, not 16 x 16 x 1.
    let dims = |[x, y, z]: [u32; 3]| match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x} x {y}"),
        _ => format!("{x} x {y} x {z}"),
    };
    let _ = writeln!(
        out,
        "{SCROLL}<table class=\"counts\">\n<caption>{}, grid {}, block {}</caption>\n<tr><td></td>",
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
            let _ = write!(out, "<td class=\"n\">{}</td>", grouped(values[k].1));
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

    /// What a worker says of a finding is kept as JSON and then shown.
    #[test]
    fn a_findings_picture_survives_its_way_and_is_only_a_picture() {
        let mut finding = Finding::wrong("w");
        finding.picture = Some(Box::new(Picture::new("mine", 1, 1, &[9, 9, 9, 255])));
        let shown = |finding: &Finding| {
            let text = serde_json::to_string(finding).unwrap();
            let verdict = Verdict::Fail(serde_json::from_str(&text).unwrap());
            let mut work = sample();
            work.labs[0].exercises[0].checks[0].verdict = verdict;
            html(&[work], &Page::default())
        };
        assert!(shown(&finding).contains("<figcaption>mine</figcaption>"));
        finding.picture.as_mut().unwrap().png = "x\"><script>".into();
        let page = shown(&finding);
        assert!(page.contains("<p class=\"bad\">mine</p>") && !page.contains("<script>"));
        finding.picture = Some(Box::new(Picture::new("mine", 2, 1, &[0; 4])));
        assert!(shown(&finding).contains("mine: 2 x 1 pixels need 8 bytes, there are 4"));
    }

    /// A page of several labs begins with the ways to them.
    #[test]
    fn several_labs_have_a_table_of_contents() {
        let mut work = sample();
        let mut second = work.labs[0].clone();
        second.lab = "lab9".into();
        work.labs.push(second);
        let text = html(&[work], &Page::default());
        let nav = text.split("<nav").nth(1).and_then(|t| t.split("</nav>").next()).unwrap();
        assert!(nav.contains("<a href=\"#w0-lab9\">") && text.contains("id=\"w0-lab9\""), "{nav}");
    }

    /// Checks that one mistake stops name it once.
    #[test]
    fn a_finding_is_shown_once() {
        let mut work = sample();
        let exercise = work.labs[0].exercises.iter_mut().find(|e| !e.not_started).unwrap();
        let mut check = exercise.checks[0].clone();
        check.verdict = Verdict::Fail(Finding::wrong("no type `size`"));
        exercise.checks = vec![check.clone(), check];
        let text = html(&[work.clone()], &Page::default());
        assert_eq!(text.matches("no type `size`").count(), 1);
        assert_eq!(text.matches("<br>as above").count(), 1);
        let exercise = work.labs[0].exercises.iter_mut().find(|e| !e.not_started).unwrap();
        exercise.checks[1].verdict = Verdict::Fail(Finding::wrong("another"));
        assert!(!html(&[work], &Page::default()).contains("as above"));
    }

    #[test]
    fn the_page_holds_marks_findings_and_pictures_and_no_raw_student_text() {
        let mut work = sample();
        if let Verdict::Pass(evidence) = &mut work.labs[0].exercises[0].checks[0].verdict {
            evidence.pictures.push(Picture::new("a picture", 1, 1, &[0, 0, 0, 255]));
        }
        let page = Page {
            title: "Marks".into(),
            intro: "Read <this>.".into(),
            gallery: true,
            handbook: Some("book/".into()),
            shown: vec![Shown {
                exercise: work.labs[0].exercises[0].id.clone(),
                says: "A <picture>.".into(),
                ..Shown::default()
            }],
        };
        let text = html(&[work.clone(), work], &page);
        assert!(text.contains("<td class=\"n\">2 / 8</td>"));
        assert!(text.contains("data:image/png;base64,"));
        assert!(text.contains("expected 1 &lt; 2 &amp; &quot;x&quot;"));
        assert!(!text.contains("Read <this>"));
        assert!(text.contains("<a href=\"book/verdicts.html#wrong\">FAIL</a>"));
        for tag in ["details", "table", "figure", "ul", "li", "div"] {
            let (opened, closed) = (format!("<{tag}"), format!("</{tag}>"));
            assert_eq!(text.matches(&opened).count(), text.matches(&closed).count(), "{tag}");
        }
        assert!(!text.contains("<nav"), "one lab needs no way to the others");
        let at = |what: &str| text.find(what).unwrap();
        assert!(at("<figure>") < at("class=\"marks"), "pictures come first");
        assert!(at("class=\"marks") < at("<details"), "then marks");
        // Every link of the page leads somewhere.
        for link in text.split("href=\"#").skip(1) {
            let target = link.split('"').next().unwrap();
            assert!(text.contains(&format!("id=\"{target}\"")), "{target}");
        }
    }
}
