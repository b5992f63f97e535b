//! Handouts and documents of the course as one book: static pages that need no server and fetch
//! nothing, with search, an index of terms, and one long page for print.
//!
//! [`write_book`] reads the Markdown files that [`chapters`] lists and writes a folder.
#![forbid(unsafe_code)]

pub mod chapters;
pub mod formula;
mod layout;
pub mod markdown;
mod search;
mod terms;
mod verdicts;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use markdown::{Section, Target, escape};

/// What the pages say beside the chapters.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A link at the top of each page: words, and an address as seen from the book's folder.
    pub home: Option<(String, String)>,
}

/// What was written.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Names of the pages, in order.
    pub pages: Vec<String>,
    /// Links of the documents that lead nowhere: file, and where the link leads.
    pub broken: Vec<(String, String)>,
}

/// A page in the making.
struct Page {
    name: &'static str,
    /// File of the Markdown, relative to the root.
    source: &'static str,
    text: String,
}

/// Writes the book of the course at `root` to the folder `dir`, which is made if it is not there.
/// Files of an older book there are replaced.
///
/// # Errors
/// A file cannot be read or written; the message names it.
pub fn write_book(root: &Path, dir: &Path, options: &Options) -> Result<Written, String> {
    let mut pages = Vec::new();
    for chapter in chapters::all() {
        let path = root.join(chapter.source);
        if path.is_file() {
            let text = std::fs::read_to_string(&path);
            let text = text.map_err(|e| format!("{}: {e}", chapter.source))?;
            pages.push(Page { name: chapter.name, source: chapter.source, text });
        }
    }
    if pages.first().is_none_or(|page| page.name != "index") {
        return Err(format!("{}: there is no README.md, so this is no course", root.display()));
    }
    if let Some(page) = pages.iter_mut().find(|page| page.name == "verdicts") {
        page.text += &verdicts::hints(root);
    }
    let mut book = Book { root, dir, pages, files: BTreeSet::new(), broken: BTreeSet::new() };
    let mut rendered: Vec<_> = (0..book.pages.len()).map(|k| book.render(k, false)).collect();
    let mut names: Vec<&str> = book.pages.iter().map(|page| page.name).collect();
    let sections =
        |rendered: &[markdown::Rendered], names: &[&str]| -> Vec<(String, Vec<Section>)> {
            names.iter().zip(rendered).map(|(n, r)| (n.to_string(), r.sections.clone())).collect()
        };
    let found = sections(&rendered, &names);
    let mut own = Vec::new();
    if let Some(glossary) = book.pages.iter().find(|page| page.name == "glossary") {
        own.push(("terms", "Index of terms", terms::index(&glossary.text, &found)));
    }
    if let Ok(citation) = std::fs::read_to_string(root.join("CITATION.cff")) {
        own.push(("cite", "How to cite", cite(&citation)));
    }
    let whole = (0..book.pages.len()).map(|k| book.render(k, true)).collect::<Vec<_>>();
    for (name, title, html) in own {
        names.push(name);
        let first = Section { level: 1, title: title.into(), ..Section::default() };
        rendered.push(markdown::Rendered { html, sections: vec![first] });
    }
    let title =
        |k: usize| rendered[k].sections.first().map_or(names[k].to_string(), |s| s.title.clone());
    let titles: BTreeMap<&str, String> = (0..names.len()).map(|k| (names[k], title(k))).collect();
    let contents = layout::Contents { titles: &titles, home: options.home.as_ref() };
    let mut written = Written::default();
    for (k, name) in names.iter().enumerate() {
        let around = (k.checked_sub(1).map(|b| names[b]), names.get(k + 1).copied());
        let html = layout::page(&contents, name, &rendered[k], around);
        write(dir, &format!("{name}.html"), html.as_bytes())?;
        written.pages.push(name.to_string());
    }
    let index = search::index(&sections(&rendered, &names), &titles);
    write(dir, "search-index.js", index.as_bytes())?;
    write(dir, "book.css", layout::STYLE.as_bytes())?;
    write(dir, "book.js", layout::SCRIPT.as_bytes())?;
    let print = layout::print(&contents, &names, &whole);
    write(dir, "print.html", print.as_bytes())?;
    for file in &book.files {
        book.copy(file)?;
    }
    written.broken = book.broken.into_iter().collect();
    Ok(written)
}

struct Book<'a> {
    root: &'a Path,
    dir: &'a Path,
    pages: Vec<Page>,
    /// Files of the course that pages show or link to.
    files: BTreeSet<String>,
    broken: BTreeSet<(String, String)>,
}

