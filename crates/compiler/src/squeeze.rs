//! Headers of ours without what only people read: for pages, whose engine is fetched.

/// The text without comments and indentation. Each line stays where it is.
pub(crate) fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        // No string of ours has `//` in it.
        let line = line.split("//").next().unwrap_or("").trim();
        match line.strip_suffix('\\') {
            Some(line) => out.extend([line.trim_end(), " \\"]),
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}
