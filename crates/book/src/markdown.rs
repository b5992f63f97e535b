//! Markdown to HTML: headings with anchors, links to where things are in the book, formulas,
//! tables and code that scroll by themselves.

use std::collections::{BTreeMap, HashSet};

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};

use crate::formula;

/// A heading and the text under it, up to the next one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// 1 for the page's title.
    pub level: u8,
    /// Anchor in the page.
    pub anchor: String,
    /// The heading.
    pub title: String,
    /// What is under it, without markup.
    pub text: String,
}

/// A page's text.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// HTML of the article.
    pub html: String,
    /// Its sections in order.
    pub sections: Vec<Section>,
}

/// What a link or a picture leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// This address.
    To(String),
    /// Nothing in the book: the words stay, the link goes.
    Nowhere,
}

/// Renders Markdown. `link` says where a link or a picture (`true`) leads; anchors begin with
/// `prefix`, and folds are open if `open`.
pub fn render(
    text: &str,
    prefix: &str,
    open: bool,
    link: &mut dyn FnMut(&str, bool) -> Target,
) -> Rendered {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut page = Page { prefix, open, ..Page::default() };
    let mut events = Parser::new_ext(text, options);
    while let Some(event) = events.next() {
        page.take(event, &mut events, link);
    }
    let mut html = String::new();
    html::push_html(&mut html, page.events.into_iter());
    Rendered { html, sections: page.sections }
}

/// Columns from which on a table is set smaller on paper, where nothing scrolls.
const WIDE: usize = 7;
/// Lines from which on code may go on on the next sheet; shorter code moves there as a whole.
const LONG: usize = 30;

#[derive(Default)]
struct Page<'a> {
    prefix: &'a str,
    open: bool,
    events: Vec<Event<'a>>,
    sections: Vec<Section>,
    /// How often an anchor was given.
    anchors: BTreeMap<String, usize>,
    /// For each open link, if it stays.
    links: Vec<bool>,
}

impl<'a> Page<'a> {
    fn html(&mut self, text: impl Into<String>) {
        self.events.push(Event::InlineHtml(CowStr::from(text.into())));
    }

    fn said(&mut self, text: &str) {
        if let Some(section) = self.sections.last_mut() {
            section.text += text;
            section.text.push(' ');
        }
    }

