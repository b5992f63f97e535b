//! What stands around a text: head, search, list of pages, list of sections.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::chapters::PARTS;
use crate::markdown::{Rendered, escape};

/// The style sheet of all pages.
pub const STYLE: &str = include_str!("book.css");
/// The script of all pages: search.
pub const SCRIPT: &str = include_str!("book.js");

/// What all pages list.
pub struct Contents<'a> {
    /// Title of each page by its name.
    pub titles: &'a BTreeMap<&'a str, String>,
    /// Words and address of a link out of the book.
    pub home: Option<&'a (String, String)>,
}

const TITLE: &str = "Parallel numerical methods: the handbook";

fn head(title: &str, up: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <link rel=\"stylesheet\" href=\"{up}book.css\">\n",
        escape(title)
    )
}

/// A page of the book, with links to the ones before and after it.
pub fn page(
    contents: &Contents<'_>,
    name: &str,
    page: &Rendered,
    (before, after): (Option<&str>, Option<&str>),
) -> String {
    let title = &contents.titles[name];
    let mut out = head(&format!("{title} - the handbook"), "");
    out += "<script src=\"book.js\" defer></script>\n</head>\n<body>\n\
            <a class=\"skip\" href=\"#main\">Skip to the text</a>\n<header>\n";
    if let Some((words, to)) = contents.home {
        _ = write!(out, "<a class=\"home\" href=\"{}\">{}</a> ", escape(to), escape(words));
    }
    _ = write!(
        out,
        "<a class=\"book\" href=\"index.html\">Handbook</a>\n\
         <form class=\"search\" role=\"search\"><label for=\"q\">Search</label>\n\
         <input id=\"q\" type=\"search\" autocomplete=\"off\" placeholder=\"press /\">\n\
         <p id=\"count\" role=\"status\"></p>\n<ol id=\"found\"></ol></form>\n</header>\n"
    );
    out += "<div class=\"columns\">\n<nav class=\"pages\" aria-label=\"Pages\">\n\
            <details><summary>All pages</summary>\n";
    let entry = |out: &mut String, page: &str| {
        if let Some(title) = contents.titles.get(page) {
            let here = if page == name { " aria-current=\"page\"" } else { "" };
            _ = writeln!(out, "<li><a href=\"{page}.html\"{here}>{}</a></li>", escape(title));
        }
    };
    for (part, chapters) in PARTS {
        if chapters.iter().any(|c| contents.titles.contains_key(c.name)) {
            _ = writeln!(out, "<p>{part}</p>\n<ul>");
            chapters.iter().for_each(|chapter| entry(&mut out, chapter.name));
            if *part == "Sources" {
                entry(&mut out, "cite");
            }
            if *part == "Look up" {
                entry(&mut out, "terms");
            }
            out += "</ul>\n";
        }
    }
    out += "<p><a href=\"print.html\">All of it, for print</a></p>\n</details>\n</nav>\n";
    let within = page.sections.iter().filter(|s| s.level == 2 || s.level == 3);
    let within: Vec<_> = within.collect();
    out += "<main id=\"main\" tabindex=\"-1\">\n";
    if within.len() > 2 {
        out += "<nav class=\"sections\" aria-label=\"On this page\">\n\
                <details><summary>On this page</summary>\n<ul>\n";
        for s in within {
            let (anchor, title) = (escape(&s.anchor), escape(&s.title));
            _ = writeln!(out, "<li class=\"l{}\"><a href=\"#{anchor}\">{title}</a></li>", s.level);
        }
        out += "</ul>\n</details>\n</nav>\n";
    }
    _ = writeln!(out, "<article>\n{}</article>", page.html);
    out += "<nav class=\"around\" aria-label=\"Previous and next page\">\n";
    for (way, to) in [("Previous", before), ("Next", after)] {
        if let Some(to) = to {
            let title = escape(&contents.titles[to]);
            _ = writeln!(out, "<a href=\"{to}.html\"><span>{way}</span> {title}</a>");
        }
    }
    out + "</nav>\n</main>\n</div>\n</body>\n</html>\n"
}

/// The whole book on one page, each chapter on a new sheet of paper.
pub fn print(contents: &Contents<'_>, names: &[&str], pages: &[Rendered]) -> String {
    let mut out = head(TITLE, "") + "</head>\n<body class=\"print\">\n<main>\n<nav>\n";
    _ = writeln!(out, "<h1>{TITLE}</h1>\n<ol>");
    for (name, _) in names.iter().zip(pages) {
        let title = escape(&contents.titles[name]);
        _ = writeln!(out, "<li><a href=\"#{name}--top\">{title}</a></li>");
    }
    out += "</ol>\n</nav>\n";
    for (name, page) in names.iter().zip(pages) {
        _ = writeln!(out, "<article id=\"{name}--top\">\n{}</article>", page.html);
    }
    out + "</main>\n</body>\n</html>\n"
}

/// A source file as a page.
pub fn source(path: &str, text: &str, up: &str) -> String {
    let (path, text) = (escape(path), escape(text));
    head(&path, up)
        + &format!(
            "</head>\n<body>\n<header><a class=\"book\" href=\"{up}index.html\">Handbook</a>\
             </header>\n<main class=\"source\"><h1>{path}</h1>\n\
             <pre tabindex=\"0\"><code>{text}</code></pre></main>\n</body>\n</html>\n"
        )
}
