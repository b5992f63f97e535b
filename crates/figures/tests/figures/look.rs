//! What a demanding reader would complain about.

use figures::text_width;
use roxmltree::{Document, Node};

struct Label {
    text: String,
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

/// What is wrong with a picture: not XML, text that leaves the page, lies on other text or is too
/// small. Widths of texts are those of wide fonts, a little is let pass.
pub fn faults(svg: &str) -> Vec<String> {
    let document = match Document::parse(svg) {
        Ok(document) => document,
        Err(e) => return vec![format!("not XML: {e}")],
    };
    let root = document.root_element();
    let number = |node: Node<'_, '_>, name: &str| -> f64 {
        node.attribute(name).and_then(|v| v.parse().ok()).unwrap_or(f64::NAN)
    };
    let (width, height) = (number(root, "width"), number(root, "height"));
    let mut found = Vec::new();
    let mut labels: Vec<Label> = Vec::new();
    if root.attribute("class") != Some("fig") {
        return vec!["not drawn by the crate figures".to_string()];
    }
    let attributes = document.descendants().flat_map(|n| n.attributes());
    for a in attributes.filter(|a| a.name() != "href") {
        if a.value().contains("NaN") || a.value().contains("inf") {
            found.push(format!("{}=\"{}\"", a.name(), a.value()));
        }
    }
    for node in document.descendants().filter(|n| n.has_tag_name("text")) {
        let text: String =
            node.descendants().filter_map(|n| n.text().filter(|_| n.is_text())).collect();
        let size = number(node, "font-size");
        let (mut x, mut y) = (number(node, "x"), number(node, "y"));
        for group in node.ancestors().filter_map(|a| a.attribute("transform")) {
            let inner = group.trim_start_matches("translate(").trim_end_matches(')');
            let (dx, dy) = inner.split_once(' ').unwrap();
            (x, y) = (x + dx.parse::<f64>().unwrap(), y + dy.parse::<f64>().unwrap());
        }
        if size < 11.0 {
            found.push(format!("'{text}' is tiny"));
        }
        // Raised parts are narrower.
        let raised: f64 = node
            .children()
            .filter(|c| c.has_tag_name("tspan") && c.attribute("font-size").is_some())
            .map(|c| 0.28 * text_width(c.text().unwrap_or(""), size))
            .sum();
        let wide = 0.98 * (text_width(&text, size) - raised);
        let left = match node.attribute("text-anchor") {
            Some("middle") => x - wide / 2.0,
            Some("end") => x - wide,
            _ => x,
        };
        let label =
            Label { left, right: left + wide, top: y - 0.72 * size, bottom: y + 0.1 * size, text };
        if label.left < -1.0
            || label.right > width + 1.0
            || label.top < 0.0
            || label.bottom > height
        {
            found.push(format!("'{}' leaves the page", label.text));
        }
        labels.push(label);
    }
    for (k, a) in labels.iter().enumerate() {
        for b in &labels[..k] {
            if a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom {
                found.push(format!("'{}' and '{}' overlap", b.text, a.text));
            }
        }
    }
    found
}