    fn take(
        &mut self,
        event: Event<'a>,
        events: &mut Parser<'a>,
        link: &mut dyn FnMut(&str, bool) -> Target,
    ) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let mut inside: Vec<Event<'a>> = Vec::new();
                for event in events.by_ref() {
                    if matches!(event, Event::End(TagEnd::Heading(_))) {
                        break;
                    }
                    inside.push(event);
                }
                let title: String = inside.iter().map(spoken).collect();
                let anchor = self.anchor(&title);
                let level = level as u8;
                self.sections.push(Section {
                    level,
                    anchor: anchor.clone(),
                    title,
                    text: "".into(),
                });
                self.html(format!("\n<h{level} id=\"{anchor}\">"));
                self.events.extend(inside.into_iter().map(raised));
                self.html(format!("</h{level}>\n"));
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                let mut code = String::new();
                for event in events.by_ref() {
                    match event {
                        Event::End(TagEnd::CodeBlock) => break,
                        Event::Text(text) => code += &text,
                        _ => {}
                    }
                }
                self.said(&code);
                self.code(&kind, &code);
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                let target = link(&dest_url, false);
                self.links.push(target != Target::Nowhere);
                if let Target::To(to) = target {
                    self.html(format!("<a href=\"{}\">", escape(&to)));
                }
            }
            Event::End(TagEnd::Link) => {
                if self.links.pop() == Some(true) {
                    self.html("</a>");
                }
            }
            Event::Start(Tag::Image { dest_url, .. }) => {
                let mut says = String::new();
                for event in events.by_ref() {
                    if matches!(event, Event::End(TagEnd::Image)) {
                        break;
                    }
                    says += &spoken(&event);
                }
                if let Target::To(to) = link(&dest_url, true) {
                    let (to, says) = (escape(&to), escape(&says));
                    self.html(format!(
                        "<a class=\"picture\" href=\"{to}\"><img src=\"{to}\" alt=\"{says}\"></a>"
                    ));
                }
            }
            Event::Start(Tag::Table(columns)) => {
                let wide = if columns.len() >= WIDE { " wide" } else { "" };
                self.html(format!(
                    "\n<div class=\"scroll{wide}\" tabindex=\"0\" role=\"group\" \
                     aria-label=\"table\">\n"
                ));
                self.events.push(Event::Start(Tag::Table(columns)));
            }
            Event::End(TagEnd::Table) => {
                self.events.push(Event::End(TagEnd::Table));
                self.html("</div>\n");
            }
            Event::Html(text) | Event::InlineHtml(text) => {
                self.said(&without_tags(&text));
                self.html(fold(&text, self.open));
            }
            Event::Code(_) | Event::Text(_) => {
                self.said(&spoken(&event));
                self.events.push(raised(event));
            }
            other => self.events.push(other),
        }
    }

    /// The anchor that GitHub gives a heading, so that links work there and here.
    fn anchor(&mut self, title: &str) -> String {
        let kept = title.to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let slug: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let seen = self.anchors.entry(slug.clone()).or_insert(0);
        *seen += 1;
        match *seen {
            1 => format!("{}{slug}", self.prefix),
            n => format!("{}{slug}-{}", self.prefix, n - 1),
        }
    }

    fn code(&mut self, kind: &CodeBlockKind<'_>, code: &str) {
        let (language, file) = match kind {
            CodeBlockKind::Fenced(name) => name.split_once(' ').unwrap_or((name, "")),
            CodeBlockKind::Indented => ("", ""),
        };
        // A whole kernel: book.js adds what opens it in the playground.
        let kernel = match language {
            "cuda" | "opencl" => format!(" data-kernel=\"{}\"", escape(file)),
            _ => String::new(),
        };
        // Drawings of letters stay as they are.
        let drawn = ["+--", "| ", " |", "---", "...  "].iter().any(|mark| code.contains(mark))
            || in_columns(code);
        let formulas = matches!(language, "" | "text") && !drawn && formula::is_formula(code);
        let (class, code) = match formulas {
            true => (" class=\"math\"", formula::formula(code)),
            false if code.lines().count() >= LONG => (" class=\"long\"", escape(code)),
            false => ("", escape(code)),
        };
        self.html(format!("\n<pre{class}{kernel} tabindex=\"0\"><code>{code}</code></pre>\n"));
    }
}

/// Whether words of several lines begin below one another, behind three blanks or more, or end so
/// in two places: in letters of different widths such columns would fall apart.
fn in_columns(code: &str) -> bool {
    let (mut begins, mut ends) = (HashSet::new(), HashSet::new());
    let mut shared = 0;
    for line in code.lines() {
        let c: Vec<char> = line.trim_end().chars().collect();
        let blank = |k: usize| c.get(k).is_some_and(|c| *c == ' ');
        let text = c.iter().position(|c| *c != ' ').unwrap_or(c.len());
        for k in text + 1..c.len() {
            let gap = |size: usize| (k - size..k).all(blank);
            if k >= text + 4 && !blank(k) && gap(3) && !begins.insert(k) {
                return true;
            }
            let before_gap = !blank(k) && (k + 1..k + 3).all(blank);
            shared += usize::from(before_gap && !ends.insert(k));
        }
    }
    shared > 1
}

/// Text of an event, without markup.
fn spoken(event: &Event<'_>) -> String {
    match event {
        Event::Text(text) | Event::Code(text) => text.to_string(),
        Event::SoftBreak | Event::HardBreak => " ".into(),
        _ => String::new(),
    }
}

