//! The index of terms: each term of the glossary with the sections that speak of it.

use std::fmt::Write;

use crate::markdown::{Section, escape};

/// Sections named for a term at most.
const MOST: usize = 8;

/// Terms of a glossary: what stands in bold at the start of a line, a point or a row, the first
/// cell of a row, or a heading of the third level.
fn terms(glossary: &str) -> Vec<String> {
    let mut rows: Vec<&str> = glossary.lines().collect();
    // The head of a table stands before the line of dashes.
    let heads: Vec<usize> = (1..rows.len()).filter(|&k| rows[k].starts_with("|--")).collect();
    heads.iter().for_each(|&k| rows[k - 1] = "");
    // A row may explain several: `grid, block, thread`.
    let each = rows.into_iter().filter_map(term).flat_map(|term| term.split(", "));
    let mut all: Vec<String> = each.map(String::from).collect();
    all.retain(|t| !t.is_empty());
    all.sort_by_key(|t| t.to_lowercase());
    all.dedup();
    all
}

fn term(line: &str) -> Option<&str> {
    if let Some(heading) = line.strip_prefix("### ") {
        return Some(heading.trim());
    }
    let rest = ["* ", "- ", "| "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line);
    if let Some((bold, _)) = rest.strip_prefix("**").and_then(|rest| rest.split_once("**")) {
        return Some(bold.trim_end_matches([':', '.']));
    }
    line.strip_prefix("| ").map(|row| row.split(" |").next().unwrap_or("").trim())
}

/// The page's article.
pub fn index(glossary: &str, pages: &[(String, Vec<Section>)]) -> String {
    let mut html = String::from("<h1>Index of terms</h1>\n<dl class=\"terms\">\n");
    for term in terms(glossary) {
        _ = writeln!(html, "<dt>{}</dt>\n<dd>", escape(&term));
        let places = places(&term, pages);
        for (page, section) in &places {
            let (anchor, title) = (escape(&section.anchor), escape(&section.title));
            let on = if section.level > 1 { short(page, pages) } else { String::new() };
            _ = writeln!(html, "<a href=\"{page}.html#{anchor}\">{title}{on}</a>");
        }
        if places.is_empty() {
            html += "<a href=\"glossary.html\">Glossary</a>\n";
        }
        html += "</dd>\n";
    }
    html + "</dl>\n"
}

/// The beginning of a page's title, to stand behind the title of one of its sections.
fn short(page: &str, pages: &[(String, Vec<Section>)]) -> String {
    let sections = pages.iter().find(|(name, _)| name == page).map_or(&[][..], |p| &p.1);
    let title = sections.first().map_or("", |s| s.title.as_str());
    format!(" <span>{}</span>", escape(title.split([':', '.', ',']).next().unwrap_or("")))
}

/// The sections that name the term most often, the title counting ten times, in the book's order.
fn places<'a>(term: &str, pages: &'a [(String, Vec<Section>)]) -> Vec<(&'a str, &'a Section)> {
    let mut found = Vec::new();
    for (page, sections) in pages.iter().filter(|(page, _)| page != "glossary") {
        for section in sections {
            let often = 10 * count(&section.title, term) + count(&section.text, term);
            if often > 0 {
                found.push((often, found.len(), page.as_str(), section));
            }
        }
    }
    found.sort_by_key(|f| std::cmp::Reverse(f.0));
    found.truncate(MOST);
    found.sort_by_key(|f| f.1);
    found.into_iter().map(|(_, _, page, section)| (page, section)).collect()
}

/// How often whole words of `text` are the term, whatever their case, or its plural.
fn count(text: &str, term: &str) -> usize {
    let (text, term) = (text.to_lowercase(), term.to_lowercase());
    let whole = |at: usize| {
        let before = text[..at].chars().next_back();
        let rest = &text[at + term.len()..];
        let after = rest.strip_prefix('s').unwrap_or(rest).chars().next();
        [before, after].iter().all(|c| c.is_none_or(|c| !c.is_alphanumeric() && c != '_'))
    };
    text.match_indices(&term).filter(|(at, _)| whole(*at)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_found_in_each_form() {
        let glossary = "# Terms\n\n**warp**: 32 threads\n* **Halo**: a rim\n\n### bank\n\n\
                        | term | means |\n|---|---|\n| sector, line | 32 bytes |\n| **tile** | a part |\n";
        assert_eq!(terms(glossary), ["bank", "Halo", "line", "sector", "tile", "warp"]);
    }

    #[test]
    fn a_section_is_named_with_its_page_and_no_term_stands_alone() {
        let section =
            |level, title: &str| Section { level, title: title.into(), ..Section::default() };
        let pages = [("a".to_string(), vec![section(1, "Lab 1. All"), section(2, "The warp")])];
        let html = index("**warp**: x\n\n**bank**: y\n", &pages);
        assert!(html.contains("The warp <span>Lab 1</span></a>"), "{html}");
        assert!(html.contains("<dt>bank</dt>\n<dd>\n<a href=\"glossary.html\">"), "{html}");
    }

    #[test]
    fn a_term_is_a_whole_word() {
        assert_eq!(count("A warp, two warps, warped; subwarp", "Warp"), 2);
    }
}
