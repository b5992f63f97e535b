//! The course's own book: every document is in it, every link of it leads somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use book::{Options, Written, chapters, write_book};

struct Made {
    dir: tempfile::TempDir,
    written: Written,
    /// Text of each page, by its file's name.
    pages: BTreeMap<String, String>,
}

static MADE: LazyLock<Made> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let home = Some(("The course".into(), "../index.html".into()));
    let written = write_book(&root(), dir.path(), &Options { home }).unwrap();
    let files = std::fs::read_dir(dir.path()).unwrap().flatten().map(|e| e.path());
    let pages = files.filter(|f| f.extension().is_some_and(|e| e == "html"));
    let name = |f: &Path| f.file_name().unwrap().to_string_lossy().into_owned();
    let pages = pages.map(|f| (name(&f), std::fs::read_to_string(&f).unwrap())).collect();
    Made { dir, written, pages }
});

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What stands in `attribute="..."` of a page.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let start = format!(" {attribute}=\"");
    let pieces = page.split(start.as_str()).skip(1);
    pieces.map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn every_document_is_in_the_book() {
    let listed: BTreeSet<&str> = chapters::all().map(|c| c.source).collect();
    let mut folders = vec!["".to_string(), "docs".into(), "docs/measurements".into(), "rtm".into()];
    folders.extend(lab::course::LABS.iter().map(|lab| lab.package.to_string()));
    for folder in folders {
        for entry in std::fs::read_dir(root().join(&folder)).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            if path.ends_with(".md") {
                assert!(listed.contains(path.as_str()), "{path} is in no part of chapters.rs");
            }
        }
    }
}

#[test]
fn every_link_leads_somewhere() {
    assert_eq!(MADE.written.broken, []);
    let ids: BTreeMap<&str, BTreeSet<&str>> = MADE
        .pages
        .iter()
        .map(|(name, page)| (name.as_str(), values(page, "id").into_iter().collect()))
        .collect();
    let mut lost = Vec::new();
    for (name, page) in &MADE.pages {
        for to in values(page, "href").into_iter().chain(values(page, "src")) {
            if to.contains("://") || ["data:,", "../index.html"].contains(&to) {
                continue;
            }
            let (file, anchor) = to.split_once('#').unwrap_or((to, ""));
            let file = if file.is_empty() { name } else { file };
            let anchored = anchor.is_empty() || ids.get(file).is_some_and(|i| i.contains(anchor));
            if !MADE.dir.path().join(file).is_file() || !anchored {
                lost.push(format!("{name}: {to}"));
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

/// A row that has lost its table is a paragraph of text and bars.
#[test]
fn every_row_has_its_table() {
    for (name, page) in &MADE.pages {
        assert!(!page.contains("<p>|"), "{name}: a row of a table without a table");
    }
}

#[test]
fn pages_are_in_order_and_fetch_nothing() {
    for (name, page) in &MADE.pages {
        let ids = values(page, "id");
        let once: BTreeSet<&&str> = ids.iter().collect();
        assert_eq!(ids.len(), once.len(), "{name}: an id twice");
        assert!(values(page, "src").iter().all(|s| !s.contains("://")), "{name} fetches");
        if name == "print.html" {
            continue;
        }
        let mut last = 0;
        for rest in page.split("<h").skip(1) {
            if let Some(level) = rest.chars().next().and_then(|c| c.to_digit(10)) {
                assert!(level <= last + 1, "{name}: h{level} after h{last}");
                last = level;
            }
        }
        assert_eq!(page.matches("<h1").count(), 1, "{name}");
        for tag in ["details", "table", "div", "li", "nav", "pre", "sup", "a", "b", "code"] {
            let opened = page.matches(&format!("<{tag}>")).count()
                + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{name}: <{tag}>");
        }
    }
}

#[test]
fn every_class_of_verdict_and_every_hint_has_its_place() {
    let page = &MADE.pages["verdicts.html"];
    use grading::Class::*;
    for class in
        [NotStarted, Wrong, Fault, Time, Memory, Crash, NotGradable, GraderFault].map(|c| c.page())
    {
        assert!(page.contains(&format!("<h2 id=\"{class}\">")), "{class}");
    }
    for exercise in lab::course::LABS.iter().flat_map(|lab| lab.exercises) {
        if !exercise.hints.is_empty() {
            assert!(page.contains(&format!("<b id=\"{}\">", exercise.id)), "{}", exercise.id);
        }
    }
}

#[test]
fn measurements_begin_with_a_table_and_are_all_listed() {
    let index = std::fs::read_to_string(root().join("docs/measurements.md")).unwrap();
    for entry in std::fs::read_dir(root().join("docs/measurements")).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(index.contains(&format!("(measurements/{name})")), "{name} is not listed");
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let table = text.find("| what | figure | where |");
        let first = text.find("\n## ").unwrap_or(text.len());
        assert!(table.is_some_and(|t| t < first), "{name}: main figures come first");
    }
}
