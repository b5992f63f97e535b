//! Pairs of submissions with what they have in common, side by side.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::escape;
use crate::similar::{Pair, Work};

/// What every report of likeness says first.
pub const NO_ACCUSATION: &str = "Likeness is no proof: short tasks have few good answers, and \
    students may have worked together as they were allowed to. Read both before you ask.";

const STYLE: &str = "\
body { font: 15px/1.5 system-ui, sans-serif; max-width: 90rem; margin: 0 auto; padding: 1.5rem;
  color-scheme: light dark; }
table { border-collapse: collapse; } th, td { padding: .2rem .8rem; text-align: left; }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; } .two > div { min-width: 0; }
pre { overflow-x: auto; font-size: .85rem; border: 1px solid #8886; border-radius: 6px; }
mark { background: #f5c84266; color: inherit; }
";

/// One HTML page that needs no other file.
pub fn html(title: &str, works: &[Work], pairs: &[Pair]) -> String {
    let title = escape(title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n<p>{NO_ACCUSATION}</p>\n"
    );
    if pairs.is_empty() {
        out += "<p>No two submissions have more in common than was asked for.</p>\n";
    } else {
        out += "<table>\n<tr><th>pair</th><th>in common</th><th>files</th></tr>\n";
    }
    for (k, pair) in pairs.iter().enumerate() {
        let files: Vec<String> = pair.lines.keys().map(|f| escape(f)).collect();
        let _ = writeln!(
            out,
            "<tr><td><a href=\"#p{k}\">{} and {}</a></td><td>{} %</td><td>{}</td></tr>",
            escape(&works[pair.a].name),
            escape(&works[pair.b].name),
            pair.percent,
            files.join(", ")
        );
    }
    if !pairs.is_empty() {
        out += "</table>\n";
    }
    for (k, pair) in pairs.iter().enumerate() {
        let (a, b) = (&works[pair.a], &works[pair.b]);
        let names = (escape(&a.name), escape(&b.name));
        let _ = writeln!(out, "<h2 id=\"p{k}\">{} and {}</h2>", names.0, names.1);
        for (file, (of_a, of_b)) in &pair.lines {
            let _ = writeln!(out, "<h3>{}</h3>\n<div class=\"two\">", escape(file));
            for (name, work, lines) in [(&names.0, a, of_a), (&names.1, b, of_b)] {
                let text = work.files.get(file).map_or("", String::as_str);
                let _ = writeln!(out, "<div>{name}<pre>{}</pre></div>", marked(text, lines));
            }
            out += "</div>\n";
        }
    }
    out + "</body>\n</html>\n"
}

fn marked(text: &str, lines: &BTreeSet<usize>) -> String {
    let line = |(k, line): (usize, &str)| match lines.contains(&(k + 1)) {
        true => format!("<mark>{}</mark>\n", escape(line)),
        false => escape(line) + "\n",
    };
    text.lines().enumerate().map(line).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_page_marks_lines_and_shows_no_stranger_s_markup() {
        let work = |name: &str| Work {
            name: name.into(),
            files: BTreeMap::from([("a.cu".to_string(), "one <b>\ntwo\n".to_string())]),
        };
        let lines = (BTreeSet::from([1]), BTreeSet::from([2]));
        let pair = Pair {
            a: 0,
            b: 1,
            common: 9,
            percent: 90,
            lines: BTreeMap::from([("a.cu".to_string(), lines)]),
        };
        let page = html("lab1", &[work("ann<script>"), work("bob")], &[pair]);
        assert!(page.contains("<mark>one &lt;b&gt;</mark>\ntwo\n"), "{page}");
        assert!(page.contains("one &lt;b&gt;\n<mark>two</mark>\n"), "{page}");
        assert!(page.contains("ann&lt;script&gt; and bob") && page.contains(NO_ACCUSATION));
        assert!(html("lab1", &[], &[]).contains("No two submissions"));
    }
}
