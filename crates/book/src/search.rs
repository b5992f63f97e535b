//! The index that a page searches: sections with their texts, as a script, because a browser reads
//! no other file beside a page that was opened from a file.

use std::collections::BTreeMap;

use serde_json::json;

use crate::markdown::Section;

/// `window.BOOK = [[page, anchor, title of the page, heading, text], ...]`.
pub fn index(pages: &[(String, Vec<Section>)], titles: &BTreeMap<&str, String>) -> String {
    let mut rows = Vec::new();
    for (name, sections) in pages {
        let title = titles.get(name.as_str()).map_or(name.as_str(), String::as_str);
        for section in sections {
            let text = section.text.split_whitespace().collect::<Vec<_>>().join(" ");
            rows.push(json!([name, section.anchor, title, section.title, text]));
        }
    }
    format!("window.BOOK = {};\n", json!(rows))
}