/// Formulas in code and powers in text as HTML.
fn raised(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Code(code) if formula::is_formula(&code) => {
            let html = formula::formula(&code);
            Event::InlineHtml(format!("<span class=\"math\">{html}</span>").into())
        }
        Event::Text(text) if text.contains('^') => Event::InlineHtml(formula::words(&text).into()),
        other => other,
    }
}

/// `<details>` as a book wants it: code between backquotes in the summary, open where it is
/// printed.
fn fold(text: &str, open: bool) -> String {
    let mut out = String::new();
    if text.matches('`').count() % 2 == 1 {
        return text.into();
    }
    for (k, part) in text.split('`').enumerate() {
        out += match k {
            0 => "",
            k if k % 2 == 1 => "<code>",
            _ => "</code>",
        };
        out += part;
    }
    if open { out.replace("<details>", "<details open>") } else { out }
}

fn without_tags(text: &str) -> String {
    let mut inside = false;
    let keep = |c: &char| {
        inside = *c == '<' || (inside && *c != '>');
        !inside && *c != '>'
    };
    text.chars().filter(keep).collect()
}

/// Text as HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, open: bool) -> Rendered {
        render(text, "", open, &mut |to, _| match to {
            "gone" => Target::Nowhere,
            to => Target::To(format!("{to}.html")),
        })
    }

    #[test]
    fn headings_have_githubs_anchors_and_sections_their_text() {
        let page =
            shown("# A `b`: c\n\ntext `code`\n\n## 1.1.3 Do it (5)\n\n## 1.1.3 Do it (5)\n", false);
        let anchors: Vec<&str> = page.sections.iter().map(|s| s.anchor.as_str()).collect();
        assert_eq!(anchors, ["a-b-c", "113-do-it-5", "113-do-it-5-1"]);
        assert_eq!(page.sections[0].text.trim(), "text  code");
        assert!(page.html.contains("<h1 id=\"a-b-c\">A <code>b</code>: c</h1>"));
    }

    #[test]
    fn links_lead_into_the_book_or_are_words() {
        let page = shown("[x](y) [z](gone) ![a \"b\"](c)\n", false);
        assert!(page.html.contains("<a href=\"y.html\">x</a> z "), "{}", page.html);
        assert!(page.html.contains("<img src=\"c.html\" alt=\"a &quot;b&quot;\">"));
    }

    #[test]
    fn columns_keep_letters_of_one_width() {
        assert!(in_columns("step      1       2  3\npsi    -0.1    -0.2  2^3"));
        assert!(in_columns("f(x)    x^2\ng       2^x\n"));
        assert!(!in_columns("f = x^2    (x > 0)\n    g = 2^x\n"));
        let page = shown("```text\na    2^3\nbc   2^4\n```\n\n```text\na = 2^3\n```\n", false);
        assert!(page.html.contains("<code>a    2^3\nbc   2^4\n</code>"), "{}", page.html);
        assert!(page.html.contains("a = 2<sup>3</sup>"), "{}", page.html);
    }

    #[test]
    fn code_is_text_and_formulas_are_not_code() {
        let page = shown("`v^2 <= 1` `a<b`\n\n```text\nx = y^2\n```\n\n```c\na^b;\n```\n", false);
        assert!(page.html.contains("<span class=\"math\">v<sup>2</sup> ≤ 1</span>"));
        assert!(page.html.contains("<code>a&lt;b</code>"));
        assert!(page.html.contains("class=\"math\" tabindex=\"0\"><code>x = y<sup>2</sup>"));
        assert!(page.html.contains("a^b;"));
        let page = shown("```cuda docs/a.cu\nvoid f();\n```\n", false);
        assert!(page.html.contains("<pre data-kernel=\"docs/a.cu\" tabindex"), "{}", page.html);
    }

    #[test]
    fn folds_open_for_print() {
        let text = "<details><summary>Question: `x`?</summary>\n\nYes.\n</details>\n";
        assert!(shown(text, false).html.contains("<details><summary>Question: <code>x</code>?"));
        assert!(shown(text, true).html.contains("<details open>"));
    }
}