impl Book<'_> {
    /// A page, or its part of the one page for print.
    fn render(&mut self, k: usize, print: bool) -> markdown::Rendered {
        let (name, source) = (self.pages[k].name, self.pages[k].source);
        let text = std::mem::take(&mut self.pages[k].text);
        let prefix = if print { format!("{name}--") } else { String::new() };
        let mut link = |to: &str, _picture: bool| self.target(source, name, to, print);
        let rendered = markdown::render(&text, &prefix, print, &mut link);
        self.pages[k].text = text;
        rendered
    }

    /// Where a link of `source` leads in the book.
    fn target(&mut self, source: &str, name: &str, to: &str, print: bool) -> Target {
        if to.contains("://") || to.starts_with("mailto:") {
            return Target::To(to.into());
        }
        let (path, anchor) = match to.split_once('#') {
            Some((path, anchor)) => (path, Some(anchor)),
            None => (to, None),
        };
        let page = match path {
            "" => Some(name),
            path => {
                let path = joined(source, path);
                let readme = joined(&format!("{path}/x"), "README.md");
                let same = |page: &&Page| page.source == path || page.source == readme;
                match self.pages.iter().find(same) {
                    Some(page) => Some(page.name),
                    None => return self.file(source, &path),
                }
            }
        };
        let page = page.unwrap_or(name);
        Target::To(match (print, anchor) {
            (true, anchor) => format!("#{page}--{}", anchor.unwrap_or("top")),
            (false, Some(anchor)) if page == name => format!("#{anchor}"),
            (false, Some(anchor)) => format!("{page}.html#{anchor}"),
            (false, None) => format!("{page}.html"),
        })
    }

    /// A file that is no chapter: pictures as they are, texts as pages, folders not at all.
    fn file(&mut self, source: &str, path: &str) -> Target {
        let file = self.root.join(path);
        if file.is_dir() {
            return Target::Nowhere;
        }
        if !file.is_file() {
            self.broken.insert((source.into(), path.into()));
            return Target::Nowhere;
        }
        self.files.insert(path.into());
        Target::To(format!("files/{}", shown_as(path)))
    }

    fn copy(&self, path: &str) -> Result<(), String> {
        let bytes = std::fs::read(self.root.join(path)).map_err(|e| format!("{path}: {e}"))?;
        let to = format!("files/{}", shown_as(path));
        if to.ends_with(path) {
            return write(self.dir, &to, &bytes);
        }
        let up = "../".repeat(1 + path.matches('/').count());
        let page = layout::source(path, &String::from_utf8_lossy(&bytes), &up);
        write(self.dir, &to, page.as_bytes())
    }
}

/// How a file is called in `files/`: a browser shows pictures, of all else it gets a page.
fn shown_as(path: &str) -> String {
    let picture = [".svg", ".png"].iter().any(|end| path.ends_with(end));
    if picture { path.into() } else { format!("{path}.html") }
}

/// `path` as seen from the folder of the file `from`.
fn joined(from: &str, path: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn write(dir: &Path, name: &str, bytes: &[u8]) -> Result<(), String> {
    let file: PathBuf = dir.join(name);
    let folder = file.parent().unwrap_or(dir);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&file, bytes))
        .map_err(|e| format!("{}: {e}", file.display()))
}

/// The page that says how to cite: an entry for BibTeX, and the citation file as it is.
fn cite(citation: &str) -> String {
    let value = |key: &str| {
        let line =
            citation.lines().find_map(|l| l.trim_start_matches([' ', '-']).strip_prefix(key));
        escape(line.unwrap_or("").trim().trim_matches('"'))
    };
    format!(
        "<h1>How to cite</h1>\n<p>Name the version that you used: the commit, and the command of \
         each figure that you quote. For BibTeX:</p>\n<pre tabindex=\"0\"><code>\
         @software{{parallel-numerical-methods,\n  title = {{{{{}}}}},\n  author = {{{{{}}}}},\n  \
         version = {{{}}},\n  note = {{commit ...}},\n}}</code></pre>\n\
         <p>Tools for references read the file <code>CITATION.cff</code>:</p>\n\
         <pre tabindex=\"0\"><code>{}</code></pre>\n",
        value("title:"),
        value("name:"),
        value("version:"),
        escape(citation)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_citation_has_what_the_file_says() {
        let file =
            "cff-version: 1.2.0\ntitle: \"A: b\"\nauthors:\n  - name: \"C\"\nversion: 0.1.0\n";
        let html = cite(file);
        for part in ["title = {{A: b}}", "author = {{C}}", "version = {0.1.0}", "cff-version"] {
            assert!(html.contains(part), "{part}: {html}");
        }
    }

    #[test]
    fn paths_are_joined_as_a_browser_joins_them() {
        assert_eq!(joined("docs/a.md", "../lab1/x.svg"), "lab1/x.svg");
        assert_eq!(joined("README.md", "docs/./b.md"), "docs/b.md");
        assert_eq!(joined("a/b/c.md", "d.md"), "a/b/d.md");
    }
}
